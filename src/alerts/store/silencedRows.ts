import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { columns, int, type Read, text } from '../../store/table.ts'
import { activeAlerts, type AlertNature, alertTable } from './alertRows.ts'

const rows = columns({
  id: int,
  fingerprint: text,
  rule: text,
  kind: text,
  severity: alertTable.shape.severity,
  labels: text,
  subject: text,
  transferKey: text.orNull(),
  amountRank: text,
})
/** What decides whether a silence holds for an alert, and what is counted of it. */
export type SilencedRow = Read<typeof rows>

/** Conditions that are not over. */
export function listOpenForSilence(db: Database, limit: number): SilencedRow[] {
  return rows.all(db, `SELECT ${rows.list('a')} FROM alerts a WHERE ${activeAlerts} LIMIT ?`, limit)
}

/** Alerts of one nature that changed since a time, newest first. */
export function listChangedForSilence(
  db: Database,
  of: { readonly nature: AlertNature; readonly since: UnixMs },
  limit: number,
): SilencedRow[] {
  const sql = `SELECT ${rows.list('a')} FROM alerts a WHERE a.nature = ? AND a.changed_at >= ?
    AND a.state NOT IN ('merged', 'inactive') ORDER BY a.changed_at DESC LIMIT ?`
  return rows.all(db, sql, of.nature, of.since, limit)
}

/** Alerts of one transfer. */
export function listOfTransferForSilence(db: Database, transferKey: string, limit: number): SilencedRow[] {
  const sql = `SELECT ${rows.list('a')} FROM alerts a WHERE a.transfer_key = ? AND a.state <> 'merged' LIMIT ?`
  return rows.all(db, sql, transferKey, limit)
}
