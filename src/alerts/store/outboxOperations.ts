import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { columns, instant, int, type Read, text } from '../../store/table.ts'
import { type OutboxItem, outboxTable } from './outboxItems.ts'

/** In place of a message's name: somebody decided that this is not sent. */
export const droppedMark = 'dropped'

export function getOutboxItem(db: Database, id: number): OutboxItem | null {
  return outboxTable.get(db, 'SELECT * FROM outbox WHERE id = ?', id)
}

/** What was set aside, oldest first. */
export function listDead(db: Database, limit: number): OutboxItem[] {
  return outboxTable.all(db, "SELECT * FROM outbox WHERE state = 'dead' ORDER BY id LIMIT ?", limit)
}

/** As many are looked at, the newest: with each evaluation. */
const mostCounted = 1_000

const deadCounts = columns({ channel: text, count: int, firstAt: instant })
export type DeadCount = Read<typeof deadCounts>

/**
 * What was set aside since a time and is told to nobody: not on the fallback channel, not later, and nobody decided it.
 * Reminders say nothing new. Alerts of the kind that tells of this itself are not counted, or it would feed itself.
 */
export function countDead(db: Database, of: { readonly since: UnixMs; readonly but: string }): DeadCount[] {
  const sql = `SELECT o.channel, COUNT(*) AS count, MIN(o.sent_at) AS first_at
    FROM (SELECT * FROM outbox WHERE state = 'dead' AND state <> 'sent' ORDER BY id DESC LIMIT ${mostCounted}) o
    JOIN alerts a ON a.id = o.alert_id
    WHERE o.sent_at > ?1 AND o.rerouted = 0 AND o.what NOT IN ('case', 'repeat') AND o.message_id IS NOT '${droppedMark}'
      AND a.kind <> ?2 AND NOT EXISTS (SELECT 1 FROM outbox l WHERE l.alert_id = o.alert_id AND l.channel = o.channel
        AND l.id > o.id AND l.state <> 'dead')
    GROUP BY o.channel ORDER BY o.channel`
  return deadCounts.all(db, sql, of.since, of.but)
}

/** Since when all that was sent to a channel was set aside; null where it was nothing, or the channel took something later. */
export function readRefusedSince(db: Database, channel: string, lastAckAt: UnixMs | null): UnixMs | null {
  const sql = `SELECT MIN(sent_at) FROM outbox WHERE state = 'dead' AND state <> 'sent' AND channel = ?1 AND sent_at > ?2
    AND message_id IS NOT '${droppedMark}' AND delivery_id IS NOT NULL`
  return instant.orNull().get(db, sql, channel, lastAckAt ?? -1) ?? null
}

/** Back into the queue, with its retries and its time beginning anew. */
export function reviveItem(db: Database, id: number, expiresAt: UnixMs, now: UnixMs): void {
  db.prepare(
    `UPDATE outbox SET state = 'queued', delivery_id = NULL, rerouted = 0, not_before = ?2, expires_at = ?3, sent_at = NULL,
      message_id = NULL WHERE id = ?1`,
  ).run(id, now, expiresAt)
}

export function dropItem(db: Database, id: number, now: UnixMs): void {
  db.prepare(
    `UPDATE outbox SET state = 'dead', delivery_id = NULL, sent_at = ?2, message_id = '${droppedMark}' WHERE id = ?1`,
  ).run(id, now)
}

export function countItemsOf(db: Database, deliveryId: number): number {
  return int.get(db, 'SELECT COUNT(*) FROM outbox WHERE delivery_id = ?', deliveryId) ?? 0
}

/** A channel that refuses us is asked again now and not at its next probe. */
export function probeNow(db: Database, channel: string, now: UnixMs): void {
  db.prepare("UPDATE channels SET probe_at = ?2 WHERE name = ?1 AND circuit = 'open'").run(channel, now)
}

export function carryItem(db: Database, id: number, deliveryId: number): void {
  db.prepare("UPDATE outbox SET delivery_id = ? WHERE id = ? AND state = 'queued'").run(deliveryId, id)
}

/** What is queued and not on its way, behind a number. */
export function listUncarried(db: Database, after: number): OutboxItem[] {
  const sql =
    "SELECT * FROM outbox WHERE state = 'queued' AND delivery_id IS NULL AND id > ? ORDER BY id LIMIT 10000"
  return outboxTable.all(db, sql, after)
}
