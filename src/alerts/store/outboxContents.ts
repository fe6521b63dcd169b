import { type AlertRow, alertColumns, alertTable } from './alertRows.ts'
import type { Database } from '../../store/database.ts'
import { columns, int, type Read, type Row, text } from '../../store/table.ts'
import { type CaseLogEntry, caseLog } from '../../cases/store/caseRows.ts'
import { type OutboxItem, outboxTable } from './outboxItems.ts'

export interface CarriedItem {
  readonly item: OutboxItem
  readonly alert: AlertRow
}

const { id, episode, state, ...others } = outboxTable.shape
// These are columns of the alert too.
const items = columns({
  ...others,
  id: id.from('o_id'),
  episode: episode.from('o_episode'),
  state: state.from('o_state'),
})
const carriedColumns = `${columns(others).list('o')}, o.id AS o_id, o.episode AS o_episode, o.state AS o_state`

/** A message's items with their alerts, the largest amounts first. */
export function listCarried(db: Database, deliveryId: number, limit: number): CarriedItem[] {
  return db
    .prepare(
      `SELECT ${carriedColumns}, ${alertColumns} FROM outbox o JOIN alerts a ON a.id = o.alert_id
        WHERE o.delivery_id = ? AND o.what <> 'case' ORDER BY a.amount_rank DESC, o.id LIMIT ?`,
    )
    .all(deliveryId, limit)
    .map(toCarried)
}

/** The same of some of them, in the order in which they are named. */
export function listCarriedOf(db: Database, ids: readonly number[]): CarriedItem[] {
  return db
    .prepare(
      `SELECT ${carriedColumns}, ${alertColumns} FROM json_each(?) n CROSS JOIN outbox o ON o.id = n.value
        CROSS JOIN alerts a ON a.id = o.alert_id ORDER BY n.key`,
    )
    .all(JSON.stringify(ids))
    .map(toCarried)
}

/** All of a message's items by their numbers, the largest amounts first. */
export function listCarriedIds(db: Database, deliveryId: number): number[] {
  const sql = `SELECT o.id FROM outbox o JOIN alerts a ON a.id = o.alert_id
    WHERE o.delivery_id = ? AND o.what <> 'case' ORDER BY a.amount_rank DESC, o.id`
  return int.all(db, sql, deliveryId)
}

/** The largest critical item of each rule in a message. */
export function listCriticalOfRules(db: Database, deliveryId: number, limit: number): CarriedItem[] {
  return db
    .prepare(
      `SELECT * FROM (SELECT ${carriedColumns}, ${alertColumns},
          ROW_NUMBER() OVER (PARTITION BY a.rule ORDER BY a.amount_rank DESC, o.id) AS place
        FROM outbox o JOIN alerts a ON a.id = o.alert_id WHERE o.delivery_id = ? AND o.what <> 'case' AND a.severity = 'critical')
        WHERE place = 1 LIMIT ?`,
    )
    .all(deliveryId, limit)
    .map(toCarried)
}

function toCarried(row: Row): CarriedItem {
  return { item: items.read(row), alert: alertTable.read(row) }
}

const counts = columns({
  what: outboxTable.shape.what,
  severity: text,
  rule: text,
  kind: text,
  count: int,
})
export type CarriedCount = Read<typeof counts>

export function countCarried(db: Database, deliveryId: number): CarriedCount[] {
  const sql = `SELECT o.what, a.severity, a.rule, a.kind, COUNT(*) AS count FROM outbox o JOIN alerts a ON a.id = o.alert_id
    WHERE o.delivery_id = ? AND o.what <> 'case' GROUP BY o.what, a.severity, a.rule, a.kind ORDER BY count DESC`
  return counts.all(db, sql, deliveryId)
}

const mostNotes = 10

/** What was written of the case that a message is about, since the first of it was to be told: the newest, oldest first. */
export function listCarriedNotes(db: Database, deliveryId: number): CaseLogEntry[] {
  const sql = `SELECT * FROM (SELECT l.* FROM case_log l JOIN (SELECT case_id, MIN(created_at) AS since FROM outbox
      WHERE delivery_id = ?1 AND what = 'case' AND change IN (${written}) GROUP BY case_id) o ON o.case_id = l.case_id
    WHERE l.what IN (${written}) AND l.at >= o.since ORDER BY l.id DESC LIMIT ${mostNotes}) ORDER BY id`
  return caseLog.all(db, sql, deliveryId)
}

const written = "'noted', 'matched', 'written off', 'taken back'"

/** What happened to the case that a message is about, oldest first, each once. */
export function listCarriedChanges(db: Database, deliveryId: number): string[] {
  const sql = `SELECT change FROM outbox WHERE delivery_id = ? AND what = 'case' AND change IS NOT NULL GROUP BY change ORDER BY MIN(id)`
  return text.all(db, sql, deliveryId)
}
