const plainNumber = /^-?\d+(\.\d+)?$/

/**
 * One line of CSV (RFC 4180), safe to open in a spreadsheet: a cell that a spreadsheet could take for a formula gets
 * a leading apostrophe, unless it is a plain number.
 */
export function toCsvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

function toCell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const safe = /^[=+\-@\t\r\0]/.test(text) && !plainNumber.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
