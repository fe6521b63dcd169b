import { parseDecimal } from './amount.ts'
import { toBaseUnits } from './decimal.ts'
import { findFee } from './findFee.ts'
import type { MoneySettings } from './coverMoney.ts'
import { originChain, type Transfer } from './transfer.ts'
import { readNumber } from './zoneAction.ts'

/** What may be kept of a transfer: by the configuration, or as it was learned of what the configuration says nothing of. */
export type Fees = Pick<MoneySettings, 'fees' | 'keptOf'>

/** Whether an amount that the zone names is the record's but for a fee that may be kept. */
export function isWithinFee(transfer: Transfer, difference: bigint, { fees, keptOf }: Fees): boolean {
  if (difference === 0n) return true
  const { token, direction, amountRaw } = transfer
  const isOrigin = originChain(direction) === 'zone'
  const fee = findFee(fees, transfer)
  if (fee === undefined) {
    if (keptOf === undefined || amountRaw === null) return false
    // Learned is what came instead of the record's amount: the zone may name that.
    const { less, more } = keptOf(transfer, amountRaw)
    return difference < 0n ? -difference <= less : !isOrigin && difference <= more
  }
  const max = parseDecimal(fee.max)
  if (max === null || token.decimals === null) return false
  const limit = (max.digits * 10n ** BigInt(token.decimals)) / 10n ** BigInt(max.scale)
  // The zone may name what left before the fee, or what came after it.
  return isOrigin ? difference > 0n && difference <= limit : difference < 0n && -difference <= limit
}

/** Whether a value is the record's amount but for a fee that may be kept. */
export function isNear(value: string, transfer: Transfer, fees: Fees): boolean {
  const { amountRaw } = transfer
  if (amountRaw === null) return false
  return toRaws(value, transfer).some((raw) => raw !== null && isWithinFee(transfer, raw - amountRaw, fees))
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
