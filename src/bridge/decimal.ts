import { parseDecimal } from './amount.ts'

/** An exact signed decimal number: `digits / 10^scale`. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

export const noAmount: Decimal = { digits: 0n, scale: 0 }

/** Null when the text is no plain decimal; a minus sign is taken. */
export function toDecimal(text: string): Decimal | null {
  const isNegative = text.startsWith('-')
  const parsed = parseDecimal(isNegative ? text.slice(1) : text)
  return parsed && (isNegative ? negate(parsed) : parsed)
}

export function fromBaseUnits(raw: bigint, decimals: number): Decimal {
  return { digits: raw, scale: decimals }
}

/** Whether two numbers as texts are the same, however many zeros they end with; no text of anything else is. */
export function isSameNumber(a: string | null | undefined, b: string | null | undefined): boolean {
  const [x, y] = [toDecimal(a ?? ''), toDecimal(b ?? '')]
  return x !== null && y !== null && isEqual(x, y)
}

/** Base units of a token; null when the number is finer than the token allows. */
export function toBaseUnits({ digits, scale }: Decimal, decimals: number): bigint | null {
  if (scale <= decimals) return digits * 10n ** BigInt(decimals - scale)
  const divisor = 10n ** BigInt(scale - decimals)
  return digits % divisor === 0n ? digits / divisor : null
}

/** Whole base units of a token within a number that is not negative. */
export function floorBaseUnits({ digits, scale }: Decimal, decimals: number): bigint {
  const shift = 10n ** BigInt(Math.abs(decimals - scale))
  return scale <= decimals ? digits * shift : digits / shift
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  return { digits: atScale(a, scale) + atScale(b, scale), scale }
}

export function sumDecimals(numbers: readonly Decimal[]): Decimal {
  return numbers.reduce(addDecimals, noAmount)
}

export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  return addDecimals(a, negate(b))
}

export function negate({ digits, scale }: Decimal): Decimal {
  return { digits: -digits, scale }
}

/** Negative, zero or positive, as for sorting. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const { digits } = subtractDecimals(a, b)
  return digits < 0n ? -1 : digits > 0n ? 1 : 0
}

/** The digits of both at the scale of the finer one. */
export function sameScale(a: Decimal, b: Decimal): [bigint, bigint] {
  const scale = Math.max(a.scale, b.scale)
  return [atScale(a, scale), atScale(b, scale)]
}

export function isEqual(a: Decimal, b: Decimal): boolean {
  return compareDecimals(a, b) === 0
}

/** A list may leave out digits behind the last one that it shows. */
export function isShownAs(exact: Decimal, shown: Decimal): boolean {
  const rest = subtractDecimals(exact, shown)
  return compareDecimals(rest.digits < 0n ? negate(rest) : rest, { digits: 1n, scale: shown.scale }) < 0
}

/** @example formatDecimal({ digits: -1500n, scale: 3 }) // '-1.5' */
export function formatDecimal({ digits, scale }: Decimal): string {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0')
  const fraction = text.slice(text.length - scale).replace(/0+$/, '')
  const whole = text.slice(0, text.length - scale)
  return `${digits < 0n ? '-' : ''}${whole}${scale === 0 || fraction === '' ? '' : `.${fraction}`}`
}

function atScale({ digits, scale }: Decimal, target: number): bigint {
  // Most amounts are of one token.
  return scale === target ? digits : digits * 10n ** BigInt(target - scale)
}
