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

export function setItemWhat(db: Database, id: number, what: OutboxWhat): void {
  db.prepare('UPDATE outbox SET what = ? WHERE id = ?').run(what, id)
}

/** Before a reminder: the one before it is out of date. */
export function deleteRepeats(db: Database, alertId: number, channel: string): void {
  db.prepare(
    "DELETE FROM outbox WHERE alert_id = ? AND channel = ? AND what = 'repeat' AND (state <> 'queued' OR delivery_id IS NULL)",
  ).run(alertId, channel)
}

/** A reminder is pointless once its alert is over. */
export function deleteUnsentRepeats(db: Database, alertId: number, channel: string): void {
  db.prepare(
    "DELETE FROM outbox WHERE alert_id = ? AND channel = ? AND what = 'repeat' AND state = 'queued' AND delivery_id IS NULL",
  ).run(alertId, channel)
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

interface Lane {
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

/**
 * Items of a lane that may be sent now, with numbered parameters. One of an alert of which something is being sent to the
 * channel at this moment waits.
 */
const isDue = (at: string, channel: string, critical: string) =>
  `o.state = 'queued' AND o.delivery_id IS NULL AND o.channel = ${channel} AND o.critical = ${critical} AND o.not_before <= ${at}
    AND o.alert_id NOT IN (SELECT u.alert_id FROM deliveries d CROSS JOIN outbox u ON u.delivery_id = d.id
      WHERE d.channel = ${channel} AND u.state = 'queued')`

/** `found`: items that are no changes of the case as a whole. */
const dueCases = columns({ caseId: int.orNull(), found: int })
export type DueCase = Read<typeof dueCases>

/** The case of what a channel that refuses us is tried with next: what it never refused, then what it refused longest ago. */
export function findProbeCase(db: Database, lane: Lane, now: UnixMs): Read<typeof probeCases> | null {
  const sql = `SELECT o.case_id FROM outbox o WHERE ${isDue('?1', '?2', '?3')}
    ORDER BY o.not_before > o.created_at, o.not_before, o.id LIMIT 1`
  return probeCases.get(db, sql, now, lane.channel, lane.isCritical ? 1 : 0)
}

const probeCases = columns({ caseId: int.orNull() })

/** Of which cases something is due in a lane, null for what belongs to none: the most money first. */
export function listDueCases(db: Database, lane: Lane, now: UnixMs): DueCase[] {
  const given = [now, lane.channel, lane.isCritical ? 1 : 0]
  const due = isDue('?1', '?2', '?3')
  const counted = `SELECT o.case_id, SUM(o.what <> 'case') AS found FROM outbox o WHERE ${due} GROUP BY o.case_id`
  const cases = dueCases.all(db, counted, ...given)
  // A storm is one case, or none: then no alert has to be looked at.
  if (cases.length <= 1) return cases
  const ranked = `SELECT o.case_id, SUM(o.what <> 'case') AS found FROM outbox o JOIN alerts a ON a.id = o.alert_id
    WHERE ${due} GROUP BY o.case_id ORDER BY MAX(a.amount_rank) DESC, MIN(o.id)`
  return dueCases.all(db, ranked, ...given)
}

/**
 * Puts what is due into a message, oldest first, and returns how many. No resolution overtakes its firing.
 */
export function claimItems(
  db: Database,
  claim: {
    readonly deliveryId: number
    readonly channel: string
    readonly isCritical: boolean
    readonly limit: number
    /** Only what is told within this case, or within none; left out, all that is due. */
    readonly only?: { readonly caseId: number | null }
  },
  now: UnixMs,
): number {
  // What happened to a case is told within that case.
  const ofCase = claim.only === undefined ? "AND o.what <> 'case'" : 'AND o.case_id IS ?6'
  const { changes } = db
    .prepare(
      `UPDATE outbox SET delivery_id = ?1 WHERE id IN (
        SELECT o.id FROM outbox o WHERE ${isDue('?4', '?2', '?3')} ${ofCase} ORDER BY o.id LIMIT ?5)`,
    )
    .run(
      claim.deliveryId,
      claim.channel,
      claim.isCritical ? 1 : 0,
      now,
      claim.limit,
      ...(claim.only === undefined ? [] : [claim.only.caseId]),
    )
  if (changes === 0) return 0
  // What waited for long has no more time than when it was queued.
  db.prepare(
    'UPDATE deliveries SET expires_at = MIN(expires_at, (SELECT MAX(expires_at) FROM outbox WHERE delivery_id = ?1)) WHERE id = ?1',
  ).run(claim.deliveryId)
  return Number(changes) - collapse(db, claim.deliveryId)
}

/** A firing and its resolution in one message are one item: fired and resolved. */
function collapse(db: Database, deliveryId: number): number {
  const { changes } = db
    .prepare(
      `UPDATE outbox SET what = 'both' WHERE delivery_id = ?1 AND what = 'resolved' AND EXISTS (SELECT 1 FROM outbox f
        WHERE f.alert_id = outbox.alert_id AND f.delivery_id = ?1 AND f.episode = outbox.episode AND f.what IN ('firing', 'joined'))`,
    )
    .run(deliveryId)
  if (changes === 0) return 0
  const removed = db
    .prepare(
      `DELETE FROM outbox WHERE delivery_id = ?1 AND what IN ('firing', 'joined', 'repeat') AND EXISTS (SELECT 1 FROM outbox b
        WHERE b.alert_id = outbox.alert_id AND b.delivery_id = ?1 AND b.episode = outbox.episode AND b.what = 'both')`,
    )
    .run(deliveryId)
  return Number(removed.changes)
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
