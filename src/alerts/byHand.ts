import type { Clock, UnixMs } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { Kinds } from '../rules/kinds.ts'
import type { Actor } from '../store/actor.ts'
import type { NewChange } from '../store/auditLog.ts'
import type { Vocabularies } from './vocabulary.ts'
import type { AlertStore } from './store/alertStore.ts'

export interface OperationsDeps {
  readonly store: AlertStore
  readonly kinds: Kinds
  /** What matchers may ask for. */
  readonly vocabulary: Vocabularies
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly clock: Pick<Clock, 'now'>
  /** The channels that are told what happens to a case as a whole. */
  readonly following: ReadonlySet<string>
  /** After each commit. */
  onChanged(): void
}

/** One change by a person, under way. */
export interface ByHand extends OperationsDeps {
  readonly actor: Actor
  readonly now: UnixMs
  /** Into the audit log. */
  readonly record: (change: NewChange) => void
}
