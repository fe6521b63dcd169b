import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import { z } from 'zod'
import type { UnixMs } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import type { Database } from './database.ts'
import { noteMisread } from './misread.ts'
import type { Names } from './packForm.ts'
import { unpack } from './unpack.ts'
import { placeOfUnreadable, tableOf, toUnreadable } from './unreadable.ts'
import { toJson } from '../lib/toJson.ts'

type Cell = SQLOutputValue | undefined
export type Row = Readonly<Record<string, Cell>>
/** `ANY` holds each value as it is: text of before, bytes of now. */
type StorageClass = 'TEXT' | 'INTEGER' | 'REAL' | 'ANY'

/** How a value stands in a column. */
export interface Codec<T> {
  readonly type: StorageClass
  readonly isNullable: boolean
  /** What a cell has to be, for the error that says what was found instead. */
  readonly expected: string
  /** The column's name where it is not the key in snake case. */
  readonly column: string | null
  /** Undefined when the cell cannot be read. */
  readonly read: (cell: Cell) => T | undefined
  write(value: T): SQLInputValue
  orNull(): Codec<T | null>
  from(column: string): Codec<T>
  /** What cannot be read is this: for rows that must not hold others back. */
  orElse(value: T): Codec<T>
  /** The first column of a query's first row; null without one. */
  get(db: Database, sql: string, ...values: SQLInputValue[]): T | null
  /** The first column of a query's rows. */
  all(db: Database, sql: string, ...values: SQLInputValue[]): T[]
}

type Shape = Readonly<Record<string, Codec<unknown>>>
type ValueOf<C> = C extends Codec<infer T> ? T : never
type RowOf<S extends Shape> = { readonly [Key in keyof S]: ValueOf<S[Key]> }

/** What the rows of a query hold, by the names that the program gives it. */
export interface Columns<S extends Shape> {
  readonly shape: S
  /** @throws MonitorError `state.invalid` for a row that is not so: the file of the ledger is not to be trusted */
  read(row: Row): RowOf<S>
  get(db: Database, sql: string, ...values: SQLInputValue[]): RowOf<S> | null
  all(db: Database, sql: string, ...values: SQLInputValue[]): RowOf<S>[]
  /** Those that can be read; the others are noted. For where a row that is not there lets nobody accuse, and nothing end. */
  readable(db: Database, sql: string, ...values: SQLInputValue[]): RowOf<S>[]
  /** For SELECT; of a table that goes by another name in the query. */
  list(alias?: string): string
}

/** Columns of a table, all of them or some. */
export interface Table<S extends Shape> extends Columns<S> {
  readonly name: string
  /** `INTO alerts (id, rule) VALUES (?, ?)`, for `values`. */
  readonly into: string
  /** `rule = ?, kind = ?`, for UPDATE. */
  readonly set: string
  values(row: RowOf<S>): SQLInputValue[]
}

/** What a description reads. */
export type Read<C> =
  C extends Codec<infer T> ? T : C extends { readonly shape: infer S extends Shape } ? RowOf<S> : never

/** @param read undefined when the cell cannot be read */
export function codec<T>(of: {
  readonly type: StorageClass
  readonly expected: string
  readonly read: (cell: Cell) => T | undefined
  readonly write: (value: T) => SQLInputValue
}): Codec<T> {
  return createCodec({ ...of, isNullable: false, column: null })
}

type CodecParts<T> = Pick<Codec<T>, 'type' | 'isNullable' | 'expected' | 'column' | 'read' | 'write'>

function createCodec<T>(parts: CodecParts<T>): Codec<T> {
  const { read, write, expected } = parts
  const readFirst = (row: Row, sql: string): T => {
    for (const name in row) {
      const value = read(row[name])
      return value === undefined ? refuse(tableOf(sql), name, expected, row) : value
    }
    return refuse(tableOf(sql), '', expected, {})
  }
  return {
    ...parts,
    orNull: () =>
      createCodec({
        ...parts,
        isNullable: true,
        expected: `${expected} or NULL`,
        read: (cell) => (cell === null ? null : read(cell)),
        write: (value: T | null) => (value === null ? null : write(value)),
      }),
    from: (name) => createCodec({ ...parts, column: name }),
    orElse: (value) =>
      createCodec({ ...parts, read: (cell) => (cell === undefined ? cell : (read(cell) ?? value)) }),
    get(db, sql, ...values) {
      const row = db.prepare(sql).get(...values)
      return row ? readFirst(row, sql) : null
    },
    all: (db, sql, ...values) =>
      db
        .prepare(sql)
        .all(...values)
        .map((row) => readFirst(row, sql)),
  }
}

export const text = codec({
  type: 'TEXT',
  expected: 'text',
  read: (cell) => (typeof cell === 'string' ? cell : undefined),
  write: (value: string) => value,
})

/** What `pack` wrote, or the JSON text that stood there before. */
export const packed = codec({
  type: 'ANY',
  expected: 'packed bytes, or JSON',
  read: (cell) => (typeof cell === 'string' || cell instanceof Uint8Array ? cell : undefined),
  write: (value: string | Uint8Array) => value,
})

/** @param known as it was given to `pack`, and `names`. Undefined when it cannot be read. */
export function readPacked(
  cell: string | Uint8Array,
  known: readonly string[] = [],
  names: Names | null = null,
  times: readonly number[] = [],
): unknown {
  if (typeof cell === 'string') return parseJson(cell)
  try {
    return unpack(cell, known, names, times)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const readInteger = (cell: Cell) => (Number.isSafeInteger(cell) ? Number(cell) : undefined)

export const int = codec({
  type: 'INTEGER',
  expected: 'an integer',
  read: readInteger,
  write: (value: number) => value,
})

export const instant = codec({
  type: 'INTEGER',
  expected: 'a time in ms',
  read: readInteger,
  write: (at: UnixMs) => at,
})

export const real = codec({
  type: 'REAL',
  expected: 'a number',
  read: (cell) => (typeof cell === 'number' ? cell : undefined),
  write: (value: number) => value,
})

export const flag = codec({
  type: 'INTEGER',
  expected: '0 or 1',
  read: (cell) => (cell === 1 ? true : cell === 0 ? false : undefined),
  write: (value: boolean) => (value ? 1 : 0),
})

/** Integers of any size: SQLite's own end at 2^63. */
export const bigintText = codec({
  type: 'TEXT',
  expected: 'an integer as text',
  read: (cell) => (typeof cell === 'string' && /^-?\d+$/.test(cell) ? BigInt(cell) : undefined),
  write: (value: bigint) => String(value),
})

/** One of some words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): Codec<Word> {
  const known = new Map<unknown, Word>(words.map((word) => [word, word]))
  return codec({
    type: 'TEXT',
    expected: `one of ${words.join(', ')}`,
    read: (cell) => known.get(cell),
    write: (value: Word) => value,
  })
}

/** JSON of a schema, bigints as text. */
export function json<T>(schema: z.ZodType<T>): Codec<T> {
  return codec({
    type: 'TEXT',
    expected: 'JSON of its schema',
    read: (cell) => (typeof cell === 'string' ? schema.safeParse(parseJson(cell)).data : undefined),
    write: (value: T) => toJson(value),
  })
}

export const texts = json(z.array(z.string()).readonly())
export const ints = json(z.array(z.int()).readonly())

/** JSON as this program writes a T. Of that no more is checked than that it has what is `needed`: a schema costs at every reading. */
export function jsonOf<T extends object>(...needed: readonly (keyof T & string)[]): Codec<T> {
  return codec({
    type: 'TEXT',
    expected: `a JSON object${needed.length > 0 ? ` with ${needed.join(', ')}` : ''}`,
    read(cell) {
      const value = typeof cell === 'string' ? parseJson(cell) : undefined
      const isGood = typeof value === 'object' && value !== null && needed.every((name) => name in value)
      return isGood ? (value as T) : undefined
    },
    write: (value: T) => JSON.stringify(value),
  })
}

/** Undefined when the text is no JSON. */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** What a query gives. */
export function columns<S extends Shape>(shape: S): Columns<S> {
  return describe(null, shape)
}

/** Every table that is described, for the test that holds them against the migrations. */
export const describedTables: Table<Shape>[] = []

export function table<S extends Shape>(name: string, shape: S): Table<S> {
  const own = describe(name, shape)
  const keys = Object.entries(shape)
  const described: Table<S> = {
    ...own,
    name,
    into: `INTO ${name} (${own.list()}) VALUES (${keys.map(() => '?').join(', ')})`,
    set: keys.map(([key, codec]) => `${columnOf(key, codec)} = ?`).join(', '),
    values: (row) => keys.map(([key, codec]) => codec.write(row[key])),
  }
  describedTables.push(described)
  return described
}

function describe<S extends Shape>(name: string | null, shape: S): Columns<S> {
  const fields = Object.entries(shape).map(([key, codec]) => ({
    key,
    column: columnOf(key, codec),
    read: codec.read,
    expected: codec.expected,
  }))
  const readOf = (row: Row, sql: string) => {
    const value: Record<string, unknown> = {}
    for (const { key, column, read, expected } of fields) {
      const found = read(row[column])
      value[key] = found === undefined ? refuse(name ?? tableOf(sql), column, expected, row) : found
    }
    // Each key was read by its own codec: the one place where the types are said and not shown.
    return value as RowOf<S>
  }
  return {
    shape,
    read: (row) => readOf(row, ''),
    get(db, sql, ...values) {
      const row = db.prepare(sql).get(...values)
      return row ? readOf(row, sql) : null
    },
    all: (db, sql, ...values) =>
      db
        .prepare(sql)
        .all(...values)
        .map((row) => readOf(row, sql)),
    readable(db, sql, ...values) {
      const rows: RowOf<S>[] = []
      for (const row of db.prepare(sql).all(...values)) {
        try {
          rows.push(readOf(row, sql))
        } catch (error) {
          const place = placeOfUnreadable(error)
          if (place === null) throw error
          noteMisread(db, place)
        }
      }
      return rows
    },
    list: (alias) => fields.map(({ column }) => (alias ? `${alias}.${column}` : column)).join(', '),
  }
}

/** The column that a key of a description stands for. */
export function columnOf(key: string, { column }: Pick<Codec<unknown>, 'column'>): string {
  return column ?? key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function refuse(place: string, column: string, expected: string, row: Row): never {
  const cell = row[column]
  if (cell === undefined)
    throw new MonitorError('state.invalid', `A row of ${place} has no column ${column}.`)
  const found = typeof cell === 'string' ? JSON.stringify(cell.slice(0, 40)) : String(cell)
  throw toUnreadable(
    `${place}${nameRow(row, column)}, column ${column}`,
    `expected ${expected}, found ${found}`,
  )
}

/** By what stands first in it, which is mostly its key. */
function nameRow(row: Row, column: string): string {
  const [name, first] = Object.entries(row)[0] ?? []
  if (name === undefined || name === column || first instanceof Uint8Array) return ''
  return `, row of ${name} ${String(first).slice(0, 80)}`
}
