import { parseDecimal } from '../bridge/amount.ts'
import { toBaseUnits, toDecimal } from '../bridge/decimal.ts'
import { findFee } from './findFee.ts'
import type { MoneySettings } from './moneyBounds.ts'
import { originChain, type Transfer } from '../bridge/transfer.ts'
import { readNumber } from './zoneAction.ts'

/** What may be kept of a transfer: by the configuration, or as it was learned of what the configuration says nothing of. */
export type Fees = Pick<MoneySettings, 'fees' | 'keptOf' | 'keptHere'>

/** Whether an amount that the zone names is the record's but for a fee that may be kept. */
export function isWithinFee(transfer: Transfer, difference: bigint, settings: Fees): boolean {
  if (difference === 0n) return true
  const { token, direction } = transfer
  const isOrigin = originChain(direction) === 'zone'
  const fee = findFee(settings.fees, transfer)
  if (fee === undefined) return isWithinLearned(transfer, difference, settings)
  const max = parseDecimal(fee.max)
  if (max === null || token.decimals === null) return false
  const limit = (max.digits * 10n ** BigInt(token.decimals)) / 10n ** BigInt(max.scale)
  // The zone may name what left before the fee, or what came after it.
  return isOrigin ? difference > 0n && difference <= limit : difference < 0n && -difference <= limit
}

/**
 * Learned is what came instead of the record's amount: the zone may name that. What is kept is kept once, before the
 * zone names it or after: no more is paid than the zone took, and no more is credited than came.
 */
function isWithinLearned(transfer: Transfer, difference: bigint, { keptOf, keptHere }: Fees): boolean {
  const { amountRaw, direction } = transfer
  if (keptOf === undefined || amountRaw === null) return false
  const isOrigin = originChain(direction) === 'zone'
  const { less, more } = keptOf(transfer, amountRaw)
  const kept = keptHere?.(transfer) ?? null
  if (difference > 0n) return !isOrigin && difference <= more && (kept === null || difference <= -kept)
  return -difference <= less && (!isOrigin || kept === null || -difference <= kept)
}

/** Whether a value is the record's amount but for a fee that may be kept. */
export function isNear(value: string, transfer: Transfer, fees: Fees): boolean {
  const amountRaw = transfer.amountRaw ?? rawOf(transfer)
  if (amountRaw === null) return false
  const own = { ...transfer, amountRaw }
  return toRaws(value, own).some((raw) => raw !== null && isWithinFee(own, raw - amountRaw, fees))
}

/** The amount of a record that names it in token units alone: the zone may count in base units all the same. */
function rawOf({ amount, token: { decimals } }: Transfer): bigint | null {
  const units = toDecimal(amount ?? '')
  return units === null || decimals === null ? null : toBaseUnits(units, decimals)
}

/** Base units, were the number in them, and were it in token units. */
export function toRaws(value: string, { token }: Transfer): (bigint | null)[] {
  const number = readNumber(value)
  if (number === null) return []
  return [
    number.scale === 0 ? number.digits : null,
    token.decimals === null ? null : toBaseUnits(number, token.decimals),
  ]
}
