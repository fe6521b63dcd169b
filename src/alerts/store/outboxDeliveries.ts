import type { UnixMs } from '../../lib/clock.ts'
import { z } from 'zod'
import { isHash } from '../../store/hash.ts'
import type { Database } from '../../store/database.ts'
import { flag, instant, int, json, oneOf, type Read, table, text, texts } from '../../store/table.ts'
import { alertColumns, type AlertRow, alertTable } from './alertRows.ts'
import { formatKey, parseKey } from '../../ledger/transfers/transferRows.ts'

const attempts = table('deliveries', {
  /** `sending` is written before the first byte leaves; after a crash it may have arrived. */
  state: oneOf('sending', 'waiting').orElse('waiting'),
  /** Of the sending under way, or of the last one. */
  attempt: int,
  nextAt: instant,
  /** Answers so far that looked like success and were none. */
  suspicious: int,
  isDegraded: flag.from('degraded').orElse(false),
  /** Null for all: rather twice than not at all where it cannot be read. */
  recipients: texts.orNull().orElse(null),
  lastError: text.orNull(),
})
const deliveries = table('deliveries', {
  id: int,
  channel: text,
  isCritical: flag.from('critical').orElse(true),
  ...attempts.shape,
  createdAt: instant,
  expiresAt: instant,
  /** The one case of all that it carries; null when there are several, or none. */
  caseId: int.orNull(),
})
export type Delivery = Read<typeof deliveries>

/** Returns its id. Ids are never given twice, so that names of messages made from them are not either. */
export function insertDelivery(
  db: Database,
  of: Pick<Delivery, 'channel' | 'isCritical' | 'expiresAt' | 'caseId'>,
  now: UnixMs,
): number {
  const result = db
    .prepare(
      `INSERT INTO deliveries (channel, critical, state, attempt, next_at, created_at, expires_at, case_id, suspicious, degraded)
        VALUES (?, ?, 'sending', 1, ?, ?, ?, ?, 0, 0)`,
    )
    .run(of.channel, of.isCritical ? 1 : 0, now, now, of.expiresAt, of.caseId)
  return Number(result.lastInsertRowid)
}

export function getDelivery(db: Database, id: number): Delivery | null {
  return deliveries.get(db, 'SELECT * FROM deliveries WHERE id = ?', id)
}

export function listDeliveries(db: Database, lane: { channel: string; isCritical: boolean }): Delivery[] {
  const sql = 'SELECT * FROM deliveries WHERE channel = ? AND critical = ? ORDER BY next_at, id'
  return deliveries.all(db, sql, lane.channel, lane.isCritical ? 1 : 0)
}

export function listAllDeliveries(db: Database): Delivery[] {
  return deliveries.all(db, 'SELECT * FROM deliveries ORDER BY id')
}

export function saveDelivery(db: Database, delivery: Delivery): void {
  db.prepare(`UPDATE deliveries SET ${attempts.set} WHERE id = ?`).run(
    ...attempts.values(delivery),
    delivery.id,
  )
}

export function deleteDelivery(db: Database, id: number): void {
  db.prepare('DELETE FROM deliveries WHERE id = ?').run(id)
}

export function countAlertsOf(db: Database, id: number): number {
  return int.get(db, 'SELECT COUNT(DISTINCT alert_id) FROM outbox WHERE delivery_id = ?', id) ?? 0
}

/** Two messages in place of one, with half of its alerts each: behind others that wait, and rich in form again. */
export function splitDelivery(db: Database, delivery: Delivery, now: UnixMs): void {
  const half = Math.ceil(countAlertsOf(db, delivery.id) / 2)
  for (const limit of [half, -1]) {
    const id = insertDelivery(db, delivery, delivery.createdAt)
    db.prepare(
      `UPDATE outbox SET delivery_id = ?1 WHERE delivery_id = ?2 AND alert_id IN (SELECT DISTINCT alert_id FROM outbox
        WHERE delivery_id = ?2 ORDER BY alert_id LIMIT ?3)`,
    ).run(id, delivery.id, limit)
    saveDelivery(db, { ...delivery, id, state: 'waiting', isDegraded: false, nextAt: now })
  }
  deleteDelivery(db, delivery.id)
}

/**
 * One message in place of two, as old as the older one and as what may have been sent before. Under a name of its own: where either
 * arrived after all, whoever drops repeats by their names must not drop what is new in it.
 */
export function joinDelivery(db: Database, last: Delivery, before: Delivery): void {
  const caseId = last.caseId === before.caseId ? before.caseId : null
  const expiresAt = Math.max(last.expiresAt, before.expiresAt)
  const id = insertDelivery(db, { ...before, expiresAt, caseId }, before.createdAt)
  db.prepare('UPDATE outbox SET delivery_id = ?1 WHERE delivery_id IN (?2, ?3)').run(id, last.id, before.id)
  saveDelivery(db, { ...before, id })
  for (const one of [last, before]) deleteDelivery(db, one.id)
}

/** At start: what was being sent when the process ended is retried at once, as its next attempt. */
export function recoverDeliveries(db: Database, now: UnixMs): number {
  const result = db
    .prepare("UPDATE deliveries SET state = 'waiting', next_at = ? WHERE state = 'sending'")
    .run(now)
  return Number(result.changes)
}

/** A channel answers again: retries need not wait until the time that was set for them. */
export function hastenDeliveries(db: Database, channel: string, at: UnixMs): void {
  db.prepare(
    "UPDATE deliveries SET next_at = ?2 WHERE channel = ?1 AND state = 'waiting' AND recipients IS NULL AND next_at > ?2",
  ).run(channel, at)
}

const channels = table('channels', {
  name: text,
  circuit: oneOf('closed', 'open').orElse('closed'),
  openedAt: instant.orNull(),
  probeAt: instant.orNull(),
  reason: text.orNull(),
  /** Recipients that were refused for good, with the reason, and since when; rows of before do not say that. */
  refused: json(
    z
      .array(
        z.object({ recipient: z.string(), reason: z.string(), since: z.number().nullable().default(null) }),
      )
      .readonly(),
  ).orElse([]),
  lastAckAt: instant.orNull(),
  lastError: text.orNull(),
  lastErrorAt: instant.orNull(),
})
export type ChannelRow = Read<typeof channels>

export function getChannel(db: Database, name: string): ChannelRow {
  return channels.get(db, 'SELECT * FROM channels WHERE name = ?', name) ?? { ...fresh, name }
}

/** When a channel last took something; null for never, and for a time that is yet to come: the wall clock went back. */
export function readLastAck(db: Database, name: string, now: UnixMs): UnixMs | null {
  const { lastAckAt } = getChannel(db, name)
  return lastAckAt !== null && lastAckAt <= now ? lastAckAt : null
}

const fresh: ChannelRow = {
  name: '',
  circuit: 'closed',
  openedAt: null,
  probeAt: null,
  reason: null,
  refused: [],
  lastAckAt: null,
  lastError: null,
  lastErrorAt: null,
}

export function listChannels(db: Database): ChannelRow[] {
  return channels.all(db, 'SELECT * FROM channels ORDER BY name')
}

export function saveChannel(db: Database, row: ChannelRow): void {
  db.prepare(`INSERT OR REPLACE ${channels.into}`).run(...channels.values(row))
}

/** An alert that holds, and that was sent to a channel in full, or is queued for it. */
const isToldTo = (channel: string) =>
  `(a.state IN ('new', 'delivered', 'firing', 'recovering') AND EXISTS (SELECT 1 FROM outbox o WHERE o.alert_id = a.id
    AND o.channel = ${channel} AND o.state <> 'dead' AND o.what IN ('event', 'firing')))`

/** What was sent to a channel of these transfers, oldest first. */
export function listToldOfTransfers(db: Database, keys: readonly string[], channel: string): AlertRow[] {
  const sql = `SELECT ${alertColumns} FROM alerts a WHERE a.transfer_key IN (SELECT value FROM json_each(?1))
    AND ${isToldTo('?2')} ORDER BY a.id`
  return alertTable.all(db, sql, JSON.stringify(keys), channel)
}

/** What was sent to a channel of these transfers as an update of another alert, and nothing more. */
export function listJoinedOfTransfers(db: Database, keys: readonly string[], channel: string): AlertRow[] {
  const sql = `SELECT ${alertColumns} FROM alerts a WHERE a.transfer_key IN (SELECT value FROM json_each(?1)) AND NOT ${isToldTo('?2')}
    AND EXISTS (SELECT 1 FROM outbox o WHERE o.alert_id = a.id AND o.channel = ?2 AND o.state <> 'dead' AND o.what = 'joined')`
  return alertTable.all(db, sql, JSON.stringify(keys), channel)
}

const mostOfKind = 1_000

/** What was sent to a channel since of kinds that name a loss, of each kind the newest. */
export function listToldSince(
  db: Database,
  of: { readonly kinds: readonly string[]; readonly since: UnixMs },
  channel: string,
): AlertRow[] {
  // By their kinds: of what a storm brought hardly any may be of these.
  const sql = `SELECT ${alertColumns} FROM alerts a INDEXED BY alerts_kind WHERE a.kind = ?1 AND a.changed_at >= ?2
    AND a.active_at >= ?2 AND ${isToldTo('?3')} ORDER BY a.changed_at DESC LIMIT ${mostOfKind}`
  return of.kinds.flatMap((kind) => alertTable.all(db, sql, kind, of.since, channel))
}

/** What a transfer has come to; null when it is not known. */
export function readTransferState(db: Database, key: string): string | null {
  return text.get(db, 'SELECT state FROM transfers WHERE key = ?', parseKey(key) ?? -1)
}

/** The transfers that bear a hash on the main chain. */
export function listKeysOfMainHash(db: Database, hash: string): string[] {
  return int
    .all(db, `SELECT key FROM transfers WHERE ${isHash('main_hash', '?1')} LIMIT 200`, hash)
    .map(formatKey)
}
