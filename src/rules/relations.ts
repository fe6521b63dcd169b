import type { Finding } from '../bridge/finding.ts'
import type { Transfer } from '../bridge/transfer.ts'

/** What one kind's alerts are to those of others, and what becomes of them: read by the alert engine alone. */
export interface Relations {
  /** It says that this gives nothing new: while it fires, what rests on it is inhibited. */
  readonly stops?: 'source' | 'chain'
  /** What its judgement rests on: it is inhibited while an alert says that this gives nothing new. */
  readonly restsOn?: readonly ('source' | 'chain')[]
  /** Kinds of which it says all, of the same source. */
  readonly inhibits?: readonly string[]
  /** It is held for a while after a source is back: what waited for that gets its turn at the pace. */
  readonly isHeldAfterOutage?: true
  /** How it joins what was sent of the same loss, or is joined. */
  readonly joins?: OfTransfer | OfEscrow
  /** Whether what it says still stands, as far as its newest finding says; left out, it does. */
  readonly stands?: (transfer: Transfer | null) => boolean
  /** It rests on a comparison: where that finds no difference any more, it is over. */
  readonly isComparison?: true
  /** What else than amount and token a reader acts on: when it changes, what was sent is corrected. */
  readonly material?: (finding: Finding, transfer: Transfer) => object
  /** Without a transfer: the same subject is no news again, whenever it comes. */
  readonly isOncePerSubject?: true
  /** Whether what it accuses is no example of how the bridge works. What is but new may become usual. */
  readonly accuses?: (facts: Finding['facts']) => boolean
  /** Whether it goes by what the zone's actions say: an upgrade of these may have made it accuse an honest transfer. */
  readonly readsActions?: true
}

/** It accuses a transfer. */
interface OfTransfer {
  readonly of: 'transfer'
  /** Of one transfer the lowest rank says the most, and what comes after it says no second thing. */
  readonly rank: number
  /** What the bridge lost by the transfer: all of it, or what lies between its record and the amount that was found. */
  readonly loses?: 'all' | ((facts: Finding['facts']) => string)
  /** A second rule of the kind, less severe and by a tighter bound, adds nothing. */
  readonly saysAllAtOnce?: true
}

/** It says how much lacks at an escrow. */
interface OfEscrow {
  readonly of: 'escrow'
  /** The fact that says how much. */
  readonly missing: string
  /** Whether it is one movement, with the facts `direction`, `amount`, `mainTxHash` and `sum`; else it is a balance. */
  readonly isMovement: boolean
}
