import { waitingRepeats } from './outboxItems.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { columns, instant, int, oneOf, type Read, table, text } from '../../store/table.ts'
import { found } from './alertFindings.ts'

// One row with an unknown word must not hold back what is to be sent of all others: it is sent rather than not.
const nature = oneOf('event', 'condition').orElse('event')

const severity = oneOf('critical', 'warning', 'info').orElse('critical')

/**
 * Events are `new`, then `delivered`. Conditions are the others: `inactive` fired once and is pending no more,
 * `merged` continues in the alert of the transfer it was joined with.
 */
const state = oneOf(
  'new',
  'delivered',
  'pending',
  'firing',
  'recovering',
  'resolved',
  'inactive',
  'merged',
).orElse('new')

export type AlertNature = Read<typeof nature>

export type AlertSeverity = Read<typeof severity>

export type AlertState = Read<typeof state>

const phases = table('alerts', {
  state,
  episode: int,
  activeAt: instant,
  firedAt: instant.orNull(),
  keepSince: instant.orNull(),
  resolvedAt: instant.orNull(),
  resolvedReason: text.orNull(),
})

export type AlertPhase = Read<typeof phases>

const written = {
  ...phases.shape,
  fingerprint: text,
  rule: text,
  kind: text,
  nature,
  severity,
  /** JSON with sorted keys. */
  labels: text,
  subject: text,
  transferKey: text.orNull(),
  refreshedAt: instant,
  material: text,
  amountRank: text,
  runbook: text.orNull(),
  changedAt: instant,
}

const heads = table('alerts', {
  id: int,
  ...written,
  sinceAt: found.shape.sinceAt,
  ackedBy: text.orNull(),
  ackedAt: instant.orNull(),
})

export const alertTable = table('alerts', { ...heads.shape, finding: found.shape.finding })

const newAlerts = table('alerts', { ...written, ...found.shape })

/** An alert without its finding: what the state machine needs. */
export type AlertHead = Read<typeof heads>

export type AlertRow = Read<typeof alertTable>

export type NewAlert = Read<typeof newAlerts>

const headColumns = heads.list('a')

/** All columns of `alerts a`, for `alertTable`. */
export const alertColumns = alertTable.list('a')

/** Conditions that are not over. */
export const activeAlerts = "a.state IN ('pending', 'firing', 'recovering')"

interface AlertQuery {
  /** `open`: pending, firing and recovering conditions. */
  readonly state?: AlertState | 'open'
  readonly nature?: AlertNature
  readonly severities?: readonly AlertSeverity[]
  readonly rule?: string
  readonly changedSince?: UnixMs
  readonly limit: number
  readonly offset?: number
}

const stateCounts = columns({ state: alertTable.shape.state, count: int })

/** Returns the new row's id, or null when the fingerprint is known. */
export function insertAlert(db: Database, row: NewAlert): number | null {
  const result = db
    .prepare(`INSERT ${newAlerts.into} ON CONFLICT (fingerprint) DO NOTHING`)
    .run(...newAlerts.values(row))
  return result.changes === 0 ? null : Number(result.lastInsertRowid)
}

export function findAlert(db: Database, fingerprint: string): AlertHead | null {
  return heads.get(db, `SELECT ${headColumns} FROM alerts a WHERE a.fingerprint = ?`, fingerprint)
}

export function getAlert(db: Database, id: number): AlertRow | null {
  return alertTable.get(db, `SELECT ${alertColumns} FROM alerts a WHERE a.id = ?`, id)
}

/** The rule's pending, firing and recovering alerts. */
export function listActiveOf(db: Database, rule: string): AlertHead[] {
  return heads.all(db, `SELECT ${headColumns} FROM alerts a WHERE a.rule = ? AND ${activeAlerts}`, rule)
}

export function listActive(db: Database): AlertHead[] {
  return heads.all(db, `SELECT ${headColumns} FROM alerts a WHERE ${activeAlerts}`)
}

/** Labels of what is firing, each set once. */
export function listFiringLabels(db: Database): string[] {
  const sql = `SELECT DISTINCT a.labels FROM alerts a WHERE ${activeAlerts} AND a.state <> 'pending'`
  return text.all(db, sql)
}

export function isKindFiring(db: Database, kind: string): boolean {
  const sql = `SELECT 1 FROM alerts a WHERE a.kind = ? AND ${activeAlerts} AND a.state <> 'pending' LIMIT 1`
  return db.prepare(sql).get(kind) !== undefined
}

const ofTransfer = columns({ id: int, rule: text, key: text.from('transfer_key') })

/** The events of these transfers, oldest first. The plus keeps the planner from walking through all events that there are. */
export function listEventsOf(db: Database, transferKeys: readonly string[]): Read<typeof ofTransfer>[] {
  const sql = `SELECT id, rule, transfer_key FROM alerts WHERE transfer_key IN (SELECT value FROM json_each(?))
    AND state <> 'merged' AND +nature = 'event' ORDER BY id`
  return ofTransfer.all(db, sql, JSON.stringify(transferKeys))
}

const weights = columns({ severity, kind: text, amountRank: text })

/** How much an alert says. */
export function weighAlert(db: Database, id: number): Read<typeof weights> | null {
  return weights.get(db, 'SELECT severity, kind, amount_rank FROM alerts WHERE id = ?', id)
}

export function listAlertsOfTransfer(db: Database, transferKey: string): AlertRow[] {
  const sql = `SELECT ${alertColumns} FROM alerts a WHERE a.transfer_key = ? AND a.state <> 'merged' ORDER BY a.id`
  return alertTable.all(db, sql, transferKey)
}

export function updatePhase(db: Database, id: number, phase: AlertPhase, now: UnixMs): void {
  db.prepare(`UPDATE alerts SET ${phases.set}, changed_at = ? WHERE id = ?`).run(
    ...phases.values(phase),
    now,
    id,
  )
}

const contents = table('alerts', {
  ...found.shape,
  severity,
  labels: text,
  amountRank: text,
  runbook: text.orNull(),
})

export type AlertContent = Read<typeof contents>

export function updateContent(db: Database, id: number, content: AlertContent, now: UnixMs): void {
  db.prepare(`UPDATE alerts SET ${contents.set}, refreshed_at = ? WHERE id = ?`).run(
    ...contents.values(content),
    now,
    id,
  )
}

export function updateMaterial(
  db: Database,
  id: number,
  material: string,
  episode: number,
  now: UnixMs,
): void {
  db.prepare('UPDATE alerts SET material = ?, episode = ?, changed_at = ? WHERE id = ?').run(
    material,
    episode,
    now,
    id,
  )
}

export function renameAlert(
  db: Database,
  id: number,
  to: { fingerprint: string; subject: string; transferKey: string },
): void {
  db.prepare('UPDATE alerts SET fingerprint = ?, subject = ?, transfer_key = ? WHERE id = ?').run(
    to.fingerprint,
    to.subject,
    to.transferKey,
    id,
  )
}

export function deleteAlert(db: Database, id: number): void {
  for (const name of ['case_members', 'case_open_keys', 'case_risks', 'case_crowds'])
    db.prepare(`DELETE FROM ${name} WHERE alert_id = ?`).run(id)
  db.prepare('DELETE FROM alerts WHERE id = ?').run(id)
}

/** No reminders of it, those that wait for their channel neither. */
export function ackAlert(db: Database, id: number, by: string, now: UnixMs): void {
  db.prepare(`DELETE FROM outbox WHERE alert_id = ? AND ${waitingRepeats}`).run(id)
  db.prepare('UPDATE alerts SET acked_by = ?, acked_at = ? WHERE id = ?').run(by, now, id)
}

export function clearAck(db: Database, id: number): void {
  db.prepare('UPDATE alerts SET acked_by = NULL, acked_at = NULL WHERE id = ?').run(id)
}

/** By the start of its fingerprint, with or without `#`; several when that is ambiguous. */
export function findAlertsByPrefix(db: Database, prefix: string): AlertRow[] {
  const text = prefix.replace(/^#/, '').toLowerCase()
  if (!/^[0-9a-f]{4,64}$/.test(text)) return []
  const sql = `SELECT ${alertColumns} FROM alerts a WHERE a.fingerprint >= ? AND a.fingerprint < ? LIMIT 20`
  return alertTable.all(db, sql, text, `${text}g`)
}

/** Newest change first. */
export function listAlerts(db: Database, query: AlertQuery): AlertRow[] {
  const where = ["a.state NOT IN ('merged', 'inactive')"]
  const values: (string | number)[] = []
  if (query.state === 'open') where.push(activeAlerts)
  else if (query.state) {
    where.push('a.state = ?')
    values.push(query.state)
  }
  if (query.nature) {
    where.push('a.nature = ?')
    values.push(query.nature)
  }
  if (query.severities) {
    where.push('a.severity IN (SELECT value FROM json_each(?))')
    values.push(JSON.stringify(query.severities))
  }
  if (query.rule !== undefined) {
    where.push('a.rule = ?')
    values.push(query.rule)
  }
  if (query.changedSince !== undefined) {
    where.push('a.changed_at >= ?')
    values.push(query.changedSince)
  }
  const { limit, offset = 0 } = query
  const order = 'ORDER BY a.changed_at DESC, a.id DESC'
  const found = `FROM alerts a WHERE ${where.join(' AND ')}`
  if (query.nature !== undefined || query.state === 'open')
    return alertTable.all(
      db,
      `SELECT ${alertColumns} ${found} ${order} LIMIT ? OFFSET ?`,
      ...values,
      limit,
      offset,
    )
  // The index has each nature in this order, and not both together.
  const of = (nature: AlertNature) =>
    `SELECT * FROM (SELECT a.id, a.changed_at ${found} AND a.nature = '${nature}' ${order} LIMIT ?)`
  const ids = `SELECT id FROM (${of('event')} UNION ALL ${of('condition')}) a ${order} LIMIT ? OFFSET ?`
  const each = [...values, limit + offset]
  const sql = `SELECT ${alertColumns} FROM alerts a WHERE a.id IN (${ids}) ${order}`
  return alertTable.all(db, sql, ...each, ...each, limit, offset)
}

/** Whether a rule, perhaps one that is there no more, ever raised anything that is kept. */
export function hasAlertsOf(db: Database, rule: string): boolean {
  return db.prepare('SELECT 1 FROM alerts WHERE rule = ? LIMIT 1').get(rule) !== undefined
}

export function countAlerts(db: Database): Read<typeof stateCounts>[] {
  return stateCounts.all(db, 'SELECT state, COUNT(*) AS count FROM alerts GROUP BY state')
}
