import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { hash } from '../../store/hash.ts'
import { columns, instant, int, table } from '../../store/table.ts'
import { formatKey, parseKey } from './transferRows.ts'

/** A transfer whose record was not where it should be, and the reads since that did not find it. */
export interface MissingRecord {
  readonly key: string
  readonly reads: number
  readonly firstAt: UnixMs | null
  readonly lastAt: UnixMs | null
}

export interface MissingRecords {
  /**
   * Looks through transfers in the order of their origin for those that a complete pass over the list did not show, and
   * puts them down to be read again.
   * @returns where to look on from; null when all of the span was looked at
   */
  scan(span: ScanSpan, now: UnixMs): ScanSpan | null
  listDue(now: UnixMs, limit: number): MissingRecord[]
  save(missing: MissingRecord, dueAt: UnixMs): void
  remove(key: string): void
  /** Main and zone hash of the newest transfer that was just read: a question whose answer is known. */
  findControl(): { readonly mainHash: string; readonly zoneHash: string } | null
}

export interface ScanSpan {
  readonly from: UnixMs
  readonly until: UnixMs
  /** What was read by a request of this number or a later one is there. */
  readonly readBefore: UnixMs
}

/** Transfers looked at in one step. */
const stepSize = 2_000
/** So many are looked for at once: of a list in trouble the rest waits. */
const maxMissing = 1_000
/** How many reads have to miss a record before it is told; it is read again now and then from then on. */
export const neededReads = 3

const readings = table('transfers', { key: int, originAt: instant, readAt: int })
const missing = table('missing_records', {
  key: int,
  reads: int,
  firstAt: instant.orNull(),
  lastAt: instant.orNull(),
})
const hashes = columns({ mainHash: hash, zoneHash: hash })

/** @param seenAt when a transfer was last shown, where that is not stored yet */
export function createMissingRecords(db: Database, seenAt: (key: string) => UnixMs | null): MissingRecords {
  const isKnown = (key: number) => int.get(db, 'SELECT 1 FROM missing_records WHERE key = ?', key) === 1
  return {
    scan({ from, until, readBefore }, now) {
      const sql =
        'SELECT key, origin_at, read_at FROM transfers WHERE origin_at >= ? AND origin_at < ? ORDER BY origin_at LIMIT ?'
      const rows = readings.all(db, sql, from, until, stepSize)
      const looked = 'SELECT COUNT(*) FROM missing_records WHERE reads < ?'
      const room = Math.max(maxMissing - (int.get(db, looked, neededReads) ?? 0), 0)
      const missed = rows.filter(
        ({ key, readAt }) => Math.max(readAt, seenAt(formatKey(key)) ?? 0) < readBefore,
      )
      const unseen = missed.filter(({ key }) => !isKnown(key))
      const insert = db.prepare(
        'INSERT OR IGNORE INTO missing_records (key, due_at, reads, first_at, last_at) VALUES (?, ?, 0, NULL, NULL)',
      )
      for (const { key } of unseen.slice(0, room)) insert.run(key, now)
      const [next] = unseen.slice(room)
      if (next !== undefined) return { from: Math.max(next.originAt, from), until, readBefore }
      const lastAt = rows.length < stepSize ? null : (rows.at(-1)?.originAt ?? null)
      // A whole step within one millisecond cannot be: but it must not be looked at for ever.
      return lastAt === null ? null : { from: Math.max(lastAt, from + 1), until, readBefore }
    },
    listDue: (now, limit) =>
      missing
        .all(db, 'SELECT * FROM missing_records WHERE due_at <= ? ORDER BY due_at LIMIT ?', now, limit)
        .map((row) => ({ ...row, key: formatKey(row.key) })),
    save({ key, reads, firstAt, lastAt }, dueAt) {
      db.prepare(
        'UPDATE missing_records SET due_at = ?, reads = ?, first_at = ?, last_at = ? WHERE key = ?',
      ).run(dueAt, reads, firstAt, lastAt, parseKey(key))
    },
    remove: (key) => {
      db.prepare('DELETE FROM missing_records WHERE key = ?').run(parseKey(key))
    },
    findControl() {
      // By when they arrived: a storm of failed ones, newer than all of these, is not gone through.
      const sql = `SELECT zone_hash, main_hash FROM transfers INDEXED BY transfers_destination WHERE destination_at IS NOT NULL
        AND state = 'completed' AND zone_hash IS NOT NULL AND main_hash IS NOT NULL
        AND key NOT IN (SELECT key FROM missing_records) ORDER BY destination_at DESC LIMIT 1`
      return hashes.get(db, sql)
    },
  }
}
