/** Amounts have no more digits behind the point. */
const mostDecimals = 77

/** An amount, such as '1.5', in units of which 10 to the power of `by` make one: '1500'. Null where that is no whole number. */
export function raise(amount: string, by: number): string | null {
  const [whole = '', fraction = ''] = amount.split('.')
  if (by < fraction.length || by > mostDecimals) return null
  const digits = whole + fraction.padEnd(by, '0')
  return digits.startsWith('0') ? digits.replace(/^0+(?=\d)/, '') : digits
}

/** A whole number in units that are as many times larger, without zeros at its end. Null where it is no whole number. */
export function lower(amount: string, by: number): string | null {
  if (by < 1 || by > mostDecimals || amount.includes('.')) return null
  const digits = amount.padStart(by + 1, '0')
  const fraction = digits.slice(-by).replace(/0+$/, '')
  return `${digits.slice(0, -by)}${fraction === '' ? '' : `.${fraction}`}`
}

/** By how much the first amount is to be raised to be the second, to the letter; null where it cannot be. */
export function raiseBy(from: string, to: string): number | null {
  if (to.includes('.')) return null
  const by = countDecimals(from) + to.length - countDigits(from)
  return raise(from, by) === to ? by : null
}

export function lowerBy(from: string, to: string): number | null {
  if (from.includes('.')) return null
  const by = countDecimals(to) + from.length - countDigits(to)
  return lower(from, by) === to ? by : null
}

function countDecimals(amount: string): number {
  const point = amount.indexOf('.')
  return point === -1 ? 0 : amount.length - 1 - point
}

/** Without zeros at the beginning. */
function countDigits(amount: string): number {
  if (!amount.startsWith('0')) return amount.includes('.') ? amount.length - 1 : amount.length
  return amount.replace('.', '').replace(/^0+/, '').length
}
