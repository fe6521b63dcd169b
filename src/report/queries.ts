import type { UnixMs } from '../lib/clock.ts'
import type { AlertSeverity } from '../alerts/store/alertRows.ts'
import type { Database } from '../store/database.ts'
import { isOpenRow, selectTransfers, type StoredTransfer } from '../ledger/transferRows.ts'

interface Window {
  readonly from: UnixMs
  readonly until: UnixMs
}

/** Read at once: a report must not stop a poll. */
const sliceSize = 200

/**
 * Every transfer that was under way at some time of the window, in slices: what is on its way, what began in it, and
 * what began earlier and arrived in it or later. Each is found through an index, and once.
 */
export function* listSlicesUnderWay(db: Database, { from, until }: Window): Generator<StoredTransfer[]> {
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
  }
}

function listKeys(db: Database, where: string, ...values: readonly number[]): number[] {
  return db
    .prepare(`SELECT key FROM transfers WHERE ${where}`)
    .all(...values)
    .map((row) => Number(row['key']))
}

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
