import type { UnixMs } from '../../lib/clock.ts'
import { numberOrNull } from './alertRows.ts'
import type { Database } from '../../store/database.ts'

export interface SilenceRow {
  readonly id: number
  /** As written: `kind="transfer.stalled"`. All must match. */
  readonly matchers: readonly string[]
  readonly startsAt: UnixMs
  readonly endsAt: UnixMs
  readonly author: string
  readonly comment: string
  readonly createdAt: UnixMs
  /** When somebody ended it early; `endsAt` is then the same. */
  readonly expiredAt: UnixMs | null
}

function toSilence(row: Record<string, unknown>): SilenceRow {
  return {
    id: Number(row['id']),
    // Written by insertSilence.
    matchers: JSON.parse(String(row['matchers'])) as string[],
    startsAt: Number(row['starts_at']),
    endsAt: Number(row['ends_at']),
    author: String(row['author']),
    comment: String(row['comment']),
    createdAt: Number(row['created_at']),
    expiredAt: numberOrNull(row['expired_at']),
  }
}

/** Returns its id. */
export function insertSilence(db: Database, row: Omit<SilenceRow, 'id' | 'expiredAt'>): number {
  const result = db
    .prepare(
      'INSERT INTO silences (matchers, starts_at, ends_at, author, comment, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    )
    .run(JSON.stringify(row.matchers), row.startsAt, row.endsAt, row.author, row.comment, row.createdAt)
  return Number(result.lastInsertRowid)
}

export function getSilence(db: Database, id: number): SilenceRow | null {
  const row = db.prepare('SELECT * FROM silences WHERE id = ?').get(id)
  return row ? toSilence(row) : null
}

/** Those that hold at `now`, in the order in which they were made. */
export function listSilencesAt(db: Database, now: UnixMs): SilenceRow[] {
  return db
    .prepare('SELECT * FROM silences WHERE ends_at > ?1 AND starts_at <= ?1 ORDER BY id')
    .all(now)
    .map(toSilence)
}

/** Those that end after `since`, newest first: `since` now leaves out what is over. */
export function listSilences(db: Database, query: { since: UnixMs; limit: number }): SilenceRow[] {
  return db
    .prepare('SELECT * FROM silences WHERE ends_at > ? ORDER BY id DESC LIMIT ?')
    .all(query.since, query.limit)
    .map(toSilence)
}

export function endSilence(db: Database, id: number, now: UnixMs): void {
  db.prepare(
    'UPDATE silences SET starts_at = MIN(starts_at, ?2), ends_at = ?2, expired_at = ?2 WHERE id = ?1',
  ).run(id, now)
}

export function countSilencesAfter(db: Database, now: UnixMs): number {
  return Number(db.prepare('SELECT COUNT(*) AS count FROM silences WHERE ends_at > ?').get(now)?.['count'])
}

export function purgeSilences(db: Database, before: UnixMs): number {
  return Number(db.prepare('DELETE FROM silences WHERE ends_at < ?').run(before).changes)
}
