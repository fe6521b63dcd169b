import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { int } from '../store/table.ts'
import { type StoredTransfer, isOpenRow, selectTransfers } from './transferRows.ts'

export interface Window {
  readonly from: UnixMs
  readonly until: UnixMs
}

/** Told after each slice: the share of all, and how many they are. */
export type OnAdvance = (share: number, count: number) => void

/** Read at once: a report must not stop a poll. */
const sliceSize = 200

function listKeys(db: Database, where: string, ...values: readonly number[]): number[] {
  return int.all(db, `SELECT key FROM transfers WHERE ${where}`, ...values)
}

/**
 * Every transfer that was under way at some time of the window, in slices: what is on its way, what began in it, and
 * what began earlier and arrived in it or later. Each is found through an index, and once.
 */
export function* listSlicesUnderWay(
  db: Database,
  { from, until }: Window,
  onAdvance?: OnAdvance,
): Generator<StoredTransfer[]> {
  const keys = [
    ...listKeys(db, `${isOpenRow} AND state = 'pending' AND origin_at < ?`, until),
    ...listKeys(db, "state IN ('completed', 'failed') AND origin_at >= ? AND origin_at < ?", from, until),
    // The plus keeps the other index away, which would walk through all of history.
    ...listKeys(
      db,
      "destination_at >= ? AND +origin_at < ? AND state IN ('completed', 'failed')",
      from,
      from,
    ),
  ]
  for (let start = 0; start < keys.length; start += sliceSize) {
    const slice = JSON.stringify(keys.slice(start, start + sliceSize))
    yield selectTransfers(db, 'WHERE key IN (SELECT value FROM json_each(?))', slice)
    const done = Math.min(start + sliceSize, keys.length)
    onAdvance?.(done / keys.length, done)
  }
}
