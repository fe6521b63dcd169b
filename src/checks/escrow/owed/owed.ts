import type { UnixMs } from '../../../lib/clock.ts'
import { parseRawAmount } from '../../../bridge/amount.ts'
import { type Decimal, toBaseUnits, toDecimal } from '../../../bridge/decimal.ts'
import { isDisproved } from '../flows/judgeFlow.ts'
import type { MostKept } from '../../../meaning/mostKept.ts'
import { canonicalToken, movedToken } from '../../../bridge/movedToken.ts'
import type { Transfer } from '../../../bridge/transfer.ts'

/** What a transfer adds to what an escrow owes (credited on the zone), or takes from it (paid out, or leaving). */
export interface OwedLeg {
  readonly key: string
  readonly token: string
  readonly isCredit: boolean
  /** Base units, without sign; null when not known. */
  readonly amount: bigint | null
  /** At most so much of it may have been kept on the way. */
  readonly less: bigint
  /** At most so much more may have moved. */
  readonly more: bigint
  readonly mainHash: string | null
  readonly mainHeight: number | null
  readonly mainTime: UnixMs | null
  readonly zoneTime: UnixMs | null
}

/** From when on what is owed is counted. */
export interface OwedStart {
  readonly height: number | null
  readonly time: UnixMs
}

/** The two chains' clocks may differ by this much, and a credit's block be written before the deposit's is shown. */
const clockToleranceMs = 30_000

/**
 * A transfer as a change of what is owed; null while it changes nothing: a deposit not credited yet, one that failed,
 * a payout that nothing stands behind.
 */
export function toOwedLeg(transfer: Transfer, mostKept: MostKept, decimals: number | null): OwedLeg | null {
  const { direction, main, zone, state } = transfer
  const isCredit = direction === 'MainToZone'
  if (state === 'failed') return null
  if (isCredit ? zone === null : isDisproved(transfer)) return null
  const token = movedToken(transfer.token)
  // What a deposit that is not there says of its block is nothing to go by.
  const known = isCredit && transfer.originProof === 'absent' ? null : main
  const { less, more } = mostKept(transfer)
  const toBase = (amount: Decimal) => (decimals === null ? 0n : (toBaseUnits(amount, decimals) ?? 0n))
  return {
    key: transfer.key,
    token,
    isCredit,
    amount: toOwedAmount(transfer, decimals),
    less: toBase(less),
    more: toBase(more),
    mainHash: known?.hash ?? null,
    mainHeight: known?.height ?? null,
    mainTime: known?.time ?? null,
    zoneTime: zone?.time ?? (zone === null ? null : transfer.firstSeenAt),
  }
}

/** A transfer's amount in base units of the token that moves on the main chain; null when it is not known. */
export function toOwedAmount(transfer: Transfer, decimals: number | null): bigint | null {
  const { token, amount } = transfer
  const given = amount === null || decimals === null ? null : toDecimal(amount)
  // Where the record names the zone's side of a token, so does its raw amount.
  const isOther =
    movedToken(token) !== canonicalToken(token.address) && decimals !== null && token.decimals !== decimals
  const own = isOther ? null : transfer.amountRaw
  const raw = own ?? (given && decimals !== null ? toBaseUnits(given, decimals) : null)
  return raw === null || parseRawAmount(raw.toString()) === null ? null : raw
}

/** What a leg adds to what is owed at the least: what may have been kept on the way is given to the escrow. */
export function leastChange({ isCredit, amount, less, more }: Change): bigint {
  const known = amount ?? 0n
  if (!isCredit) return -known - more
  return known > less ? known - less : 0n
}

type Change = Pick<OwedLeg, 'isCredit' | 'amount' | 'less' | 'more'>

/** What a leg may have changed the balance by: anything from nothing to all of its fee may have been kept. */
export function rangeOfChange({ isCredit, amount, less, more }: Change): {
  readonly least: bigint
  readonly most: bigint
} {
  const known = amount ?? 0n
  return isCredit ? { least: known - less, most: known + more } : { least: -known - more, most: less - known }
}

/** Whether a leg counts at all: what was locked or paid before the start is in the first balance already. */
export function countsSince(leg: OwedLeg, start: OwedStart): boolean {
  if (leg.mainHeight !== null && start.height !== null) return leg.mainHeight > start.height
  const time = leg.mainTime ?? leg.zoneTime
  return time !== null && time > start.time
}

/**
 * Whether a counted leg has happened at a height whose block was the newest at `time`. A credit waits for its deposit
 * to be in the balance too, but not for ever: a deposit that claims a height beyond that of its credit is none.
 */
export function hasHappenedAt(
  leg: OwedLeg,
  at: { readonly height: number; readonly time: UnixMs },
  /** A withdrawal that left the zone is owed until it is paid. */
  isOwedUntilPaid = false,
): boolean {
  const isOnZone = leg.zoneTime !== null && leg.zoneTime <= at.time
  const isOnMain = leg.mainHeight !== null && leg.mainHeight <= at.height
  if (!leg.isCredit && isOwedUntilPaid && leg.mainHeight === null) return leg.mainHash !== null && isOnZone
  if (!leg.isCredit) return isOnMain || (isOnZone && !isOwedUntilPaid)
  if (!isOnZone) return false
  return leg.mainHeight === null || isOnMain || (leg.zoneTime ?? 0) <= at.time - clockToleranceMs
}
