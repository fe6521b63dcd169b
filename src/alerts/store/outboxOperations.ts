import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { int } from '../../store/table.ts'
import { type OutboxItem, outboxTable } from './outboxItems.ts'

export function getOutboxItem(db: Database, id: number): OutboxItem | null {
  return outboxTable.get(db, 'SELECT * FROM outbox WHERE id = ?', id)
}

/** What was set aside, oldest first. */
export function listDead(db: Database, limit: number): OutboxItem[] {
  return outboxTable.all(db, "SELECT * FROM outbox WHERE state = 'dead' ORDER BY id LIMIT ?", limit)
}

/** Back into the queue, with its retries and its time beginning anew. */
export function reviveItem(db: Database, id: number, expiresAt: UnixMs, now: UnixMs): void {
  db.prepare(
    `UPDATE outbox SET state = 'queued', delivery_id = NULL, rerouted = 0, not_before = ?2, expires_at = ?3, sent_at = NULL,
      message_id = NULL WHERE id = ?1`,
  ).run(id, now, expiresAt)
}

/** In place of a message's name: somebody decided that this is not sent. */
export const droppedMark = 'dropped'

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
