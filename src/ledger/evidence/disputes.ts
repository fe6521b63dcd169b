import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { columns, instant, type Read, text } from '../../store/table.ts'

/** A transfer of which something was reported that a later answer may take back. */
const disputes = columns({ key: text, toldAt: instant })
export type Dispute = Read<typeof disputes>

/** Transfers of disputed events that were reported since, the newest first; what is over already is left out. */
export function listDisputes(db: Database, since: UnixMs, limit: number): Dispute[] {
  // The kinds of the index `alerts_disputed`, word for word: one more needs a migration of that.
  const sql = `SELECT transfer_key AS key, max(active_at) AS told_at FROM (
      SELECT transfer_key, active_at FROM alerts WHERE kind IN
        ('transfer.mismatch', 'transfer.unbacked', 'transfer.duplicate', 'batch.mismatch', 'batch.unresolved', 'source.disagreement')
      AND active_at >= ? AND state <> 'merged' AND transfer_key IS NOT NULL
      AND iif(typeof(finding) = 'text', json_extract(finding, '$.isOver'), is_over) IS NULL ORDER BY active_at DESC LIMIT ?
    ) GROUP BY transfer_key`
  return disputes.all(db, sql, since, limit)
}

/** Its record is to be read by hash again, unless it is to be anyway. */
export function askRecordAgain(db: Database, key: number, now: UnixMs): void {
  db.prepare('UPDATE transfers SET check_at = ? WHERE key = ? AND check_at IS NULL').run(now, key)
}
