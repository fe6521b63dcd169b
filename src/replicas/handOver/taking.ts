import type { Operations } from '../../alerts/operations.ts'
import type { AlertStore } from '../../alerts/store/alertStore.ts'
import type { BreakOperations } from '../../breaks/operations.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Actor } from '../../store/actor.ts'
import type { Database } from '../../store/database.ts'

export interface TakeOverDeps {
  readonly db: Database
  readonly store: AlertStore
  readonly operations: Pick<Operations, 'changeCase' | 'expireSilence'> &
    Pick<BreakOperations, 'matchBreaks' | 'writeOffBreak' | 'undoEntry'>
}

/** One thing that another node hands over, under way. */
export interface Taking extends TakeOverDeps {
  readonly actor: Actor
  readonly now: UnixMs
  /** In words: when it was done, and by whom it was passed on. */
  readonly way: string
}

/** What became of it, in words; `wait` where it may be possible later. */
export type Taken = { readonly done: string } | { readonly wait: string }
