import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { columns, instant, int, type Read } from '../store/table.ts'
import { type StoredTransfer, isOpenRow, selectTransfers } from './transferRows.ts'

export interface Window {
  readonly from: UnixMs
  readonly until: UnixMs
}

/** Told after each slice: the share of all, and how many they are. */
export type OnAdvance = (share: number, count: number) => void

/** Read at once: a report must not stop a poll. */
const sliceSize = 200
const keysAtOnce = 5_000

const places = columns({ key: int, at: instant })

/**
 * Every transfer that was under way at some time of the window, in slices: what is on its way, what began in it, and
 * what began earlier and arrived in it or later. Each is found through an index, and once. Whoever reads may let others
 * run between two slices; some are empty.
 */
export function* listSlicesUnderWay(
  db: Database,
  { from, until }: Window,
  onAdvance?: OnAdvance,
): Generator<StoredTransfer[]> {
  const keys = new Set<number>()
  const of: readonly Part[] = [
    {
      at: 'origin_at',
      since: 0,
      where: `${isOpenRow} AND state = 'pending' AND origin_at < ?3`,
      value: until,
    },
    {
      at: 'origin_at',
      since: from,
      where: "state IN ('completed', 'failed') AND origin_at < ?3",
      value: until,
    },
    // The plus keeps the other index away, which would walk through all of history.
    {
      at: 'destination_at',
      since: from,
      where: "state IN ('completed', 'failed') AND +origin_at < ?3",
      value: from,
    },
  ]
  for (const part of of)
    for (const page of listKeys(db, part)) {
      for (const key of page) keys.add(key)
      yield []
    }
  const all = [...keys]
  for (let start = 0; start < all.length; start += sliceSize) {
    const slice = JSON.stringify(all.slice(start, start + sliceSize))
    yield selectTransfers(db, 'WHERE key IN (SELECT value FROM json_each(?))', slice)
    const done = Math.min(start + sliceSize, all.length)
    onAdvance?.(done / all.length, done)
  }
}

interface Part {
  /** The column of the index that it goes by, from `since` on. */
  readonly at: string
  readonly since: UnixMs
  readonly where: string
  readonly value: UnixMs
}

/** Keys in the order of an index, a page at a time. */
function* listKeys(db: Database, { at, since, where, value }: Part): Generator<number[]> {
  const sql = `SELECT key, ${at} AS at FROM transfers WHERE ${at} >= ?1 AND (${at} > ?1 OR key > ?2) AND ${where}
    ORDER BY ${at}, key LIMIT ?4`
  for (let last: Read<typeof places> | undefined = { key: -1, at: since }; last; ) {
    const page: Read<typeof places>[] = places.all(db, sql, last.at, last.key, value, keysAtOnce)
    yield page.map(({ key }) => key)
    last = page.length < keysAtOnce ? undefined : page.at(-1)
  }
}
