import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'

/** Conditions that ended long ago, wait for no channel and are held back from none. The row of an event is the mark that it was raised. */
export function purgeEnded(db: Database, before: UnixMs): number {
  const result = db
    .prepare(
      `DELETE FROM alerts WHERE nature = 'condition' AND changed_at < ? AND state IN ('resolved', 'inactive', 'merged')
        AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.alert_id = alerts.id AND o.state = 'queued')
        AND NOT EXISTS (SELECT 1 FROM group_members m WHERE m.alert_id = alerts.id)`,
    )
    .run(before)
  return Number(result.changes)
}

/**
 * Events without a transfer that changed last before a time, wait for no channel and are of no case; those of a transfer go with it.
 * What is no news again, whenever it comes, stays: of `kept` kinds. Any other is told anew when it happens anew.
 */
export function purgeEvents(
  db: Database,
  of: { readonly before: UnixMs; readonly kept: readonly string[]; readonly limit: number },
): number {
  const sql = `DELETE FROM alerts WHERE id IN (SELECT a.id FROM alerts a
    WHERE a.nature = 'event' AND a.changed_at < ?1 AND a.transfer_key IS NULL AND a.kind NOT IN (SELECT value FROM json_each(?2))
      AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.alert_id = a.id AND o.state = 'queued')
      AND NOT EXISTS (SELECT 1 FROM held_events h WHERE h.alert_id = a.id)
      AND NOT EXISTS (SELECT 1 FROM case_members m WHERE m.alert_id = a.id) LIMIT ?3)`
  return Number(db.prepare(sql).run(of.before, JSON.stringify(of.kept), of.limit).changes)
}
