import { groupDigits } from './groupDigits.ts'

const mostDigits = 6

/**
 * A decimal amount for a narrow place: thousands separated, at most six digits behind the point (or as many as are
 * given), or the first two that are not 0. What was cut is marked; it is never rounded.
 * @example shortAmount('1250000.12345678') // '1,250,000.123456…'
 */
export function shortAmount(amount: string, most = mostDigits): string {
  const [whole = '', rest = ''] = groupDigits(amount).split('.')
  if (rest.length <= most) return groupDigits(amount)
  const first = rest.search(/[1-9]/)
  const isTiny = /^-?0$/.test(whole) && first >= most
  const kept = rest.slice(0, isTiny ? first + 2 : most)
  return `${whole}.${kept}${kept === rest ? '' : '…'}`
}

/** The same with its sign, for a difference. @example signedAmount('9590.32') // '+9,590.32' */
export function signedAmount(amount: string, most = mostDigits): string {
  const text = shortAmount(amount, most)
  if (/^-?[0.,]*$/.test(text)) return '0'
  return text.startsWith('-') ? `−${text.slice(1)}` : `+${text}`
}
