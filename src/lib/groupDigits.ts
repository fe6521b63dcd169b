/**
 * A decimal number with its thousands separated, every digit kept; what is none stays as it is.
 * @example groupDigits('1250000.5') // '1,250,000.5'
 */
export function groupDigits(amount: string): string {
  if (!/^-?\d+(\.\d+)?$/.test(amount)) return amount
  const [whole = '', ...rest] = amount.split('.')
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.')
}
