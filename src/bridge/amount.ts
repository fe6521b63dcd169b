const maxUint256 = (1n << 256n) - 1n
// Leading zeros change nothing about a number; no more of them than a fixed width of uint256 would show.
const uint256Text = /^\d{1,156}$/

/** A raw amount in base units: a decimal uint256, nothing else. Null when it is not one. */
export function parseRawAmount(text: string): bigint | null {
  if (!uint256Text.test(text)) return null
  const amount = BigInt(text)
  return amount <= maxUint256 ? amount : null
}

const decimalText = /^(\d{1,78})(?:\.(\d{1,78}))?$/

/** Whether a text is an amount in token units, as `parseDecimal` reads it. */
export function isDecimal(text: string): boolean {
  return decimalText.test(text)
}

/**
 * An amount in token units without exponent, sign or separators; null when it is not one.
 * @example parseDecimal('1.50') // { digits: 150n, scale: 2 }
 */
export function parseDecimal(text: string): { readonly digits: bigint; readonly scale: number } | null {
  const match = decimalText.exec(text)
  if (!match) return null
  const fraction = match[2] ?? ''
  return { digits: BigInt(`${match[1]}${fraction}`), scale: fraction.length }
}

/**
 * An amount in token units that is written with an exponent, without it: of many libraries it is how they print what is
 * small or round. Null when it is none.
 * @example toPlainDecimal('1.5E-7') // '0.00000015'
 */
export function toPlainDecimal(text: string): string | null {
  const [, whole = '', fraction = '', exponent] =
    /^(\d{1,78})(?:\.(\d{1,78}))?e([+-]?\d{1,2})$/i.exec(text) ?? []
  if (exponent === undefined) return null
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(`${whole}${fraction}`)
  const plain = scale > 0 ? formatUnits(digits, scale) : (digits * 10n ** BigInt(-scale)).toString()
  return isDecimal(plain) ? plain : null
}

/**
 * Base units as token units, exact, without thousands separators and trailing zeros.
 * @example formatUnits(1_500_000n, 6) // '1.5'
 */
export function formatUnits(raw: bigint, decimals: number): string {
  const digits = raw.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/**
 * How many decimals a token has, found from one record that gives its amount both ways. Null when the two do not
 * determine it (zero) or do not agree on any number of decimals up to 77.
 * @example deriveDecimals('1.5', 1_500_000n) // 6
 */
export function deriveDecimals(value: string, raw: bigint): number | null {
  const plain = decimalsByText(value, raw)
  if (plain !== null && plain <= mostDecimals) return plain
  const decimal = parseDecimal(value)
  if (!decimal || decimal.digits === 0n || raw === 0n) return null
  // value = digits / 10^scale = raw / 10^decimals, hence raw * 10^scale = digits * 10^decimals.
  const left = raw * 10n ** BigInt(decimal.scale)
  if (left % decimal.digits !== 0n) return null
  const power = left / decimal.digits
  const text = power.toString()
  return /^10*$/.test(text) && text.length - 1 <= mostDecimals ? text.length - 1 : null
}

const mostDecimals = 77

/**
 * The same where both amounts are the same digits, but for zeros behind those in base units: as most records give them,
 * and without arithmetic. Null where it takes that.
 */
export function decimalsByText(value: string, raw: bigint): number | null {
  if (!isDecimal(value)) return null
  const point = value.indexOf('.')
  const digits = (point === -1 ? value : value.slice(0, point) + value.slice(point + 1)).replace(/^0+/, '')
  const text = raw.toString()
  if (digits === '' || !text.startsWith(digits)) return null
  for (let at = digits.length; at < text.length; at += 1) if (text.charCodeAt(at) !== 0x30) return null
  return (point === -1 ? 0 : value.length - 1 - point) + text.length - digits.length
}

/**
 * Sorts as text in the order of the amounts in token units, exactly. '' when there is no amount.
 * @example rankAmount('10') > rankAmount('9.5') // true
 */
export function rankAmount(amount: string | null): string {
  const match = /^(\d{1,78})(\.\d{1,78})?$/.exec(amount ?? '')
  if (!match) return ''
  const whole = (match[1] ?? '').replace(/^0+(?=\d)/, '')
  return `${String(whole.length).padStart(2, '0')}${whole}${match[2] ?? ''}`
}
