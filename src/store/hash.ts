import { beginsAsHex, writeHex } from '../lib/hexDigits.ts'
import { codec } from './table.ts'

/** A hash, or an address, as a row keeps it: bytes; what is none stays text. */
export function toHashCell(text: string): Uint8Array | string {
  if ((text.length !== 66 && text.length !== 42) || !beginsAsHex(text)) return text
  const bytes = new Uint8Array(text.length / 2 - 1)
  return writeHex(text, bytes, 0) ? bytes : text
}

/**
 * A hash, or an address, alone and with its `0x`, of what people paste: without its `0x`, behind the name of its chain, as
 * an explorer's link, of which the first one counts. What is none stays as it is.
 * @example completeHash(`https://explorer.example.com/tx/${hash}?tab=logs`) // hash
 */
export function completeHash(text: string): string {
  const [, digits] = pasted.exec(text) ?? []
  return digits === undefined ? text : `0x${digits}`
}

const pasted =
  /^(?:(?:main|zone) |https?:\/\/\S*?[/=])?(?:0x)?([\da-f]{64}|[\da-f]{40})(?:[,;.)]|[/?#&]\S*)?$/i

export function fromHashCell(cell: unknown): string | undefined {
  if (typeof cell === 'string') return cell
  return cell instanceof Uint8Array
    ? `0x${Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength).toString('hex')}`
    : undefined
}

/** Rows of before hold it as text. */
export const hash = codec({ type: 'ANY', expected: 'a hash', read: fromHashCell, write: toHashCell })

/** How many bytes of each end an index keeps of a hash: they find candidates, the whole hash decides. */
export const indexedBytes = 4

/** What an index of a hash, or an id, is over. Names that were counted rather than hashed begin alike, or end alike. */
export const indexOfHash = (column: string) =>
  `unhex(hex(substr(${column}, 1, ${indexedBytes})) || hex(substr(${column}, -${indexedBytes})))`

/**
 * In SQL: whether a column holds the hash that a numbered parameter gives as text. What else is asked of the row wants a
 * plus where an index has it (`AND +token = …`): the planner takes one value for less than the two forms of a hash.
 */
export function isHash(column: string, given: string): string {
  const forms = [given, toBytes(given)]
  return `(${indexOfHash(column)} IN (${forms.map(indexOfHash).join(', ')}) AND ${column} IN (${forms.join(', ')}))`
}

/** In SQL: whether a column holds one of the hashes that a numbered parameter gives as a JSON list of texts. */
export function isAnyHash(column: string, given: string): string {
  const each = (of: (form: string) => string) =>
    ['value', toBytes('value')]
      .map((form) => `SELECT ${of(form)} FROM json_each(${given})`)
      .join(' UNION ALL ')
  // The plus keeps the planner from looking for an index of whole hashes.
  return `(${indexOfHash(column)} IN (${each(indexOfHash)}) AND +${column} IN (${each((form) => form)}))`
}

/** What an index has of a hash, or an id, as hex digits. */
export function endsOf(name: string): string {
  return typeof toHashCell(name) === 'string' ? endsOfText(name) : name.slice(2, 10) + name.slice(-8)
}

/** The same of one that a row of before holds as text, or whose text it is. */
export function endsOfText(name: string): string {
  // As SQLite counts them.
  const signs = Array.from(name)
  const ends = [...signs.slice(0, indexedBytes), ...signs.slice(-indexedBytes)]
  return Buffer.from(ends.join('')).toString('hex')
}

/**
 * In SQL: whether the index of a column has one of the ends that a numbered parameter gives as a JSON list. Others may have
 * the same: whoever asks compares the whole names.
 */
export function hasEnds(column: string, given: string): string {
  return `${column} IS NOT NULL AND ${indexOfHash(column)} IN (SELECT unhex(value) FROM json_each(${given}))`
}

/** In SQL: whether a column holds the address that a numbered parameter gives as text: as bytes or, in rows of before, as text. */
export function isAddress(column: string, given: string): string {
  return `${column} IN (${given}, ${toBytes(given)})`
}

/** The same of one of the addresses that a numbered parameter gives as a JSON list of texts. */
export function isAnyAddress(column: string, given: string): string {
  return `${column} IN (SELECT value FROM json_each(${given}) UNION ALL SELECT ${toBytes('value')} FROM json_each(${given}))`
}

/** Bytes of a text of hex digits; NULL for any other. */
function toBytes(text: string): string {
  return `unhex(substr(${text}, 3))`
}

/** In SQL: the text of a column that may hold it as bytes. */
export const textOfHash = (column: string) =>
  `iif(typeof(${column}) = 'blob', '0x' || lower(hex(${column})), ${column})`
