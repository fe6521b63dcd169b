import { type AlertRow, alertColumns, toAlertRow } from './alertRows.ts'
import type { Database } from '../../store/database.ts'
import { type OutboxItem, type OutboxWhat, toOutboxItem } from './outboxItems.ts'

export interface CarriedItem {
  readonly item: OutboxItem
  readonly alert: AlertRow
}

const carriedColumns =
  'o.id AS o_id, o.alert_id, o.channel, o.episode AS o_episode, o.what, o.group_key, o.critical, o.created_at, ' +
  'o.not_before, o.expires_at, o.state AS o_state, o.delivery_id, o.sent_at, o.message_id'

/** A message's items with their alerts, the largest amounts first. */
export function listCarried(db: Database, deliveryId: number, limit: number): CarriedItem[] {
  return db
    .prepare(
      `SELECT ${carriedColumns}, ${alertColumns} FROM outbox o JOIN alerts a ON a.id = o.alert_id
        WHERE o.delivery_id = ? ORDER BY a.amount_rank DESC, o.id LIMIT ?`,
    )
    .all(deliveryId, limit)
    .map(toCarried)
}

/** The largest critical item of each rule in a message. */
export function listCriticalOfRules(db: Database, deliveryId: number, limit: number): CarriedItem[] {
  return db
    .prepare(
      `SELECT * FROM (SELECT ${carriedColumns}, ${alertColumns},
          ROW_NUMBER() OVER (PARTITION BY a.rule ORDER BY a.amount_rank DESC, o.id) AS place
        FROM outbox o JOIN alerts a ON a.id = o.alert_id WHERE o.delivery_id = ? AND a.severity = 'critical')
        WHERE place = 1 LIMIT ?`,
    )
    .all(deliveryId, limit)
    .map(toCarried)
}

function toCarried(row: Record<string, unknown>): CarriedItem {
  const item = toOutboxItem({ ...row, id: row['o_id'], episode: row['o_episode'], state: row['o_state'] })
  return { item, alert: toAlertRow(row) }
}

export interface CarriedCount {
  readonly what: OutboxWhat
  readonly severity: string
  readonly rule: string
  readonly kind: string
  readonly count: number
}

export function countCarried(db: Database, deliveryId: number): CarriedCount[] {
  return db
    .prepare(
      `SELECT o.what, a.severity, a.rule, a.kind, COUNT(*) AS count FROM outbox o JOIN alerts a ON a.id = o.alert_id
        WHERE o.delivery_id = ? GROUP BY o.what, a.severity, a.rule, a.kind ORDER BY count DESC`,
    )
    .all(deliveryId)
    .map((row) => ({
      what: row['what'] as OutboxWhat,
      severity: String(row['severity']),
      rule: String(row['rule']),
      kind: String(row['kind']),
      count: Number(row['count']),
    }))
}
