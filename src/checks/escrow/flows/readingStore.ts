import type { UnixMs } from '../../../lib/clock.ts'
import { z } from 'zod'
import type { Database } from '../../../store/database.ts'
import { bigintText, instant, int, json, type Read, table, text } from '../../../store/table.ts'

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

const readings = table('escrow_readings', {
  id: int,
  token: text,
  low: int,
  high: int,
  readAt: instant,
  blockTime: instant.orNull(),
  balances: json(z.record(z.string(), z.string().regex(/^-?\d+$/))),
})

const anchors = table('escrow_anchors', {
  height: int,
  balance: bigintText,
  readAt: instant,
  /** Readings in a row that could not be accounted for since. */
  misses: int,
  /** When the first of them was. */
  missedAt: instant.orNull(),
})
/** A balance that was accounted for: the next one is compared with it. */
export type EscrowAnchor = Read<typeof anchors>

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
  const sql = 'SELECT * FROM escrow_readings WHERE token = ? AND read_at <= ? ORDER BY read_at'
  return readings.all(db, sql, token, readBefore).map(({ blockTime, balances, ...reading }) => ({
    ...reading,
    newestAt: blockTime ?? reading.readAt,
    balances: Object.fromEntries(Object.entries(balances).map(([address, text]) => [address, BigInt(text)])),
  }))
}

export function dropReading(db: Database, id: number): void {
  db.prepare('DELETE FROM escrow_readings WHERE id = ?').run(id)
}

export function dropReadingsBefore(db: Database, before: UnixMs): void {
  db.prepare('DELETE FROM escrow_readings WHERE read_at < ?').run(before)
}

export function readAnchor(db: Database, escrow: string, token: string): EscrowAnchor | null {
  return anchors.get(db, 'SELECT * FROM escrow_anchors WHERE escrow = ? AND token = ?', escrow, token)
}

const placed = table('escrow_anchors', { escrow: text, ...anchors.shape })

/** Of each escrow of a token the newest balance that was accounted for. */
export function listAnchors(db: Database, token: string): Read<typeof placed>[] {
  return placed.all(db, 'SELECT * FROM escrow_anchors WHERE token = ? ORDER BY escrow', token)
}

export function saveAnchor(db: Database, escrow: string, token: string, anchor: EscrowAnchor): void {
  db.prepare(
    `INSERT OR REPLACE INTO escrow_anchors (escrow, token, ${anchors.list()}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ).run(escrow, token, ...anchors.values(anchor))
}
