import type { UnixMs } from '../lib/clock.ts'
import type { AlertSeverity } from '../alerts/store/alertRows.ts'
import type { Database } from '../store/database.ts'
import { type Window } from '../ledger/slicesUnderWay.ts'

/** Alerts that were first told of, or fired, in the window. */
export interface ToldRow {
  readonly kind: string
  readonly severity: AlertSeverity
  /** JSON; see alerts/findingJson.ts. */
  readonly finding: string
  readonly transferKey: string | null
  readonly at: UnixMs
}

export function listTold(db: Database, { from, until }: Window): ToldRow[] {
  return db
    .prepare(
      `SELECT kind, severity, finding, transfer_key, fired_at FROM alerts
        WHERE nature IN ('event', 'condition') AND changed_at >= ?1 AND fired_at >= ?1 AND fired_at < ?2
          AND state <> 'merged'
        ORDER BY amount_rank DESC, fired_at`,
    )
    .all(from, until)
    .map((row) => ({
      kind: String(row['kind']),
      // Written by the alert store from the same union.
      severity: row['severity'] as AlertSeverity,
      finding: String(row['finding']),
      transferKey: row['transfer_key'] === null ? null : String(row['transfer_key']),
      at: Number(row['fired_at']),
    }))
}

/** Alerts of which nothing was said in the window, or not to everybody: silenced, muted, inhibited, without a route. */
export function countSuppressed(db: Database, { from, until }: Window): number {
  const row = db
    .prepare(
      `SELECT count(DISTINCT alert_id) AS n FROM decisions WHERE what = 'not told' AND at >= ? AND at < ? AND alert_id IS NOT NULL`,
    )
    .get(from, until)
  return Number(row?.['n'])
}
