import type { UnixMs } from '../../lib/clock.ts'
import { numberOrNull, textOrNull } from './alertRows.ts'
import type { Database } from '../../store/database.ts'

export interface Delivery {
  readonly id: number
  readonly channel: string
  readonly isCritical: boolean
  /** `sending` is written before the first byte leaves; after a crash it may have arrived. */
  readonly state: 'sending' | 'waiting'
  /** Of the sending under way, or of the last one. */
  readonly attempt: number
  readonly nextAt: UnixMs
  readonly createdAt: UnixMs
  readonly expiresAt: UnixMs
  /** Answers so far that looked like success and were none. */
  readonly suspicious: number
  readonly isDegraded: boolean
  readonly recipients: readonly string[] | null
  readonly lastError: string | null
}

function toDelivery(row: Record<string, unknown>): Delivery {
  const recipients = textOrNull(row['recipients'])
  return {
    id: Number(row['id']),
    channel: String(row['channel']),
    isCritical: row['critical'] === 1,
    state: row['state'] === 'sending' ? 'sending' : 'waiting',
    attempt: Number(row['attempt']),
    nextAt: Number(row['next_at']),
    createdAt: Number(row['created_at']),
    expiresAt: Number(row['expires_at']),
    suspicious: Number(row['suspicious']),
    isDegraded: row['degraded'] === 1,
    // Written by saveDelivery.
    recipients: recipients === null ? null : (JSON.parse(recipients) as string[]),
    lastError: textOrNull(row['last_error']),
  }
}

/** Returns its id. Ids are never given twice, so that names of messages made from them are not either. */
export function insertDelivery(
  db: Database,
  of: { readonly channel: string; readonly isCritical: boolean; readonly expiresAt: UnixMs },
  now: UnixMs,
): number {
  const result = db
    .prepare(
      `INSERT INTO deliveries (channel, critical, state, attempt, next_at, created_at, expires_at, suspicious, degraded)
        VALUES (?, ?, 'sending', 1, ?, ?, ?, 0, 0)`,
    )
    .run(of.channel, of.isCritical ? 1 : 0, now, now, of.expiresAt)
  return Number(result.lastInsertRowid)
}

export function getDelivery(db: Database, id: number): Delivery | null {
  const row = db.prepare('SELECT * FROM deliveries WHERE id = ?').get(id)
  return row ? toDelivery(row) : null
}

export function listDeliveries(db: Database, lane: { channel: string; isCritical: boolean }): Delivery[] {
  return db
    .prepare('SELECT * FROM deliveries WHERE channel = ? AND critical = ? ORDER BY next_at, id')
    .all(lane.channel, lane.isCritical ? 1 : 0)
    .map(toDelivery)
}

export function listAllDeliveries(db: Database): Delivery[] {
  return db.prepare('SELECT * FROM deliveries ORDER BY id').all().map(toDelivery)
}

export function saveDelivery(db: Database, delivery: Delivery): void {
  db.prepare(
    `UPDATE deliveries SET state = ?, attempt = ?, next_at = ?, suspicious = ?, degraded = ?, recipients = ?, last_error = ?
      WHERE id = ?`,
  ).run(
    delivery.state,
    delivery.attempt,
    delivery.nextAt,
    delivery.suspicious,
    delivery.isDegraded ? 1 : 0,
    delivery.recipients && JSON.stringify(delivery.recipients),
    delivery.lastError,
    delivery.id,
  )
}

export function deleteDelivery(db: Database, id: number): void {
  db.prepare('DELETE FROM deliveries WHERE id = ?').run(id)
}

/** At start: what was being sent when the process ended is tried again at once, as its next attempt. */
export function recoverDeliveries(db: Database, now: UnixMs): number {
  const result = db
    .prepare("UPDATE deliveries SET state = 'waiting', next_at = ? WHERE state = 'sending'")
    .run(now)
  return Number(result.changes)
}

/** A channel that answers again: retries need not wait out what they had in mind. */
export function hastenDeliveries(db: Database, channel: string, at: UnixMs): void {
  db.prepare(
    "UPDATE deliveries SET next_at = ?2 WHERE channel = ?1 AND state = 'waiting' AND recipients IS NULL AND next_at > ?2",
  ).run(channel, at)
}

export interface ChannelRow {
  readonly name: string
  readonly circuit: 'closed' | 'open'
  readonly openedAt: UnixMs | null
  readonly probeAt: UnixMs | null
  readonly reason: string | null
  /** Recipients that were refused for good, with the reason. */
  readonly refused: readonly { readonly recipient: string; readonly reason: string }[]
  readonly lastAckAt: UnixMs | null
  readonly lastError: string | null
  readonly lastErrorAt: UnixMs | null
}

export function getChannel(db: Database, name: string): ChannelRow {
  const row = db.prepare('SELECT * FROM channels WHERE name = ?').get(name)
  return row ? toChannel(row) : { ...fresh, name }
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
  return db.prepare('SELECT * FROM channels ORDER BY name').all().map(toChannel)
}

function toChannel(row: Record<string, unknown>): ChannelRow {
  return {
    name: String(row['name']),
    circuit: row['circuit'] === 'open' ? 'open' : 'closed',
    openedAt: numberOrNull(row['opened_at']),
    probeAt: numberOrNull(row['probe_at']),
    reason: textOrNull(row['reason']),
    // Written by saveChannel.
    refused: JSON.parse(String(row['refused'])) as ChannelRow['refused'],
    lastAckAt: numberOrNull(row['last_ack_at']),
    lastError: textOrNull(row['last_error']),
    lastErrorAt: numberOrNull(row['last_error_at']),
  }
}

export function saveChannel(db: Database, row: ChannelRow): void {
  db.prepare('INSERT OR REPLACE INTO channels VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
    row.name,
    row.circuit,
    row.openedAt,
    row.probeAt,
    row.reason,
    JSON.stringify(row.refused),
    row.lastAckAt,
    row.lastError,
    row.lastErrorAt,
  )
}
