import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'

/** Balances of a token at every escrow, read at one block or between two. Base units. */
export interface EscrowReading {
  readonly id: number
  readonly token: string
  readonly low: number
  readonly high: number
  readonly readAt: UnixMs
  /** Until when its block was the newest: that it was asked for later does not make it newer. */
  readonly newestAt: UnixMs
  readonly balances: Readonly<Record<string, bigint>>
}

/** A balance that was accounted for: the next one is compared with it. */
export interface EscrowAnchor {
  readonly height: number
  readonly balance: bigint
  readonly readAt: UnixMs
  /** Readings in a row that could not be accounted for since. */
  readonly misses: number
  /** When the first of them was. */
  readonly missedAt: UnixMs | null
}

export function saveReading(db: Database, reading: Omit<EscrowReading, 'id'>): void {
  const balances = Object.fromEntries(
    Object.entries(reading.balances).map(([address, balance]) => [address, balance.toString()]),
  )
  db.prepare(
    'INSERT INTO escrow_readings (token, low, high, read_at, block_time, balances) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(reading.token, reading.low, reading.high, reading.readAt, reading.newestAt, JSON.stringify(balances))
}

/** Readings that are old enough to be judged, oldest first. */
export function listReadings(db: Database, token: string, readBefore: UnixMs): EscrowReading[] {
  return db
    .prepare('SELECT * FROM escrow_readings WHERE token = ? AND read_at <= ? ORDER BY read_at')
    .all(token, readBefore)
    .map(toReading)
}

export function dropReading(db: Database, id: number): void {
  db.prepare('DELETE FROM escrow_readings WHERE id = ?').run(id)
}

export function dropReadingsBefore(db: Database, before: UnixMs): void {
  db.prepare('DELETE FROM escrow_readings WHERE read_at < ?').run(before)
}

export function readAnchor(db: Database, escrow: string, token: string): EscrowAnchor | null {
  const row = db.prepare('SELECT * FROM escrow_anchors WHERE escrow = ? AND token = ?').get(escrow, token)
  if (!row) return null
  return {
    height: Number(row['height']),
    balance: BigInt(String(row['balance'])),
    readAt: Number(row['read_at']),
    misses: Number(row['misses']),
    missedAt: row['missed_at'] === null ? null : Number(row['missed_at']),
  }
}

export function saveAnchor(db: Database, escrow: string, token: string, anchor: EscrowAnchor): void {
  db.prepare('INSERT OR REPLACE INTO escrow_anchors VALUES (?, ?, ?, ?, ?, ?, ?)').run(
    escrow,
    token,
    anchor.height,
    anchor.balance.toString(),
    anchor.readAt,
    anchor.misses,
    anchor.missedAt,
  )
}

function toReading(row: Record<string, unknown>): EscrowReading {
  // Written by saveReading.
  const balances = JSON.parse(String(row['balances'])) as Record<string, string>
  return {
    id: Number(row['id']),
    token: String(row['token']),
    low: Number(row['low']),
    high: Number(row['high']),
    readAt: Number(row['read_at']),
    newestAt: Number(row['block_time'] ?? row['read_at']),
    balances: Object.fromEntries(Object.entries(balances).map(([address, text]) => [address, BigInt(text)])),
  }
}
