import type { Database } from './database.ts'
import type { Names } from './packForm.ts'
import { codec, columns, int, text } from './table.ts'

/*
 * Texts that come back in many rows, such as addresses of tokens: a row holds the number of one. A number stands for the
 * same text for good.
 */

/** A text, or the number that it goes by: rows of before hold the text. */
export const nameCell = codec({
  type: 'ANY',
  expected: 'the number of a name, or a text',
  read: (cell) =>
    typeof cell === 'string' || (typeof cell === 'number' && Number.isSafeInteger(cell)) ? cell : undefined,
  write: (value: number | string) => (typeof value === 'number' ? BigInt(value) : value),
})

/** Tokens come from the chain, where anybody can make more: no more of them get a number to be packed by, or are kept in memory. */
const mostNames = 4_096

interface Book extends Names {
  /** As `Database.rollbacks` was: a number that was given since may have come to nothing, and stand for another text by now. */
  readonly rollbacks: number
  readonly numbers: Map<string, number>
  readonly texts: Map<number, string>
}

const books = new WeakMap<Database, Book>()
const rows = columns({ id: int, name: text })

/** What rows are packed with, and unpacked: to be asked for anew with each, not to be kept. */
export function namesOf(db: Database): Names {
  return bookOf(db)
}

function bookOf(db: Database): Book {
  const known = books.get(db)
  const rollbacks = db.rollbacks()
  if (known?.rollbacks === rollbacks) return known
  const numbers = new Map<string, number>()
  const texts = new Map<number, string>()
  const book: Book = {
    rollbacks,
    numbers,
    texts,
    numberOf: (name) => numbers.get(name),
    nameOf: (number) => texts.get(number) ?? findName(db, book, number),
  }
  for (const { id, name } of rows.all(db, 'SELECT id, name FROM names ORDER BY id LIMIT ?', mostNames))
    keep(book, id, name)
  books.set(db, book)
  return book
}

function keep({ numbers, texts }: Book, id: number, name: string): void {
  if (numbers.size >= mostNames) return
  numbers.set(name, id)
  texts.set(id, name)
}

/** The number of a text, which it is given now if it has none. Inside a transaction. */
export function nameNumber(db: Database, name: string): number {
  const book = bookOf(db)
  const known = book.numbers.get(name)
  if (known !== undefined) return known
  const id =
    int.get(db, 'SELECT id FROM names WHERE name = ?', name) ??
    Number(db.prepare('INSERT INTO names (name) VALUES (?)').run(name).lastInsertRowid)
  keep(book, id, name)
  return id
}

/** As a row keeps a name. A number that is no bigint would be stored as a floating one, in eight bytes. */
export function toNameCell(db: Database, name: string): bigint {
  return BigInt(nameNumber(db, name))
}

/** Gives numbers to what is going to come back, as long as there are few: what has none is packed as it is. Inside a transaction. */
export function learnNames(db: Database, names: Iterable<string>): void {
  const { numbers } = bookOf(db)
  for (const name of names) if (numbers.size < mostNames && !numbers.has(name)) nameNumber(db, name)
}

/** One that was given by another process, or is one of too many. */
function findName(db: Database, book: Book, number: number): string | undefined {
  const name = text.get(db, 'SELECT name FROM names WHERE id = ?', number) ?? undefined
  if (name !== undefined) keep(book, number, name)
  return name
}

/** The text of a cell; undefined when it is no name. */
export function nameText(names: Names, cell: unknown): string | undefined {
  return typeof cell === 'number' ? names.nameOf(cell) : typeof cell === 'string' ? cell : undefined
}

/** In SQL: the number of the text that a parameter gives; NULL while there is none. */
export const numberOf = (given: string) => `(SELECT id FROM names WHERE name = ${given})`

/** In SQL: the text of a number. */
export const nameOf = (column: string) => `(SELECT name FROM names WHERE id = ${column})`

/** In SQL: the text of a column that may hold it as a number. */
export const nameTextOf = (column: string) =>
  `iif(typeof(${column}) = 'integer', ${nameOf(column)}, ${column})`

/** In SQL: whether such a column holds the text that a parameter gives, which is asked for twice. */
export const isName = (column: string, given: string) => `${column} IN (${given}, ${numberOf(given)})`
