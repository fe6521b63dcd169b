import { foundColumn } from './alertFindings.ts'
import { alertTable } from './alertRows.ts'
import type { Database } from '../../store/database.ts'
import { columns, instant, int, type Read, text } from '../../store/table.ts'
import { outboxTable } from './outboxItems.ts'

const totals = columns({
  what: outboxTable.shape.what,
  severity: alertTable.shape.severity,
  kind: text,
  direction: text.orNull(),
  error: text.orNull(),
  count: int,
  /** When the first and the last of them began. */
  firstAt: instant,
  lastAt: instant,
})
export type CarriedTotal = Read<typeof totals>

/** A message's items by kind, direction and error text: how many there are, and from when to when. */
export function listCarriedTotals(db: Database, deliveryId: number): CarriedTotal[] {
  const since = `MIN(${foundColumn.since}, a.active_at)`
  const sql = `SELECT o.what, a.severity, a.kind, CAST(${foundColumn.direction} AS TEXT) AS direction,
      CAST(${foundColumn.error} AS TEXT) AS error, COUNT(*) AS count,
      MIN(CAST(${since} AS INTEGER)) AS first_at, MAX(CAST(${since} AS INTEGER)) AS last_at
    FROM outbox o JOIN alerts a ON a.id = o.alert_id WHERE o.delivery_id = ? AND o.what <> 'case'
    GROUP BY 1, 2, 3, 4, 5 ORDER BY count DESC`
  return totals.all(db, sql, deliveryId)
}

const risks = columns({
  what: outboxTable.shape.what,
  kind: text,
  fingerprint: text,
  token: text,
  place: text,
  unit: text,
  amount: text,
})
export type CarriedRisk = Read<typeof risks>

/** What each of a message's items puts at risk. */
export function listCarriedRisks(db: Database, deliveryId: number): CarriedRisk[] {
  const sql = `SELECT o.what, a.kind, a.fingerprint, r.token, r.place, r.unit, r.amount FROM outbox o
    JOIN alerts a ON a.id = o.alert_id JOIN case_risks r ON r.alert_id = o.alert_id
    WHERE o.delivery_id = ? AND o.what <> 'case'`
  return risks.all(db, sql, deliveryId)
}

/** The cases of a message's items: the worst, and of those the ones with the largest amounts. */
export function listCarriedCases(db: Database, deliveryId: number, limit: number): number[] {
  const sql = `SELECT o.case_id FROM outbox o JOIN alerts a ON a.id = o.alert_id
    WHERE o.delivery_id = ? AND o.case_id IS NOT NULL AND o.what <> 'case' GROUP BY o.case_id
    ORDER BY MIN(CASE a.severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END), MAX(a.amount_rank) DESC, o.case_id LIMIT ?`
  return int.all(db, sql, deliveryId, limit)
}

/** Of how many cases a message has items. */
export function countCarriedCases(db: Database, deliveryId: number): number {
  const sql = "SELECT COUNT(DISTINCT case_id) FROM outbox WHERE delivery_id = ? AND what <> 'case'"
  return int.get(db, sql, deliveryId) ?? 0
}

/** How many findings of a case a channel got before. */
export function countToldOfCase(
  db: Database,
  of: { readonly caseId: number; readonly channel: string },
): number {
  const sql = `SELECT COUNT(*) FROM outbox WHERE case_id = ? AND channel = ? AND state = 'sent' AND what IN ('event', 'firing', 'joined')`
  return int.get(db, sql, of.caseId, of.channel) ?? 0
}
