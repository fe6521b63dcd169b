import type { UnixMs } from '../../lib/clock.ts'
import { alertColumns, type AlertHead, alertTable } from './alertRows.ts'
import type { Database } from '../../store/database.ts'
import { codec, columns, flag, instant, int, type Read, table, text } from '../../store/table.ts'

const groups = table('alert_groups', {
  key: text,
  route: text,
  isDirty: flag.from('dirty').orElse(true),
  flushAt: instant,
  intervalMs: int,
  repeatMs: int,
  /** Up to where reminders grow; null when they do not. */
  maxRepeatMs: int.orNull(),
  flushedAt: instant.orNull(),
})
export type GroupRow = Read<typeof groups>

export function getGroup(db: Database, key: string): GroupRow | null {
  return groups.get(db, 'SELECT * FROM alert_groups WHERE key = ?', key)
}

export function saveGroup(db: Database, group: GroupRow): void {
  db.prepare(`INSERT OR REPLACE ${groups.into}`).run(...groups.values(group))
}

/** Groups with a change whose time has come, and groups with a channel that is due a reminder. */
export function listDueGroups(db: Database, now: UnixMs): GroupRow[] {
  const sql = `SELECT * FROM alert_groups WHERE (dirty = 1 AND flush_at <= ?1)
    UNION SELECT g.* FROM group_channels c JOIN alert_groups g ON g.key = c.group_key WHERE c.repeat_at <= ?1`
  return groups.all(db, sql, now)
}

export function nextGroupDue(db: Database): UnixMs | null {
  const sql = `SELECT MIN(at) FROM (SELECT MIN(flush_at) AS at FROM alert_groups WHERE dirty = 1
    UNION ALL SELECT MIN(repeat_at) FROM group_channels)`
  return instant.orNull().get(db, sql)
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

/** An alert goes on in another group as in the one it leaves: whether it was muted, what is queued, its reminders. */
export function carryMember(
  db: Database,
  of: {
    readonly alertId: number
    readonly from: string
    readonly to: string
    readonly channels: readonly string[]
  },
): void {
  const { alertId, from, to } = of
  db.prepare(
    `INSERT OR IGNORE INTO group_members (group_key, alert_id, withheld)
      SELECT ?3, alert_id, withheld FROM group_members WHERE group_key = ?2 AND alert_id = ?1`,
  ).run(alertId, from, to)
  db.prepare(
    `UPDATE outbox SET group_key = ?3 WHERE alert_id = ?1 AND group_key = ?2 AND state = 'queued'
      AND channel IN (SELECT value FROM json_each(?4))`,
  ).run(alertId, from, to, JSON.stringify(of.channels))
  copyGroupChannels(db, from, to)
}

/** Two alerts became one: it is in the groups of both. */
export function moveMember(db: Database, fromAlertId: number, toAlertId: number): void {
  db.prepare('UPDATE OR IGNORE group_members SET alert_id = ?2 WHERE alert_id = ?1').run(
    fromAlertId,
    toAlertId,
  )
  db.prepare('DELETE FROM group_members WHERE alert_id = ?').run(fromAlertId)
}

export function removeMember(db: Database, key: string, alertId: number): void {
  db.prepare('DELETE FROM group_members WHERE group_key = ? AND alert_id = ?').run(key, alertId)
}

const withheldWords = ['nothing', 'inhibited', 'muted'] as const
const withheldWord = codec({
  type: 'INTEGER',
  expected: '0, 1 or 2',
  read: (cell) => (typeof cell === 'number' ? withheldWords[cell] : undefined),
  write: (word: (typeof withheldWords)[number]) => withheldWords.indexOf(word),
}).orElse('nothing')
const members = columns({
  ...alertTable.shape,
  /** Why something may not have been sent at the last flush. */
  withheld: withheldWord,
  /** Somebody has the case that it is in. */
  isTaken: flag,
})
export type Member = Read<typeof members>

export function setWithheld(db: Database, key: string, alertId: number, withheld: Member['withheld']): void {
  db.prepare('UPDATE group_members SET withheld = ? WHERE group_key = ? AND alert_id = ?').run(
    withheldWord.write(withheld),
    key,
    alertId,
  )
}

export function listMembers(db: Database, key: string): Member[] {
  const sql = `SELECT ${alertColumns}, m.withheld, EXISTS (SELECT 1 FROM case_members n JOIN cases c ON c.id = n.case_id
      WHERE n.alert_id = a.id AND n.episode = a.episode AND c.state IN ('acknowledged', 'handled')) AS is_taken
    FROM group_members m JOIN alerts a ON a.id = m.alert_id WHERE m.group_key = ? ORDER BY a.id`
  return members.all(db, sql, key)
}

export function listGroupsOf(db: Database, alertId: number): GroupRow[] {
  const sql =
    'SELECT g.* FROM group_members m JOIN alert_groups g ON g.key = m.group_key WHERE m.alert_id = ?'
  return groups.all(db, sql, alertId)
}

/** Alerts that are over, and whose end some channel has yet to be sent. */
export function listEndedMembers(db: Database): AlertHead[] {
  const sql = `SELECT DISTINCT ${alertColumns} FROM group_members m JOIN alerts a ON a.id = m.alert_id
    WHERE a.state IN ('resolved', 'inactive') ORDER BY a.id`
  return alertTable.all(db, sql)
}

const channels = table('group_channels', { channel: text, ackedAt: instant, repeatAt: instant })
export type GroupChannel = Read<typeof channels>

export function listGroupChannels(db: Database, key: string): GroupChannel[] {
  return channels.all(db, 'SELECT * FROM group_channels WHERE group_key = ?', key)
}

export function saveGroupChannel(db: Database, key: string, entry: GroupChannel): void {
  db.prepare('INSERT OR REPLACE INTO group_channels VALUES (?, ?, ?, ?)').run(key, ...channels.values(entry))
}

const unlessSooner = `ON CONFLICT DO UPDATE SET acked_at = excluded.acked_at, repeat_at = excluded.repeat_at
  WHERE excluded.repeat_at < repeat_at`

/** A channel's next reminder, unless one comes sooner. */
export function addGroupChannel(db: Database, key: string, entry: GroupChannel): void {
  const sql = `INSERT INTO group_channels VALUES (?, ?, ?, ?) ${unlessSooner}`
  db.prepare(sql).run(key, ...channels.values(entry))
}

export function deleteGroupChannel(db: Database, key: string, channel: string): void {
  db.prepare('DELETE FROM group_channels WHERE group_key = ? AND channel = ?').run(key, channel)
}

/** What is reminded of in one group is reminded of in another too, where it is not sooner. */
export function copyGroupChannels(db: Database, from: string, to: string): void {
  db.prepare(
    `INSERT INTO group_channels SELECT ?2, channel, acked_at, repeat_at FROM group_channels WHERE group_key = ?1 ${unlessSooner}`,
  ).run(from, to)
}

/** Schedules a flush now of groups that wait for nothing, or for the end of a silence. */
export function touchQuietGroups(db: Database, now: UnixMs): void {
  db.prepare(
    `UPDATE alert_groups SET dirty = 1, flush_at = ?
      WHERE EXISTS (SELECT 1 FROM group_members m WHERE m.group_key = key AND (dirty = 0 OR m.withheld = 2))`,
  ).run(now)
}

/** Schedules a flush now of groups in which something was sent as an update of another alert. */
export function touchJoined(db: Database, now: UnixMs): void {
  db.prepare(
    `UPDATE alert_groups SET dirty = 1, flush_at = ? WHERE dirty = 0 AND EXISTS (SELECT 1 FROM group_members m
      JOIN outbox o ON o.alert_id = m.alert_id WHERE m.group_key = key AND o.what = 'joined')`,
  ).run(now)
}

/** Two cases became one: their groups go on as those of the one. */
export function moveGroups(db: Database, from: string, to: string, now: UnixMs): void {
  for (const group of groups.all(db, 'SELECT * FROM alert_groups WHERE instr(key, ?) > 0', from)) {
    const key = group.key.replace(from, to)
    const other = getGroup(db, key)
    db.prepare('UPDATE OR IGNORE group_members SET group_key = ?2 WHERE group_key = ?1').run(group.key, key)
    db.prepare('DELETE FROM group_members WHERE group_key = ?').run(group.key)
    db.prepare('UPDATE outbox SET group_key = ?2 WHERE group_key = ?1').run(group.key, key)
    db.prepare('DELETE FROM alert_groups WHERE key = ?').run(group.key)
    copyGroupChannels(db, group.key, key)
    db.prepare('DELETE FROM group_channels WHERE group_key = ?').run(group.key)
    const flushAt = Math.min(group.isDirty ? group.flushAt : now, other?.isDirty ? other.flushAt : Infinity)
    saveGroup(db, { ...(other ?? group), key, isDirty: true, flushAt })
  }
}

/** What a channel was told of a case and holds is due at once, unless it was told of something there since a time. */
export function remindNow(
  db: Database,
  { caseId, channel, since }: { readonly caseId: number; readonly channel: string; readonly since: UnixMs },
  now: UnixMs,
): void {
  // What waits to be sent is rendered then, and says it.
  db.prepare(
    `INSERT OR REPLACE INTO group_channels SELECT DISTINCT g.group_key, ?2, ?4, ?4 FROM case_members m
      JOIN group_members g ON g.alert_id = m.alert_id JOIN outbox o ON o.alert_id = m.alert_id AND o.channel = ?2
      WHERE m.case_id = ?1 AND (o.state = 'sent' OR o.delivery_id IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM outbox u
        WHERE u.alert_id = m.alert_id AND u.channel = ?2 AND u.state = 'queued' AND u.delivery_id IS NULL)
      AND NOT EXISTS (SELECT 1 FROM case_members m JOIN outbox o ON o.alert_id = m.alert_id
        WHERE m.case_id = ?1 AND o.channel = ?2 AND o.created_at > ?3)`,
  ).run(caseId, channel, since, now)
}

/** Whoever was told of an alert that holds is reminded of it at once. What waits to be sent is rendered then. */
export function remindAlertNow(db: Database, alertId: number, now: UnixMs): void {
  db.prepare(
    `INSERT OR REPLACE INTO group_channels SELECT DISTINCT g.group_key, o.channel, ?2, ?2 FROM group_members g
      JOIN outbox o ON o.alert_id = g.alert_id WHERE g.alert_id = ?1 AND (o.state = 'sent' OR o.delivery_id IS NOT NULL)`,
  ).run(alertId, now)
}

/** How many reminders in a row a channel got of a group. */
export function countRepeats(db: Database, key: string, channel: string): number {
  const sql = 'SELECT count FROM group_repeats WHERE group_key = ? AND channel = ?'
  return int.get(db, sql, key, channel) ?? 0
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

const evaluations = table('rule_evaluations', {
  rule: text,
  /** Of the newest successful evaluation. */
  evaluatedAt: instant.orNull(),
  /** In a row. */
  errors: int,
  failingSince: instant.orNull(),
  reason: text.orNull(),
  /** Since when evaluations had nothing to judge by; null when the newest one had. */
  unknownSince: instant.orNull(),
  /** What the rule asked for when all that it found was last found by that; null before that was kept. */
  asks: text.orNull(),
})

export interface RuleEvaluation extends Read<typeof evaluations> {
  /** Of which subjects the newest one could say nothing, though it could of others; not known right after a start. */
  readonly unsure?: readonly string[]
}

export function getEvaluation(db: Database, rule: string): RuleEvaluation | null {
  return evaluations.get(db, 'SELECT * FROM rule_evaluations WHERE rule = ?', rule)
}

export function listEvaluations(db: Database): RuleEvaluation[] {
  return evaluations.all(db, 'SELECT * FROM rule_evaluations')
}

export function saveEvaluation(db: Database, entry: RuleEvaluation): void {
  db.prepare(`INSERT OR REPLACE ${evaluations.into}`).run(...evaluations.values(entry))
}

export function deleteEvaluation(db: Database, rule: string): void {
  db.prepare('DELETE FROM rule_evaluations WHERE rule = ?').run(rule)
}

const decisions = table('decisions', {
  at: instant,
  alertId: int.orNull(),
  rule: text,
  subject: text,
  what: text,
  reason: text,
})
export type Decision = Read<typeof decisions>

const keptDecisions = 50_000

export function recordDecision(db: Database, decision: Decision): void {
  const result = db.prepare(`INSERT ${decisions.into}`).run(...decisions.values(decision))
  const id = Number(result.lastInsertRowid)
  // Trimmed now and then: a delete a row would double the cost of a storm.
  if (id % 1_000 === 0) db.prepare('DELETE FROM decisions WHERE id <= ?').run(id - keptDecisions)
}

/** Newest first. */
export function listDecisions(db: Database, query: { alertId?: number; limit: number }): Decision[] {
  const where = query.alertId === undefined ? '' : 'WHERE alert_id = ?'
  const values = query.alertId === undefined ? [] : [query.alertId]
  const sql = `SELECT * FROM decisions ${where} ORDER BY id DESC LIMIT ?`
  return decisions.all(db, sql, ...values, query.limit)
}

/** How often an alert fired since a time: what makes it flapping. */
export function countFirings(db: Database, alertId: number, since: UnixMs): number {
  const sql = "SELECT COUNT(*) FROM decisions WHERE alert_id = ? AND what = 'fired' AND at >= ?"
  return int.get(db, sql, alertId, since) ?? 0
}
