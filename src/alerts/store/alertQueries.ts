import type { UnixMs } from '../../lib/clock.ts'
import {
  activeAlerts,
  alertColumns,
  alertTable,
  type AlertNature,
  type AlertRow,
  type AlertState,
} from './alertRows.ts'
import type { Database } from '../../store/database.ts'
import { columns, int, type Read } from '../../store/table.ts'

/** By the start of its fingerprint, with or without `#`; several when that is ambiguous. */
export function findAlertsByPrefix(db: Database, prefix: string): AlertRow[] {
  const text = prefix.replace(/^#/, '').toLowerCase()
  if (!/^[0-9a-f]{4,64}$/.test(text)) return []
  const sql = `SELECT ${alertColumns} FROM alerts a WHERE a.fingerprint >= ? AND a.fingerprint < ? LIMIT 20`
  return alertTable.all(db, sql, text, `${text}g`)
}

export interface AlertQuery {
  /** `open`: pending, firing and recovering conditions. */
  readonly state?: AlertState | 'open'
  readonly nature?: AlertNature
  readonly limit: number
}

/** Newest change first. */
export function listAlerts(db: Database, query: AlertQuery): AlertRow[] {
  const where = ["a.state NOT IN ('merged', 'inactive')"]
  const values: string[] = []
  if (query.state === 'open') where.push(activeAlerts)
  else if (query.state) {
    where.push('a.state = ?')
    values.push(query.state)
  }
  if (query.nature) {
    where.push('a.nature = ?')
    values.push(query.nature)
  }
  const sql = `SELECT ${alertColumns} FROM alerts a WHERE ${where.join(' AND ')} ORDER BY a.changed_at DESC, a.id DESC LIMIT ?`
  return alertTable.all(db, sql, ...values, query.limit)
}

const stateCounts = columns({ state: alertTable.shape.state, count: int })

export function countAlerts(db: Database): Read<typeof stateCounts>[] {
  return stateCounts.all(db, 'SELECT state, COUNT(*) AS count FROM alerts GROUP BY state')
}

/** Conditions that ended long ago and wait for no channel. Events stay: their row is the mark that the event was raised. */
export function purgeEnded(db: Database, before: UnixMs): number {
  const result = db
    .prepare(
      `DELETE FROM alerts WHERE nature = 'condition' AND changed_at < ? AND state IN ('resolved', 'inactive', 'merged')
        AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.alert_id = alerts.id AND o.state = 'queued')`,
    )
    .run(before)
  return Number(result.changes)
}
