import { parseDecimal } from '../../bridge/amount.ts'

/** An amount in token units as expressions see it: exact, of any scale; `digits` is null when it is not known. */
export class AmountValue {
  readonly digits: bigint | null
  readonly scale: number

  constructor(digits: bigint | null, scale: number) {
    this.digits = digits
    this.scale = scale
  }
}

/** Null when the text is not an amount: digits, at most one point, no sign, no exponent, no separators. */
export function parseAmount(text: string): AmountValue | null {
  const decimal = parseDecimal(text)
  return decimal && new AmountValue(decimal.digits, decimal.scale)
}

/** A transfer's amount; what is null or unreadable is unknown, which is not zero. */
export function toAmountValue(amount: string | null): AmountValue {
  return (amount === null ? null : parseAmount(amount)) ?? new AmountValue(null, 0)
}

/**
 * Compares exactly across scales: below, equal or above zero.
 * @throws when either amount is unknown: neither true nor false can be said of it
 * @example compareAmounts(toAmountValue('1.50'), toAmountValue('1.5')) // 0
 */
export function compareAmounts(a: AmountValue, b: AmountValue): number {
  if (a.digits === null || b.digits === null) throw new Error('the amount is unknown')
  const left = a.digits * 10n ** BigInt(b.scale)
  const right = b.digits * 10n ** BigInt(a.scale)
  return left < right ? -1 : left > right ? 1 : 0
}
