import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { instant, int, type Read, table, text, texts } from '../../store/table.ts'

const newSilences = table('silences', {
  /** As written: `kind="transfer.stalled"`. All must match. */
  matchers: texts,
  startsAt: instant,
  endsAt: instant,
  author: text,
  comment: text,
  createdAt: instant,
})
const silences = table('silences', {
  id: int,
  ...newSilences.shape,
  /** When somebody ended it early; `endsAt` is then the same. */
  expiredAt: instant.orNull(),
})
export type SilenceRow = Read<typeof silences>

/** Returns its id. */
export function insertSilence(db: Database, row: Omit<SilenceRow, 'id' | 'expiredAt'>): number {
  const result = db.prepare(`INSERT ${newSilences.into}`).run(...newSilences.values(row))
  return Number(result.lastInsertRowid)
}

export function getSilence(db: Database, id: number): SilenceRow | null {
  return silences.get(db, 'SELECT * FROM silences WHERE id = ?', id)
}

/** Those that hold at `now`, in the order in which they were made. */
export function listSilencesAt(db: Database, now: UnixMs): SilenceRow[] {
  const sql = 'SELECT * FROM silences WHERE ends_at > ?1 AND starts_at <= ?1 ORDER BY id'
  return silences.all(db, sql, now)
}

/** Those that end after `since`, newest first: `since` now leaves out what is over. */
export function listSilences(db: Database, query: { since: UnixMs; limit: number }): SilenceRow[] {
  const sql = 'SELECT * FROM silences WHERE ends_at > ? ORDER BY id DESC LIMIT ?'
  return silences.all(db, sql, query.since, query.limit)
}

export function endSilence(db: Database, id: number, now: UnixMs): void {
  db.prepare(
    'UPDATE silences SET starts_at = MIN(starts_at, ?2), ends_at = ?2, expired_at = ?2 WHERE id = ?1',
  ).run(id, now)
}

export function countSilencesAfter(db: Database, now: UnixMs): number {
  return int.get(db, 'SELECT COUNT(*) FROM silences WHERE ends_at > ?', now) ?? 0
}

export function purgeSilences(db: Database, before: UnixMs): number {
  return Number(db.prepare('DELETE FROM silences WHERE ends_at < ?').run(before).changes)
}
