import type { SQLOutputValue } from 'node:sqlite'
import type { Database } from '../store/database.ts'
import { readMetaNumber, saveMeta } from '../store/meta.ts'
import { int } from '../store/table.ts'
import { readWaitingHistory } from './historyMarks.ts'

/** Tables ordered by time, whose key their first columns are, and of so many. */
const tables = { flow_steps: 4, flow_slots: 4, flow_amounts: 4, latency_steps: 4 } as const
type Name = keyof typeof tables
const names = Object.keys(tables) as readonly Name[]

/** So many rows fill pages as those that come in their order do. */
const atOnce = 500

/**
 * A history is read from its newest end, which leaves the pages of what is ordered by time half full. Once it is read, rows that
 * are older than any were before are taken out and put in again in their order, some at each call: what they say stays the same.
 * @returns whether there is more
 */
export function createPackingByTime(db: Database): () => boolean {
  let left: readonly Name[] = names
  let behind: readonly SQLOutputValue[] | null = null
  return () => {
    const [name] = left
    if (readWaitingHistory(db) !== null || name === undefined) {
      left = names
      return false
    }
    db.transaction(() => {
      behind = packSome(db, name, behind)
      if (behind === null) left = left.slice(1)
    })
    return true
  }
}

/** @returns the key to go on behind; null at the end */
function packSome(
  db: Database,
  name: Name,
  behind: readonly SQLOutputValue[] | null,
): readonly SQLOutputValue[] | null {
  const mark = `packed_${name}`
  const oldest = int.orNull().get(db, `SELECT min(at) FROM ${name}`)
  const until = readMetaNumber(db, mark) ?? Number.MAX_SAFE_INTEGER
  const [first] = db.prepare(`SELECT * FROM ${name} LIMIT 1`).all()
  if (oldest === null || first === undefined) return null
  const columns = Object.keys(first)
  const key = columns.slice(0, tables[name])
  const each = (of: readonly string[], other = of.map(() => '?')) => `(${of.join()}) > (${other.join()})`
  const sql = `SELECT * FROM ${name} WHERE at < ?${behind === null ? '' : ` AND ${each(key)}`} ORDER BY ${key.join()} LIMIT ${atOnce}`
  const rows = db.prepare(sql).all(until, ...(behind ?? []))
  const forget = db.prepare(`DELETE FROM ${name} WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}`)
  const insert = db.prepare(`INSERT INTO ${name} VALUES (${columns.map(() => '?').join()})`)
  const cellsOf = (row: Readonly<Record<string, SQLOutputValue>>, of: readonly string[]) =>
    of.map((column) => toCell(row[column] ?? null))
  for (const row of rows) forget.run(...cellsOf(row, key))
  for (const row of rows) insert.run(...cellsOf(row, columns))
  const last = rows.at(-1)
  if (rows.length === atOnce && last !== undefined) return cellsOf(last, key)
  saveMeta(db, mark, String(oldest))
  return null
}

/** A number that is no bigint would be stored as a floating one. */
function toCell(cell: SQLOutputValue): SQLOutputValue {
  return typeof cell === 'number' ? BigInt(cell) : cell
}
