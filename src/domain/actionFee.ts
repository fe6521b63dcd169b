import { parseDecimal } from './amount.ts'
import { toBaseUnits } from './decimal.ts'
import { type Fee, findFee } from './findFee.ts'
import { originChain, type Transfer } from './transfer.ts'
import { readNumber } from './zoneAction.ts'

/** Whether an amount that the zone names is the record's but for a fee that may be kept. */
export function isWithinFee(transfer: Transfer, difference: bigint, fees: readonly Fee[]): boolean {
  if (difference === 0n) return true
  const { token, direction } = transfer
  const fee = findFee(fees, transfer)
  const max = fee ? parseDecimal(fee.max) : null
  if (max === null || token.decimals === null) return false
  const limit = (max.digits * 10n ** BigInt(token.decimals)) / 10n ** BigInt(max.scale)
  // The zone may name what left before the fee, or what came after it.
  const isOrigin = originChain(direction) === 'zone'
  return isOrigin ? difference > 0n && difference <= limit : difference < 0n && -difference <= limit
}

/** Whether a value is the record's amount but for a fee that may be kept. */
export function isNear(value: string, transfer: Transfer, fees: readonly Fee[]): boolean {
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
