import { MonitorError } from '../../lib/errors.ts'

/** A part of a primary key. */
export type KeyValue = number | string | Uint8Array | null

/** The primary keys of the rows that a changeset touches, each once, by table. */
export type ChangedRows = ReadonlyMap<string, readonly (readonly KeyValue[])[]>

/**
 * The rows that an SQLite changeset inserts, changes or deletes. Its form is said at the head of sqlite3session.c: for each
 * table `T`, the number of columns, a byte a column (0 outside of the primary key, else its place in it) and the name;
 * then for each row the operation, whether a trigger did it, and one record, of a change two.
 * @throws MonitorError `state.invalid` for what is none
 */
export function changedRows(changeset: Uint8Array): ChangedRows {
  const reader: Reader = {
    bytes: Buffer.from(changeset.buffer, changeset.byteOffset, changeset.length),
    at: 0,
  }
  const found = new Map<string, Map<string, readonly KeyValue[]>>()
  let table: Table | null = null
  while (reader.at < reader.bytes.length) {
    const byte = readByte(reader)
    if (byte === tableMark) {
      table = readTable(reader)
      continue
    }
    if (table === null) throw broken(`a row before any table at byte ${reader.at - 1}`)
    reader.at += 1
    const key = readRow(reader, byte, table)
    const keys = found.get(table.name)
    const name = key.map(nameOf).join()
    if (keys === undefined) found.set(table.name, new Map([[name, key]]))
    else keys.set(name, key)
  }
  return new Map([...found].map(([name, keys]) => [name, [...keys.values()]]))
}

const tableMark = 0x54
const operations = { insert: 18, update: 23, delete: 9 } as const

interface Reader {
  readonly bytes: Buffer
  at: number
}

interface Table {
  readonly name: string
  /** By column: its place in the primary key from 1, or 0. */
  readonly places: Uint8Array
}

function readTable(reader: Reader): Table {
  const columns = readLength(reader)
  const places = take(reader, columns)
  const end = reader.bytes.indexOf(0, reader.at)
  if (end < 0) throw broken('a table without a name')
  const name = take(reader, end - reader.at).toString()
  reader.at += 1
  return { name, places }
}

function readRow(reader: Reader, operation: number, { places }: Table): KeyValue[] {
  switch (operation) {
    case operations.insert:
    case operations.delete:
      return keyOf(readRecord(reader, places.length), places)
    case operations.update: {
      const before = readRecord(reader, places.length)
      readRecord(reader, places.length)
      return keyOf(before, places)
    }
    default:
      throw broken(`operation ${operation} at byte ${reader.at - 2}`)
  }
}

function keyOf(record: readonly (KeyValue | undefined)[], places: Uint8Array): KeyValue[] {
  const key: KeyValue[] = []
  for (const [column, place] of places.entries()) {
    if (place === 0) continue
    const value = record[column]
    if (value === undefined) throw broken('a row without its key')
    key[place - 1] = value
  }
  return key
}

/** Undefined: not said, as of a column that did not change. */
function readRecord(reader: Reader, columns: number): (KeyValue | undefined)[] {
  return Array.from({ length: columns }, () => readValue(reader))
}

function readValue(reader: Reader): KeyValue | undefined {
  const type = readByte(reader)
  switch (type) {
    case 0:
      return undefined
    case 1:
      return Number(take(reader, 8).readBigInt64BE())
    case 2:
      return take(reader, 8).readDoubleBE()
    case 3:
      return take(reader, readLength(reader)).toString()
    case 4:
      return take(reader, readLength(reader))
    case 5:
      return null
    default:
      throw broken(`a value of type ${type} at byte ${reader.at - 1}`)
  }
}

/** SQLite's varint: seven bits a byte, the highest first; the ninth byte has eight. */
function readLength(reader: Reader): number {
  let value = 0
  for (let index = 0; index < 9; index += 1) {
    const byte = readByte(reader)
    if (index === 8) return value * 256 + byte
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) break
  }
  return value
}

function readByte(reader: Reader): number {
  const byte = reader.bytes[reader.at]
  if (byte === undefined) throw broken('it is cut off')
  reader.at += 1
  return byte
}

function take(reader: Reader, length: number): Buffer {
  const end = reader.at + length
  if (end > reader.bytes.length) throw broken('it is cut off')
  const part = reader.bytes.subarray(reader.at, end)
  reader.at = end
  return part
}

function nameOf(value: KeyValue): string {
  return typeof value === 'object' && value !== null
    ? `x${Buffer.from(value).toString('hex')}`
    : `${typeof value}:${JSON.stringify(value)}`
}

function broken(problem: string): MonitorError {
  return new MonitorError('state.invalid', `A recorded change cannot be read: ${problem}.`)
}
