import type { UnixMs } from '../../lib/clock.ts'
import { alertColumns, type AlertRow, numberOrNull, textOrNull, toAlertRow } from './alertRows.ts'
import type { Database } from '../../store/database.ts'

export interface GroupRow {
  readonly key: string
  readonly route: string
  readonly isDirty: boolean
  readonly flushAt: UnixMs
  readonly intervalMs: number
  readonly repeatMs: number
  /** Up to where reminders grow; null when they do not. */
  readonly maxRepeatMs: number | null
  readonly flushedAt: UnixMs | null
}

function toGroup(row: Record<string, unknown>): GroupRow {
  return {
    key: String(row['key']),
    route: String(row['route']),
    isDirty: row['dirty'] === 1,
    flushAt: Number(row['flush_at']),
    intervalMs: Number(row['interval_ms']),
    repeatMs: Number(row['repeat_ms']),
    flushedAt: numberOrNull(row['flushed_at']),
    maxRepeatMs: numberOrNull(row['max_repeat_ms']),
  }
}

export function getGroup(db: Database, key: string): GroupRow | null {
  const row = db.prepare('SELECT * FROM alert_groups WHERE key = ?').get(key)
  return row ? toGroup(row) : null
}

export function saveGroup(db: Database, group: GroupRow): void {
  db.prepare('INSERT OR REPLACE INTO alert_groups VALUES (?,?,?,?,?,?,?,?)').run(
    group.key,
    group.route,
    group.isDirty ? 1 : 0,
    group.flushAt,
    group.intervalMs,
    group.repeatMs,
    group.flushedAt,
    group.maxRepeatMs,
  )
}

/** Groups with a change whose time has come, and groups with a channel that is due a reminder. */
export function listDueGroups(db: Database, now: UnixMs): GroupRow[] {
  return db
    .prepare(
      `SELECT * FROM alert_groups WHERE (dirty = 1 AND flush_at <= ?1)
        UNION SELECT g.* FROM group_channels c JOIN alert_groups g ON g.key = c.group_key WHERE c.repeat_at <= ?1`,
    )
    .all(now)
    .map(toGroup)
}

export function nextGroupDue(db: Database): UnixMs | null {
  const row = db
    .prepare(
      `SELECT MIN(at) AS at FROM (SELECT MIN(flush_at) AS at FROM alert_groups WHERE dirty = 1
        UNION ALL SELECT MIN(repeat_at) FROM group_channels)`,
    )
    .get()
  return numberOrNull(row?.['at'])
}

/** A wall clock that went back must not turn a timer of minutes into hours. */
export function clampGroups(db: Database, now: UnixMs, longestWaitMs: number): void {
  db.prepare(
    'UPDATE alert_groups SET flush_at = ?1 WHERE dirty = 1 AND flush_at > ?1 + MAX(interval_ms, ?2)',
  ).run(now, longestWaitMs)
  db.prepare(
    `UPDATE group_channels SET acked_at = ?1, repeat_at = ?1 + repeat_at - acked_at WHERE acked_at > ?1`,
  ).run(now)
}

export function addMember(db: Database, key: string, alertId: number): void {
  db.prepare('INSERT OR IGNORE INTO group_members (group_key, alert_id) VALUES (?, ?)').run(key, alertId)
}

export function removeMember(db: Database, key: string, alertId: number): void {
  db.prepare('DELETE FROM group_members WHERE group_key = ? AND alert_id = ?').run(key, alertId)
}

export interface Member extends AlertRow {
  /** Why something may have been left unsaid at the last look. */
  readonly withheld: 'nothing' | 'inhibited' | 'muted'
}

const withheldWords = ['nothing', 'inhibited', 'muted'] as const

export function setWithheld(db: Database, key: string, alertId: number, withheld: Member['withheld']): void {
  db.prepare('UPDATE group_members SET withheld = ? WHERE group_key = ? AND alert_id = ?').run(
    withheldWords.indexOf(withheld),
    key,
    alertId,
  )
}

export function listMembers(db: Database, key: string): Member[] {
  return db
    .prepare(
      `SELECT ${alertColumns}, m.withheld FROM group_members m JOIN alerts a ON a.id = m.alert_id WHERE m.group_key = ? ORDER BY a.id`,
    )
    .all(key)
    .map((row) => ({ ...toAlertRow(row), withheld: withheldWords[Number(row['withheld'])] ?? 'nothing' }))
}

export function listGroupsOf(db: Database, alertId: number): GroupRow[] {
  return db
    .prepare(
      'SELECT g.* FROM group_members m JOIN alert_groups g ON g.key = m.group_key WHERE m.alert_id = ?',
    )
    .all(alertId)
    .map(toGroup)
}

export interface GroupChannel {
  readonly channel: string
  readonly ackedAt: UnixMs
  readonly repeatAt: UnixMs
}

export function listGroupChannels(db: Database, key: string): GroupChannel[] {
  return db
    .prepare('SELECT channel, acked_at, repeat_at FROM group_channels WHERE group_key = ?')
    .all(key)
    .map((row) => ({
      channel: String(row['channel']),
      ackedAt: Number(row['acked_at']),
      repeatAt: Number(row['repeat_at']),
    }))
}

export function saveGroupChannel(db: Database, key: string, entry: GroupChannel): void {
  db.prepare('INSERT OR REPLACE INTO group_channels VALUES (?, ?, ?, ?)').run(
    key,
    entry.channel,
    entry.ackedAt,
    entry.repeatAt,
  )
}

export function deleteGroupChannel(db: Database, key: string, channel: string): void {
  db.prepare('DELETE FROM group_channels WHERE group_key = ? AND channel = ?').run(key, channel)
}

/** Has groups that wait for nothing, or for the end of a silence, looked at now. */
export function touchQuietGroups(db: Database, now: UnixMs): void {
  db.prepare(
    `UPDATE alert_groups SET dirty = 1, flush_at = ?
      WHERE EXISTS (SELECT 1 FROM group_members m WHERE m.group_key = key AND (dirty = 0 OR m.withheld = 2))`,
  ).run(now)
}

/** Has groups looked at now in which something was told as news about another alert. */
export function touchJoined(db: Database, now: UnixMs): void {
  db.prepare(
    `UPDATE alert_groups SET dirty = 1, flush_at = ? WHERE dirty = 0 AND EXISTS (SELECT 1 FROM group_members m
      JOIN outbox o ON o.alert_id = m.alert_id WHERE m.group_key = key AND o.what = 'joined')`,
  ).run(now)
}

/** How many reminders in a row a channel got of a group. */
export function countRepeats(db: Database, key: string, channel: string): number {
  const row = db
    .prepare('SELECT count FROM group_repeats WHERE group_key = ? AND channel = ?')
    .get(key, channel)
  return Number(row?.['count'] ?? 0)
}

export function saveRepeats(db: Database, key: string, channel: string, count: number): void {
  db.prepare('INSERT OR REPLACE INTO group_repeats VALUES (?, ?, ?)').run(key, channel, count)
}

/** Groups without alerts, once a new one would no longer have to keep a distance from what they said. */
export function deleteIdleGroups(db: Database, now: UnixMs): void {
  db.prepare(
    `DELETE FROM alert_groups WHERE dirty = 0 AND flushed_at + interval_ms < ?
      AND NOT EXISTS (SELECT 1 FROM group_members m WHERE m.group_key = key)`,
  ).run(now)
  db.prepare(
    'DELETE FROM group_channels WHERE NOT EXISTS (SELECT 1 FROM alert_groups g WHERE g.key = group_key)',
  ).run()
  db.prepare(
    'DELETE FROM group_repeats WHERE NOT EXISTS (SELECT 1 FROM alert_groups g WHERE g.key = group_key)',
  ).run()
}

export interface RuleEvaluation {
  readonly rule: string
  /** Of the newest successful evaluation. */
  readonly evaluatedAt: UnixMs | null
  /** In a row. */
  readonly errors: number
  readonly failingSince: UnixMs | null
  readonly reason: string | null
  /** Since when evaluations could say nothing at all; null when the newest one could. */
  readonly unknownSince: UnixMs | null
  /** Of which subjects the newest one could say nothing, though it could of others; not known right after a start. */
  readonly unsure?: readonly string[]
}

export function getEvaluation(db: Database, rule: string): RuleEvaluation | null {
  const row = db.prepare('SELECT * FROM rule_evaluations WHERE rule = ?').get(rule)
  return row ? toEvaluation(row) : null
}

export function listEvaluations(db: Database): RuleEvaluation[] {
  return db.prepare('SELECT * FROM rule_evaluations').all().map(toEvaluation)
}

function toEvaluation(row: Record<string, unknown>): RuleEvaluation {
  return {
    rule: String(row['rule']),
    evaluatedAt: numberOrNull(row['evaluated_at']),
    errors: Number(row['errors']),
    failingSince: numberOrNull(row['failing_since']),
    reason: textOrNull(row['reason']),
    unknownSince: numberOrNull(row['unknown_since']),
  }
}

export function saveEvaluation(db: Database, entry: RuleEvaluation): void {
  db.prepare('INSERT OR REPLACE INTO rule_evaluations VALUES (?, ?, ?, ?, ?, ?)').run(
    entry.rule,
    entry.evaluatedAt,
    entry.errors,
    entry.failingSince,
    entry.reason,
    entry.unknownSince,
  )
}

export function deleteEvaluation(db: Database, rule: string): void {
  db.prepare('DELETE FROM rule_evaluations WHERE rule = ?').run(rule)
}

export interface Decision {
  readonly at: UnixMs
  readonly alertId: number | null
  readonly rule: string
  readonly subject: string
  readonly what: string
  readonly reason: string
}

const keptDecisions = 50_000

export function recordDecision(db: Database, decision: Decision): void {
  const result = db
    .prepare('INSERT INTO decisions (at, alert_id, rule, subject, what, reason) VALUES (?, ?, ?, ?, ?, ?)')
    .run(decision.at, decision.alertId, decision.rule, decision.subject, decision.what, decision.reason)
  const id = Number(result.lastInsertRowid)
  // Trimmed now and then: a delete a row would double the cost of a storm.
  if (id % 1_000 === 0) db.prepare('DELETE FROM decisions WHERE id <= ?').run(id - keptDecisions)
}

/** Newest first. */
export function listDecisions(db: Database, query: { alertId?: number; limit: number }): Decision[] {
  const where = query.alertId === undefined ? '' : 'WHERE alert_id = ?'
  const values = query.alertId === undefined ? [] : [query.alertId]
  return db
    .prepare(`SELECT * FROM decisions ${where} ORDER BY id DESC LIMIT ?`)
    .all(...values, query.limit)
    .map((row) => ({
      at: Number(row['at']),
      alertId: numberOrNull(row['alert_id']),
      rule: String(row['rule']),
      subject: String(row['subject']),
      what: String(row['what']),
      reason: String(row['reason']),
    }))
}

/** How often an alert fired since a time: what makes it flapping. */
export function countFirings(db: Database, alertId: number, since: UnixMs): number {
  const sql = "SELECT COUNT(*) AS count FROM decisions WHERE alert_id = ? AND what = 'fired' AND at >= ?"
  return Number(db.prepare(sql).get(alertId, since)?.['count'])
}
