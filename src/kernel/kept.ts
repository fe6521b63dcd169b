import type { Ledger } from '../ledger/ledger.ts'
import type { Learned } from '../ledger/lessons/learned.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import type { AppConfig } from './settings.ts'

/**
 * What of a check's part of the facts the ledger keeps with its times: rules on these kinds can be tried on the past,
 * by the judgement of the present.
 */
export interface Kept<Part extends object> {
  /** Kinds that find nothing else than what is kept. */
  readonly kinds: readonly string[]
  /** Of what, how finely and for how long, as a rule's author reads it. */
  readonly docs: string
  open(ground: KeptGround): OpenKept<Part>
}

/** What facts of the past are read from; nothing of it is written. */
export interface KeptGround {
  readonly db: Database
  readonly bridge: AppConfig['bridge']
  readonly ledger: Pick<Ledger, 'getTransfer'>
  readonly learned: Learned
  readonly settleMs: () => number
  readonly token: (address: string) => { readonly symbol: string | null; readonly decimals: number | null }
}

export interface OpenKept<Part extends object> {
  /** How often rules are judged by them. */
  readonly everyMs: number
  /** From when on what a rule looks at is kept; else why it cannot be tried on the past. */
  since(kind: string, params: unknown): UnixMs | string
  /** As it was at a moment, whichever. */
  facts(now: UnixMs): Part
}

export const notKeptYet = 'not yet: nothing of what it is judged by was kept until now'
