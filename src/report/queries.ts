import { foundColumn } from '../alerts/store/alertFindings.ts'
import { alertTable } from '../alerts/store/alertRows.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { columns, instant, int, type Read, text } from '../store/table.ts'
import type { Window } from '../ledger/slicesUnderWay.ts'

const { fingerprint, kind, severity, subject, activeAt, finding, material, transferKey } = alertTable.shape
const foundRows = columns({
  fingerprint,
  kind,
  severity,
  subject,
  activeAt,
  finding,
  material,
  transferKey,
  /** When what it says happened, or began. */
  at: instant.from('happened_at'),
})
export type FoundRow = Read<typeof foundRows>

/** The chains' clocks may be so far ahead of ours. */
const clockToleranceMs = 3_600_000

const found = `SELECT fingerprint, kind, severity, subject, active_at, finding, material, transfer_key, amount_rank, fired_at,
    ${foundColumn.since} AS happened_at
  FROM alerts a WHERE nature IN ('event', 'condition') AND state <> 'merged' AND changed_at >= ?1 AND fired_at >= ?1`

/** What was found of a window, whenever that was: by the block of the transfer, or since when it was so. The largest first. */
export function listFound(db: Database, { from, until }: Window): FoundRow[] {
  const sql = `SELECT * FROM (${found}) WHERE happened_at >= ?2 AND happened_at < ?3 ORDER BY amount_rank DESC, fired_at`
  return foundRows.all(db, sql, from - clockToleranceMs, from, until)
}

/** What was found in a stretch of time of what happened before a window, oldest first. */
export function listLearned(
  db: Database,
  { before, from, until }: Window & { readonly before: UnixMs },
): FoundRow[] {
  const sql = `SELECT * FROM (${found}) WHERE happened_at < ?2 AND fired_at < ?3 ORDER BY happened_at`
  return foundRows.all(db, sql, from, before, until)
}

/** How many were raised in a window, whether they were sent or not. */
export function countTold(db: Database, { from, until }: Window): number {
  const sql = `SELECT count(*) FROM alerts
    WHERE nature IN ('event', 'condition') AND changed_at >= ?1 AND fired_at >= ?1 AND fired_at < ?2 AND state <> 'merged'`
  return int.get(db, sql, from, until) ?? 0
}

/** Transfers of which a rule said that they are open too long, and that were so at a time. */
export function listStalledAt(db: Database, at: UnixMs): string[] {
  const sql = `SELECT transfer_key FROM alerts WHERE kind = 'transfer.stalled' AND transfer_key IS NOT NULL
    AND fired_at IS NOT NULL AND (resolved_at IS NULL OR resolved_at >= ?)`
  return text.all(db, sql, at)
}

/** Alerts of which nothing was sent in the window, or not to every channel: silenced, muted, inhibited, without a route. */
export function countSuppressed(db: Database, { from, until }: Window): number {
  const sql = `SELECT count(DISTINCT alert_id) FROM decisions
    WHERE what IN ('not told', 'muted over') AND at >= ? AND at < ? AND alert_id IS NOT NULL`
  return int.get(db, sql, from, until) ?? 0
}
