import type { SQLOutputValue } from 'node:sqlite'
import type { Database } from '../../store/database.ts'
import { readMetaNumber, saveMeta } from '../../store/meta.ts'
import { int, type Row } from '../../store/table.ts'
import { readWaitingHistory } from '../lessons/historyMarks.ts'

/** A table with rows, or an index, in the order of time. */
interface Ordered {
  readonly table: string
  /** By which columns, which name a row together; the one with the time is among them. */
  readonly order: readonly string[]
  readonly time: string
  /** What takes a row out of its place, by `order`, and back into it, by all its columns; left out, it is deleted and inserted. */
  readonly out?: string
  readonly back?: readonly [sql: string, ...columns: string[]]
}

const flow = { order: ['at', 'token', 'direction', 'side'], time: 'at' }
const all: readonly Ordered[] = [
  { table: 'flow_steps', ...flow },
  { table: 'flow_slots', ...flow },
  { table: 'flow_amounts', order: ['at', 'token', 'direction', 'amount'], time: 'at' },
  { table: 'latency_steps', order: ['at', 'token', 'direction', 'class'], time: 'at' },
  { table: 'escrow_legs', order: ['token', 'zone_time', 'key'], time: 'zone_time' },
  {
    // The indexes alone: rows stay where they are.
    table: 'transfers',
    order: ['origin_at', 'key'],
    time: 'origin_at',
    out: 'UPDATE transfers SET origin_at = -1 - origin_at, destination_at = NULL WHERE origin_at = ? AND key = ?',
    back: [
      'UPDATE transfers SET origin_at = ?, destination_at = ? WHERE key = ?',
      'origin_at',
      'destination_at',
      'key',
    ],
  },
]

/** So many rows fill pages as those that come in their order do. */
const atOnce = 500

/**
 * A history is read from its newest end, which leaves the pages of what is ordered by time half full. Once it is read, rows that
 * are older than any were before are taken out and put in again in their order, some at each call: what they say stays the same.
 * @returns whether there is more
 */
export function createPackingByTime(db: Database): () => boolean {
  let left = all
  let behind: readonly SQLOutputValue[] | null = null
  return () => {
    if (readWaitingHistory(db) !== null) {
      left = all
      behind = null
      return false
    }
    const [next] = left
    if (next === undefined) return false
    db.transaction(() => {
      behind = packSome(db, next, behind)
      if (behind === null) left = left.slice(1)
    })
    return true
  }
}

/** @returns where to go on; null at the end */
function packSome(
  db: Database,
  { table, order, time, out, back }: Ordered,
  behind: readonly SQLOutputValue[] | null,
): readonly SQLOutputValue[] | null {
  const mark = `packed_${table}`
  const marks = (of: readonly string[]) => of.map(() => '?').join()
  const isBehind = behind === null ? '' : ` AND (${order.join()}) > (${marks(order)})`
  const rows = db
    .prepare(`SELECT * FROM ${table} WHERE ${time} < ?${isBehind} ORDER BY ${order.join()} LIMIT ${atOnce}`)
    .all(readMetaNumber(db, mark) ?? Number.MAX_SAFE_INTEGER, ...(behind ?? []))
  const [first] = rows
  if (first !== undefined) {
    const columns = Object.keys(first)
    const takeOut =
      out ?? `DELETE FROM ${table} WHERE ${order.map((column) => `${column} = ?`).join(' AND ')}`
    const [putBack, ...cells] = back ?? [`INSERT INTO ${table} VALUES (${marks(columns)})`, ...columns]
    for (const row of rows) db.prepare(takeOut).run(...cellsOf(row, order))
    for (const row of rows) db.prepare(putBack).run(...cellsOf(row, cells))
  }
  const last = rows.at(-1)
  if (rows.length === atOnce && last !== undefined) return cellsOf(last, order)
  const oldest = int.orNull().get(db, `SELECT min(${time}) FROM ${table}`)
  if (oldest !== null) saveMeta(db, mark, String(oldest))
  return null
}

function cellsOf(row: Row, columns: readonly string[]): SQLOutputValue[] {
  return columns.map((column) => {
    const cell = row[column] ?? null
    // A number that is no bigint would be stored as a floating one.
    return typeof cell === 'number' ? BigInt(cell) : cell
  })
}
