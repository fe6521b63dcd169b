import type { UnixMs } from '../lib/clock.ts'
import type { Detector, JudgedOn } from '../rules/kind.ts'
import type { CommitHooks } from './commit.ts'
import type { SharedFacts } from './facts.ts'
import type { Kernel } from './kernel.ts'
import type { Poller } from './runner.ts'

/**
 * A check: what it watches, the kinds of findings that it brings, and the tables that it keeps. `Part` is what it adds
 * to the facts that conditions are judged on, `Others` what its kinds look at of what other checks add.
 */
export interface Check<Part extends object = object, Others extends object = object> {
  readonly name: string
  readonly kinds: readonly (Detector & JudgedOn<SharedFacts & Part & Others>)[]
  open(kernel: Kernel): OpenCheck<Part>
}

export interface OpenCheck<Part extends object = object> extends CommitHooks {
  /** None where the configuration gives it nothing to look at. */
  readonly pollers: readonly Poller[]
  /** Its part of the one snapshot of a tick, inside that tick's transaction. */
  facts(now: UnixMs): Part
  /** Forgets what its tables need no more, in small steps: inside a transaction. */
  prune?(now: UnixMs): void
}
