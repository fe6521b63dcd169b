import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'

export type AlertSeverity = 'critical' | 'warning' | 'info'
export type AlertNature = 'event' | 'condition'
/**
 * Events are `new`, then `delivered`. Conditions are the others: `inactive` fired once and is pending no more,
 * `merged` continues in the alert of the transfer it was joined with.
 */
export type AlertState =
  | 'new'
  | 'delivered'
  | 'pending'
  | 'firing'
  | 'recovering'
  | 'resolved'
  | 'inactive'
  | 'merged'

/** An alert without its finding: what the state machine needs. */
export interface AlertHead {
  readonly id: number
  readonly fingerprint: string
  readonly rule: string
  readonly kind: string
  readonly nature: AlertNature
  readonly severity: AlertSeverity
  /** JSON with sorted keys. */
  readonly labels: string
  readonly subject: string
  readonly transferKey: string | null
  readonly state: AlertState
  readonly episode: number
  readonly activeAt: UnixMs
  readonly firedAt: UnixMs | null
  readonly keepSince: UnixMs | null
  readonly resolvedAt: UnixMs | null
  readonly resolvedReason: string | null
  readonly refreshedAt: UnixMs
  readonly material: string
  readonly amountRank: string
  readonly runbook: string | null
  readonly ackedBy: string | null
  readonly ackedAt: UnixMs | null
  readonly changedAt: UnixMs
}

export interface AlertRow extends AlertHead {
  /** JSON; see alerts/findingJson.ts. */
  readonly finding: string
}

export type AlertPhase = Pick<
  AlertHead,
  'state' | 'episode' | 'activeAt' | 'firedAt' | 'keepSince' | 'resolvedAt' | 'resolvedReason'
>

const headColumns =
  'a.id, a.fingerprint, a.rule, a.kind, a.nature, a.severity, a.labels, a.subject, a.transfer_key, a.state, a.episode, ' +
  'a.active_at, a.fired_at, a.keep_since, a.resolved_at, a.resolved_reason, a.refreshed_at, a.material, a.amount_rank, ' +
  'a.runbook, a.acked_by, a.acked_at, a.changed_at'
/** All columns of `alerts a`, for `toAlertRow`. */
export const alertColumns = `${headColumns}, a.finding`
/** Conditions that are not over. */
export const activeAlerts = "a.state IN ('pending', 'firing', 'recovering')"

type Row = Record<string, unknown>

export function toAlertRow(row: Row): AlertRow {
  return { ...toAlertHead(row), finding: String(row['finding']) }
}

function toAlertHead(row: Row): AlertHead {
  return {
    id: Number(row['id']),
    fingerprint: String(row['fingerprint']),
    rule: String(row['rule']),
    kind: String(row['kind']),
    // These three were written from the same unions.
    nature: row['nature'] as AlertNature,
    severity: row['severity'] as AlertSeverity,
    state: row['state'] as AlertState,
    labels: String(row['labels']),
    subject: String(row['subject']),
    transferKey: textOrNull(row['transfer_key']),
    episode: Number(row['episode']),
    activeAt: Number(row['active_at']),
    firedAt: numberOrNull(row['fired_at']),
    keepSince: numberOrNull(row['keep_since']),
    resolvedAt: numberOrNull(row['resolved_at']),
    resolvedReason: textOrNull(row['resolved_reason']),
    refreshedAt: Number(row['refreshed_at']),
    material: String(row['material']),
    amountRank: String(row['amount_rank']),
    runbook: textOrNull(row['runbook']),
    ackedBy: textOrNull(row['acked_by']),
    ackedAt: numberOrNull(row['acked_at']),
    changedAt: Number(row['changed_at']),
  }
}

export function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Returns the new row's id, or null when the fingerprint is known. */
export function insertAlert(db: Database, row: Omit<AlertRow, 'id' | 'ackedBy' | 'ackedAt'>): number | null {
  const result = db
    .prepare(
      `INSERT INTO alerts (fingerprint, rule, kind, nature, severity, labels, subject, transfer_key, state, episode,
        active_at, fired_at, keep_since, resolved_at, resolved_reason, finding, refreshed_at, material, amount_rank, runbook,
        changed_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (fingerprint) DO NOTHING`,
    )
    .run(
      row.fingerprint,
      row.rule,
      row.kind,
      row.nature,
      row.severity,
      row.labels,
      row.subject,
      row.transferKey,
      row.state,
      row.episode,
      row.activeAt,
      row.firedAt,
      row.keepSince,
      row.resolvedAt,
      row.resolvedReason,
      row.finding,
      row.refreshedAt,
      row.material,
      row.amountRank,
      row.runbook,
      row.changedAt,
    )
  return result.changes === 0 ? null : Number(result.lastInsertRowid)
}

export function findAlert(db: Database, fingerprint: string): AlertHead | null {
  const row = db.prepare(`SELECT ${headColumns} FROM alerts a WHERE a.fingerprint = ?`).get(fingerprint)
  return row ? toAlertHead(row) : null
}

export function getAlert(db: Database, id: number): AlertRow | null {
  const row = db.prepare(`SELECT ${alertColumns} FROM alerts a WHERE a.id = ?`).get(id)
  return row ? toAlertRow(row) : null
}

/** The rule's pending, firing and recovering alerts. */
export function listActiveOf(db: Database, rule: string): AlertHead[] {
  return db
    .prepare(`SELECT ${headColumns} FROM alerts a WHERE a.rule = ? AND ${activeAlerts}`)
    .all(rule)
    .map(toAlertHead)
}

export function listActive(db: Database): AlertHead[] {
  return db.prepare(`SELECT ${headColumns} FROM alerts a WHERE ${activeAlerts}`).all().map(toAlertHead)
}

/** Labels of what is firing, each set once. */
export function listFiringLabels(db: Database): string[] {
  return db
    .prepare(`SELECT DISTINCT a.labels FROM alerts a WHERE ${activeAlerts} AND a.state <> 'pending'`)
    .all()
    .map((row) => String(row['labels']))
}

export function isKindFiring(db: Database, kind: string): boolean {
  const sql = `SELECT 1 FROM alerts a WHERE a.kind = ? AND ${activeAlerts} AND a.state <> 'pending' LIMIT 1`
  return db.prepare(sql).get(kind) !== undefined
}

/** Of these transfers, by key, those of which there are alerts. */
export function listAlerted(db: Database, transferKeys: readonly string[]): Set<string> {
  const rows = db
    .prepare('SELECT transfer_key FROM alerts WHERE transfer_key IN (SELECT value FROM json_each(?))')
    .all(JSON.stringify(transferKeys))
  return new Set(rows.map((row) => String(row['transfer_key'])))
}

export function listAlertsOfTransfer(db: Database, transferKey: string): AlertRow[] {
  return db
    .prepare(
      `SELECT ${alertColumns} FROM alerts a WHERE a.transfer_key = ? AND a.state <> 'merged' ORDER BY a.id`,
    )
    .all(transferKey)
    .map(toAlertRow)
}

export function updatePhase(db: Database, id: number, phase: AlertPhase, now: UnixMs): void {
  db.prepare(
    `UPDATE alerts SET state = ?, episode = ?, active_at = ?, fired_at = ?, keep_since = ?, resolved_at = ?,
      resolved_reason = ?, changed_at = ? WHERE id = ?`,
  ).run(
    phase.state,
    phase.episode,
    phase.activeAt,
    phase.firedAt,
    phase.keepSince,
    phase.resolvedAt,
    phase.resolvedReason,
    now,
    id,
  )
}

export interface AlertContent {
  readonly finding: string
  readonly severity: AlertSeverity
  readonly labels: string
  readonly amountRank: string
  readonly runbook: string | null
}

export function updateContent(db: Database, id: number, content: AlertContent, now: UnixMs): void {
  db.prepare(
    'UPDATE alerts SET finding = ?, severity = ?, labels = ?, amount_rank = ?, runbook = ?, refreshed_at = ? WHERE id = ?',
  ).run(content.finding, content.severity, content.labels, content.amountRank, content.runbook, now, id)
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
  db.prepare('DELETE FROM alerts WHERE id = ?').run(id)
}

export function ackAlert(db: Database, id: number, by: string, now: UnixMs): void {
  db.prepare('UPDATE alerts SET acked_by = ?, acked_at = ? WHERE id = ?').run(by, now, id)
}

export function clearAck(db: Database, id: number): void {
  db.prepare('UPDATE alerts SET acked_by = NULL, acked_at = NULL WHERE id = ?').run(id)
}
