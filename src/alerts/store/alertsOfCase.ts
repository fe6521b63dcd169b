import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { columns, instant, int, type Read, text } from '../../store/table.ts'
import { waitingRepeats } from './outboxItems.ts'
import { activeAlerts, alertColumns, type AlertRow, alertTable } from './alertRows.ts'

/** What of a case holds, the worst first. */
export function listStanding(
  db: Database,
  caseId: number,
  { now, limit, offset = 0 }: { readonly now: UnixMs; readonly limit: number; readonly offset?: number },
): AlertRow[] {
  const sql = `SELECT ${alertColumns} FROM case_members m JOIN alerts a ON a.id = m.alert_id AND a.episode = m.episode
    WHERE m.case_id = ? AND a.state <> 'merged' AND (m.until_at IS NULL OR m.until_at > ?)
    ORDER BY CASE a.severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, a.amount_rank DESC, a.id LIMIT ? OFFSET ?`
  return alertTable.all(db, sql, caseId, now, limit, offset)
}

const caseAlerts = columns({ ...alertTable.shape, ofEpisode: int, untilAt: instant.orNull() })
/** An alert of a case, with the newest of its episodes that belongs to it. */
export type CaseAlertRow = Read<typeof caseAlerts>

/** The alerts of a case, the worst first: the most severe, then the most money. Reads no more than it gives. */
export function listCaseAlerts(db: Database, caseId: number, limit: number, offset = 0): CaseAlertRow[] {
  const sql = `SELECT ${alertColumns}, m.episode AS of_episode, m.until_at FROM case_members m CROSS JOIN alerts a ON a.id = m.alert_id
    WHERE m.case_id = ? AND a.state <> 'merged' AND NOT EXISTS (SELECT 1 FROM case_members n
      WHERE n.alert_id = m.alert_id AND n.episode > m.episode AND n.case_id = m.case_id)
    ORDER BY m.rank DESC, m.alert_id LIMIT ? OFFSET ?`
  return caseAlerts.all(db, sql, caseId, limit, offset)
}

/** The transfers that a case is about. */
export function listCaseTransfers(db: Database, caseId: number, limit: number): string[] {
  const sql = `SELECT DISTINCT a.transfer_key FROM case_members m JOIN alerts a ON a.id = m.alert_id
    WHERE m.case_id = ? AND a.transfer_key IS NOT NULL LIMIT ?`
  return text.all(db, sql, caseId, limit)
}

/** What fires, and events that were found since, that are in no case. */
export function listWithoutCase(db: Database, since: UnixMs, limit: number): AlertRow[] {
  const sql = `SELECT ${alertColumns} FROM alerts a WHERE ((${activeAlerts} AND a.state <> 'pending')
      OR (a.nature = 'event' AND a.changed_at >= ?1 AND a.active_at >= ?1 AND a.state <> 'merged'))
    AND NOT EXISTS (SELECT 1 FROM case_members m WHERE m.alert_id = a.id AND m.episode = a.episode) ORDER BY a.id LIMIT ?2`
  return alertTable.all(db, sql, since, limit)
}

/** All of a case is acknowledged: no reminders. */
export function ackCase(db: Database, caseId: number, by: string, now: UnixMs): void {
  const ids = '(SELECT alert_id FROM case_members WHERE case_id = ?1)'
  db.prepare(`UPDATE alerts SET acked_by = ?2, acked_at = ?3 WHERE id IN ${ids}`).run(caseId, by, now)
  db.prepare(`DELETE FROM outbox WHERE alert_id IN ${ids} AND ${waitingRepeats}`).run(caseId)
}

export function clearAcks(db: Database, caseId: number): void {
  db.prepare(
    'UPDATE alerts SET acked_by = NULL, acked_at = NULL WHERE acked_at IS NOT NULL AND id IN (SELECT alert_id FROM case_members WHERE case_id = ?)',
  ).run(caseId)
}
