import type { Database } from '../../store/database.ts'
import { int, table } from '../../store/table.ts'
import type { SeenActions } from './withdrawActions.ts'

/** Types of actions are words of the chain: no more of them are kept. */
const maxTypes = 500

const actions = table('zone_actions', { matched: int, unmatched: int })

export function readActions(db: Database, actionType: string): SeenActions {
  const sql = 'SELECT matched, unmatched FROM zone_actions WHERE action_type = ?'
  return actions.get(db, sql, actionType) ?? { matched: 0, unmatched: 0 }
}

export function countAction(db: Database, actionType: string, more: Partial<SeenActions>): void {
  const known = db.prepare('SELECT 1 FROM zone_actions WHERE action_type = ?').get(actionType)
  const types = int.get(db, 'SELECT count(*) FROM zone_actions') ?? 0
  if (!known && types >= maxTypes) return
  const { matched = 0, unmatched = 0 } = more
  db.prepare(
    `INSERT INTO zone_actions (action_type, matched, unmatched) VALUES (?1, max(0, ?2), max(0, ?3))
     ON CONFLICT (action_type) DO UPDATE SET matched = max(0, matched + ?2), unmatched = max(0, unmatched + ?3)`,
  ).run(actionType, matched, unmatched)
}
