import type { Database } from '../store/database.ts'

/** Whether a log of a transaction that is known to mean a payout is still to be set beside the list. */
export function hasOpenPayout(db: Database, hash: string): boolean {
  const sql = `SELECT 1 FROM bridge_logs l JOIN bridge_topics t ON t.contract = l.contract AND t.topic = l.topic
    WHERE l.hash = ? AND l.check_at IS NOT NULL AND json_extract(t.template, '$.direction') = 'ZoneToMain' LIMIT 1`
  return db.prepare(sql).get(hash) !== undefined
}
