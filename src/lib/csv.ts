const plainNumber = /^-?\d+(\.\d+)?$/

/** What begins a formula, in its full-width, small and raised forms too. */
const formulaSigns = '=+\\-@＝＋－＠﹢﹣﹦﹫⁺⁻⁼₊₋₌−⩵⩶﬩'
const blank = String.raw`[\s\p{Cc}\p{Default_Ignorable_Code_Point}]`
const opensCell = new RegExp(`^(?=[\\t\\r\\0]|${blank}*[${formulaSigns}])`, 'u')
/** A program that separates by these, or by lines alone, sees a cell begin behind them, quoted or not. */
const opensPart = new RegExp(`([;|\\t\\r\\n]${blank}*)(?=[${formulaSigns}])`, 'gu')

/**
 * One line of CSV (RFC 4180), safe to open in a spreadsheet, whatever it takes for a separator: where a formula could
 * begin stands an apostrophe, unless the whole cell is a plain number.
 */
export function toCsvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

function toCell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const safe = plainNumber.test(text) ? text : text.replace(opensPart, "$1'").replace(opensCell, "'")
  return /[",;|\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
