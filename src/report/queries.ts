import { alertTable } from '../alerts/store/alertRows.ts'
import type { Database } from '../store/database.ts'
import { columns, instant, int, type Read } from '../store/table.ts'
import { type Window } from '../ledger/slicesUnderWay.ts'

const { kind, severity, subject, activeAt, finding, transferKey } = alertTable.shape
/** Alerts that were raised in the window: events that happened, conditions that fired. */
const toldRows = columns({
  kind,
  severity,
  subject,
  activeAt,
  finding,
  transferKey,
  at: instant.from('fired_at'),
})
export type ToldRow = Read<typeof toldRows>

export function listTold(db: Database, { from, until }: Window): ToldRow[] {
  const sql = `SELECT kind, severity, subject, active_at, finding, transfer_key, fired_at FROM alerts
    WHERE nature IN ('event', 'condition') AND changed_at >= ?1 AND fired_at >= ?1 AND fired_at < ?2
      AND state <> 'merged'
    ORDER BY amount_rank DESC, fired_at`
  return toldRows.all(db, sql, from, until)
}

/** Alerts of which nothing was sent in the window, or not to every channel: silenced, muted, inhibited, without a route. */
export function countSuppressed(db: Database, { from, until }: Window): number {
  const sql = `SELECT count(DISTINCT alert_id) FROM decisions WHERE what = 'not told' AND at >= ? AND at < ? AND alert_id IS NOT NULL`
  return int.get(db, sql, from, until) ?? 0
}
