import type { Database } from '../store/database.ts'
import type { SeenActions } from './withdrawActions.ts'

/** Types of actions are words of the chain: no more of them are kept. */
const maxTypes = 500

export function readActions(db: Database, actionType: string): SeenActions {
  const row = db.prepare('SELECT matched, unmatched FROM zone_actions WHERE action_type = ?').get(actionType)
  return { matched: Number(row?.['matched'] ?? 0), unmatched: Number(row?.['unmatched'] ?? 0) }
}

export function countAction(db: Database, actionType: string, more: Partial<SeenActions>): void {
  const known = db.prepare('SELECT 1 FROM zone_actions WHERE action_type = ?').get(actionType)
  const types = Number(db.prepare('SELECT count(*) AS n FROM zone_actions').get()?.['n'])
  if (!known && types >= maxTypes) return
  const { matched = 0, unmatched = 0 } = more
  db.prepare(
    `INSERT INTO zone_actions (action_type, matched, unmatched) VALUES (?1, max(0, ?2), max(0, ?3))
     ON CONFLICT (action_type) DO UPDATE SET matched = max(0, matched + ?2), unmatched = max(0, unmatched + ?3)`,
  ).run(actionType, matched, unmatched)
}
