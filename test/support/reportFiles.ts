/** The rows of a report's book by symbol, each by column. */
export type Book = Readonly<Record<string, Readonly<Record<string, string>>>>

/** `book-DAY.csv`, whose cells need no quotes where the tokens' names are plain. */
export function readBook(csv: string): Book {
  const [head = '', ...lines] = csv.trim().split(/\r?\n/)
  const columns = head.split(',')
  const rows = lines.map((line) =>
    Object.fromEntries(line.split(',').map((cell, at) => [columns[at] ?? '', cell])),
  )
  return Object.fromEntries(rows.map((row) => [row['symbol'] ?? '', row]))
}

/** Base units as the file writes them, by text alone. */
export function toUnits(raw: bigint, decimals: number): string {
  const digits = String(raw).padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return `${digits.slice(0, -decimals)}${fraction === '' ? '' : `.${fraction}`}`
}
