import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { instant, int, json, type Read, table, text, texts } from '../../store/table.ts'
import { z } from 'zod'

const transferSilence = z.strictObject({
  /** The ledger's key then; it may be an alias by now. */
  key: z.string(),
  /** Whether it ends when the transfer is over well, before `endsAt`. */
  untilOver: z.boolean(),
  /** What its alerts said then. Another kind, a higher severity, or more money is not silenced. */
  kinds: z
    .array(
      z.strictObject({
        kind: z.string(),
        severity: z.enum(['critical', 'warning', 'info']),
        /** Token units, exact; null where none was named. */
        amount: z.string().nullable(),
        token: z.string(),
        symbol: z.string(),
      }),
    )
    .readonly(),
})
/** What a silence of one transfer is made for. */
export type TransferSilence = z.output<typeof transferSilence>

/** One that cannot be read silences nothing: an alert too many is better than one too few. */
const unreadable: TransferSilence = { key: '', untilOver: false, kinds: [] }

const newSilences = table('silences', {
  /** As written: `kind="transfer.stalled"`. All must match. */
  matchers: texts.orElse([]),
  startsAt: instant,
  endsAt: instant,
  author: text,
  comment: text,
  createdAt: instant,
  /** Null for a silence by matchers alone. */
  transfer: json(transferSilence).orElse(unreadable).orNull(),
})
const silences = table('silences', {
  id: int,
  ...newSilences.shape,
  /** When somebody ended it early; `endsAt` is then the same. */
  expiredAt: instant.orNull(),
})
export type SilenceRow = Read<typeof silences>

/** Returns its id. */
export function insertSilence(
  db: Database,
  row: Omit<SilenceRow, 'id' | 'expiredAt' | 'transfer'> & Partial<Pick<SilenceRow, 'transfer'>>,
): number {
  const values = newSilences.values({ transfer: null, ...row })
  const result = db.prepare(`INSERT ${newSilences.into}`).run(...values)
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
