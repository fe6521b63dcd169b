import type { Finding } from '../bridge/finding.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { ClockJump } from '../lib/rebaseInstant.ts'
import type { Detector, JudgedOn } from '../rules/kind.ts'
import type { CommitHooks } from './commit.ts'
import type { SharedFacts } from './facts.ts'
import type { Given } from './given.ts'
import type { Kept } from './kept.ts'
import type { Kernel } from './kernel.ts'
import type { Poller, PollerStatus } from './running/runner.ts'

/**
 * A check: what it watches, the kinds of findings that it brings, and the tables that it keeps. `Part` is what it adds
 * to the facts that conditions are judged on, `Others` what its kinds look at of what other checks add. One that adds a
 * part says what tests of rules may say of it.
 */
export type Check<Part extends object = object, Others extends object = object> = Watch<Part, Others> &
  (object extends Part ? unknown : { readonly given: Given<Part> })

interface Watch<Part extends object, Others extends object> {
  readonly name: string
  readonly kinds: readonly (Detector & JudgedOn<SharedFacts & Part & Others>)[]
  /** What it measures, for Prometheus. Names and labels are public: add, don't rename. */
  readonly metrics?: readonly Metric[]
  /** Left out, none of its facts is kept with its times. */
  readonly kept?: Kept<Part>
  open(kernel: Kernel): OpenCheck<Part>
}

export interface Metric {
  readonly type: 'gauge' | 'counter'
  /** With the prefix `spanwatch_`. */
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

/** One sample: its labels and value. What is not known has no sample, for 0 would be a claim. */
export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number]

/** A card on the status page. */
export interface Panel {
  /** In lower case, of letters: names its place on the page. */
  readonly id: string
  readonly title: string
  readonly lines: readonly { readonly name: string; readonly value: string }[]
}

export interface OpenCheck<Part extends object = object> extends CommitHooks {
  /** None where the configuration gives it nothing to look at. */
  readonly pollers: readonly Poller[]
  /** Its part of the one snapshot of a tick, inside that tick's transaction. */
  facts(now: UnixMs): Part
  /** Conditions that it holds to be true by itself, ready-made. */
  raised?(now: UnixMs): readonly Finding[]
  /** Forgets what its tables need no more, in small steps: inside a transaction. */
  prune?(now: UnixMs): void
  /** Begins, before the pollers, what is done once or runs beside them. */
  start?(): void
  stop?(): Promise<void>
  /** The health of what runs beside the pollers, in the form of a poller. */
  status?(): readonly PollerStatus[]
  /** What its metrics are now, by name. */
  metrics?(): Readonly<Record<string, readonly Sample[]>>
  panel?(now: UnixMs): Panel
  /** The machine slept: how long ago something was stays as it is. By 0: the process stood still, and time went on. */
  rebaseClock?(jump: ClockJump): void
}
