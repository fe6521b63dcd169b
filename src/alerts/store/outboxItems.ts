import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { columns, flag, instant, int, oneOf, type Read, table, text } from '../../store/table.ts'

/**
 * `both`: fired and resolved before anything was sent to the channel. `joined`: an alert that says more of the same
 * thing was sent to the channel, so that this one is an update of that. `case`: something happened to its case as a whole.
 */
const what = oneOf('event', 'firing', 'joined', 'repeat', 'resolved', 'both', 'correction', 'case').orElse(
  'event',
)
export type OutboxWhat = Read<typeof what>

const newItems = table('outbox', {
  alertId: int,
  channel: text,
  episode: int,
  what,
  groupKey: text.orNull(),
  isCritical: flag.from('critical').orElse(true),
  createdAt: instant,
  notBefore: instant,
  expiresAt: instant,
  /** The case that it is told within; null where its route groups by something else. */
  caseId: int.orNull(),
  /** What happened to the case. */
  change: text.orNull(),
})
export const outboxTable = table('outbox', {
  ...newItems.shape,
  id: int,
  state: oneOf('queued', 'sent', 'dead').orElse('queued'),
  /** The message that carries it now or carried it. */
  deliveryId: int.orNull(),
  sentAt: instant.orNull(),
  messageId: text.orNull(),
})
export type NewOutboxItem = Read<typeof newItems>
export type OutboxItem = Read<typeof outboxTable>

export function queueItem(db: Database, item: NewOutboxItem): void {
  db.prepare(
    `INSERT INTO outbox (${newItems.list()}, state, rerouted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', 0)`,
  ).run(...newItems.values(item))
}

export function listItemsOf(db: Database, alertId: number): OutboxItem[] {
  return outboxTable.all(db, 'SELECT * FROM outbox WHERE alert_id = ? ORDER BY id', alertId)
}

/** What is queued for a channel and not on its way. */
export function listQueuedOf(db: Database, channel: string): OutboxItem[] {
  const sql =
    "SELECT * FROM outbox WHERE state = 'queued' AND delivery_id IS NULL AND channel = ? ORDER BY id"
  return outboxTable.all(db, sql, channel)
}

export function deleteItem(db: Database, id: number): void {
  db.prepare('DELETE FROM outbox WHERE id = ?').run(id)
}

/** What was sent, or is queued, of a group's alerts as firing or resolved. */
export function listToldOfGroup(db: Database, key: string): OutboxItem[] {
  const sql = `SELECT o.* FROM group_members m JOIN outbox o ON o.alert_id = m.alert_id
    WHERE m.group_key = ? AND o.what IN ('firing', 'joined', 'resolved', 'both') ORDER BY o.id`
  return outboxTable.all(db, sql, key)
}

/** Nobody is told any more that a case is over who was to be told that later. Returns the channels. */
export function withdrawClosed(db: Database, caseId: number, now: UnixMs): string[] {
  const sql = `DELETE FROM outbox WHERE case_id = ? AND what = 'case' AND change = 'closed' AND state = 'queued'
    AND delivery_id IS NULL AND not_before > ? RETURNING channel`
  return text.all(db, sql, caseId, now)
}

export function setItemWhat(db: Database, id: number, what: OutboxWhat): void {
  db.prepare('UPDATE outbox SET what = ? WHERE id = ?').run(what, id)
}

/** Before a reminder: the one before it is out of date. */
export function deleteRepeats(db: Database, alertId: number, channel: string): void {
  db.prepare(
    "DELETE FROM outbox WHERE alert_id = ? AND channel = ? AND what = 'repeat' AND (state <> 'queued' OR delivery_id IS NULL)",
  ).run(alertId, channel)
}

/** Reminders that wait for their channel. */
export const waitingRepeats = "what = 'repeat' AND state = 'queued' AND delivery_id IS NULL"

/** A reminder is pointless once its alert is over. */
export function deleteUnsentRepeats(db: Database, alertId: number, channel: string): void {
  db.prepare(`DELETE FROM outbox WHERE alert_id = ? AND channel = ? AND ${waitingRepeats}`).run(
    alertId,
    channel,
  )
}

/**
 * Two alerts became one: where one was sent to a channel, the other counts as sent in its present episode, in the one
 * before while that has not fired, and what is still queued of it is dropped.
 */
export function moveTold(db: Database, fromAlertId: number, toAlertId: number): void {
  db.prepare(
    `DELETE FROM outbox WHERE alert_id = ?2 AND state = 'queued' AND delivery_id IS NULL AND what IN ('event', 'firing', 'joined')
      AND EXISTS (SELECT 1 FROM outbox f WHERE f.alert_id = ?1 AND f.channel = outbox.channel AND f.state <> 'dead')`,
  ).run(fromAlertId, toAlertId)
  db.prepare(
    'UPDATE outbox SET alert_id = ?2, episode = (SELECT episode - (fired_at IS NULL) FROM alerts WHERE id = ?2) WHERE alert_id = ?1',
  ).run(fromAlertId, toAlertId)
}

export function deleteUnsentOf(db: Database, alertId: number): void {
  db.prepare("DELETE FROM outbox WHERE alert_id = ? AND state = 'queued' AND delivery_id IS NULL").run(
    alertId,
  )
}

const depths = columns({ channel: text, queued: int, oldestAt: instant.orNull() })
export type QueueDepth = Read<typeof depths>

// Counted in indexes alone, and what was sent is not looked at: status and health are asked for amid a storm.
const queued = `SELECT channel, COUNT(*) AS queued FROM outbox WHERE state = 'queued' AND delivery_id IS NULL GROUP BY channel
  UNION ALL SELECT o.channel, COUNT(*) FROM deliveries d CROSS JOIN outbox o ON o.delivery_id = d.id WHERE o.state = 'queued' GROUP BY o.channel`
const oldest = `SELECT created_at FROM outbox o WHERE o.state = 'queued' AND o.state <> 'sent' AND o.channel = c.channel ORDER BY id LIMIT 1`

/** Unsent items by channel, those under way included. */
export function listDepths(db: Database): QueueDepth[] {
  const sql = `SELECT channel, SUM(queued) AS queued, (${oldest}) AS oldest_at FROM (${queued}) c GROUP BY channel`
  return depths.all(db, sql)
}

/** Whether any channel has something unsent, or under way. */
export function hasUnsent(db: Database): boolean {
  const sql = `SELECT EXISTS (SELECT 1 FROM outbox WHERE state = 'queued' AND state <> 'sent')
    OR EXISTS (SELECT 1 FROM deliveries) AS has`
  return db.prepare(sql).get()?.['has'] === 1
}

export interface Lane {
  readonly channel: string
  readonly isCritical: boolean
}

const firstItems = columns({ notBefore: instant, createdAt: instant })

/** The item of a lane that may be sent first; null when there is none. */
export function findFirstItem(db: Database, lane: Lane): Read<typeof firstItems> | null {
  const sql = `SELECT not_before, created_at FROM outbox
    WHERE state = 'queued' AND delivery_id IS NULL AND channel = ? AND critical = ? ORDER BY not_before LIMIT 1`
  return firstItems.get(db, sql, lane.channel, lane.isCritical ? 1 : 0)
}

/** The wall clock went back: what was queued by a time that is yet to come waits for nothing. */
export function hastenFuture(db: Database, now: UnixMs): void {
  db.prepare(
    "UPDATE outbox SET not_before = ?1 WHERE state = 'queued' AND delivery_id IS NULL AND created_at > ?1",
  ).run(now)
}

/** The same of what was sent: it is not later than what is told now. */
export function clampDone(db: Database, now: UnixMs): void {
  db.prepare("UPDATE outbox SET created_at = ?1 WHERE state <> 'queued' AND created_at > ?1").run(now)
}

/** Back into the queue: they reached nobody. What was there once is known by its time, which is later than that of its making. */
export function releaseItems(db: Database, deliveryId: number, now: UnixMs): void {
  db.prepare(
    "UPDATE outbox SET delivery_id = NULL, not_before = MAX(?2, created_at + 1) WHERE delivery_id = ?1 AND state = 'queued'",
  ).run(deliveryId, now)
}

/** Whether a message carries what went back into the queue once, before a time. */
export function wasReleased(db: Database, deliveryId: number, before: UnixMs): boolean {
  const sql = `SELECT COUNT(*) FROM outbox WHERE delivery_id = ?1 AND not_before > created_at AND not_before < ?2`
  return (int.get(db, sql, deliveryId, before) ?? 0) > 0
}

export function finishItems(
  db: Database,
  deliveryId: number,
  as: { readonly state: 'sent' | 'dead'; readonly at: UnixMs; readonly messageId: string },
): void {
  db.prepare(
    "UPDATE outbox SET state = ?, sent_at = ?, message_id = ? WHERE delivery_id = ? AND state = 'queued'",
  ).run(as.state, as.at, as.messageId, deliveryId)
  if (as.state === 'dead') return
  db.prepare(
    `UPDATE alerts SET state = 'delivered' WHERE state = 'new'
      AND id IN (SELECT alert_id FROM outbox WHERE delivery_id = ?)`,
  ).run(deliveryId)
}

export function listGroupKeysOf(db: Database, deliveryId: number): string[] {
  const sql = 'SELECT DISTINCT group_key FROM outbox WHERE delivery_id = ? AND group_key IS NOT NULL'
  return text.all(db, sql, deliveryId)
}

/** Whether something is unsent to a channel, or under way. */
export function hasUnsentTo(db: Database, channel: string): boolean {
  const sql = `SELECT EXISTS (SELECT 1 FROM outbox WHERE state = 'queued' AND channel = ?1)
    OR EXISTS (SELECT 1 FROM deliveries WHERE channel = ?1) AS has`
  return db.prepare(sql).get(channel)?.['has'] === 1
}

/** Newest first; `queued` and `dead` are what an operator looks for. */
export function listOutbox(db: Database, query: { state: OutboxItem['state']; limit: number }): OutboxItem[] {
  const sql = 'SELECT * FROM outbox WHERE state = ? ORDER BY id DESC LIMIT ?'
  return outboxTable.all(db, sql, query.state, query.limit)
}

/** Done items are history, but those of conditions that go on, or whose end is held back, say which channels must get it. */
export function purgeDone(db: Database, before: UnixMs): number {
  const result = db
    .prepare(
      `DELETE FROM outbox WHERE state <> 'queued' AND sent_at < ? AND NOT EXISTS (SELECT 1 FROM alerts a
        WHERE a.id = outbox.alert_id AND a.state IN ('pending', 'firing', 'recovering'))
      AND NOT EXISTS (SELECT 1 FROM group_members m WHERE m.alert_id = outbox.alert_id)`,
    )
    .run(before)
  return Number(result.changes)
}
