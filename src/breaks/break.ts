import type { Decimal } from '../bridge/decimal.ts'
import type { Direction } from '../bridge/observation.ts'
import type { UnixMs } from '../lib/clock.ts'

/** What does not reconcile, the gravest of a transfer first. */
export const breakKinds = ['duplicate', 'unbacked', 'mismatch', 'failed', 'stalled', 'out', 'in'] as const
export type BreakKind = (typeof breakKinds)[number]

/** For people. */
export const breakWords: Readonly<Record<BreakKind, string>> = {
  duplicate: 'paid twice',
  unbacked: 'unbacked',
  mismatch: 'does not match its record',
  failed: 'failed',
  stalled: 'open too long',
  out: 'left, not explained',
  in: 'came in, not explained',
}

/** What each kind is in a matching: value that arrived, or value that left. */
export const partOf: Readonly<Record<BreakKind, 'payout' | 'origin'>> = {
  duplicate: 'payout',
  unbacked: 'payout',
  mismatch: 'payout',
  failed: 'origin',
  stalled: 'origin',
  out: 'payout',
  in: 'origin',
}

/** One thing that does not reconcile, as the chains show it now. What people settled of it stands beside it, in entries. */
export interface Break {
  /** A transfer's key, or `escrow:token:hash` of a movement. */
  readonly name: string
  readonly kind: BreakKind
  readonly direction: Direction
  /** Lower-case address; '' is the native currency. */
  readonly token: string
  /** The token that the escrows hold for it: records may name the zone's side of it, or the native currency where that is wrapped. */
  readonly held: string
  /** The token's decimals are not known: the amount is in base units. */
  readonly inBaseUnits: boolean
  /** All of it; null when no record says how much. */
  readonly amount: Decimal | null
  /** When it left, or when it arrived and should not have. */
  readonly since: UnixMs
  readonly mainHash: string | null
  /** Null for a movement. */
  readonly transferKey: string | null
}

/** The part of a break that an entry settled. */
export interface Share {
  readonly entryId: number
  readonly name: string
  readonly part: 'payout' | 'origin' | 'all'
  readonly kind: BreakKind
  readonly token: string
  readonly inBaseUnits: boolean
  /** Null: all of it, of an amount that was not known. */
  readonly amount: Decimal | null
  /** All that the chains showed of it then. */
  readonly whole: Decimal | null
}

/** Sums are of one token in one unit. */
export function sumKeyOf({ token, inBaseUnits }: Pick<Break, 'token' | 'inBaseUnits'>): string {
  return inBaseUnits ? `${token} base units` : token
}
