import { z } from 'zod'
import type { UnixMs } from '../../../lib/clock.ts'
import type { Database } from '../../../store/database.ts'
import { json, bigintText, columns, instant, int, type Read, table, text } from '../../../store/table.ts'
import type { SupplyReading } from './judgeSupply.ts'

const amount = z
  .string()
  .regex(/^-?\d+$/)
  .transform(BigInt)

const judgedSupplySchema = z.strictObject({
  height: z.int(),
  blockTime: z.int(),
  readAt: z.int(),
  decimals: z.int(),
  supply: amount,
  claims: amount,
  backing: amount,
  excess: amount,
  over: amount,
})

const readings = table('supply_readings', {
  token: text,
  height: int,
  blockTime: instant,
  readAt: instant,
  supply: bigintText,
  decimals: int,
})
const waiting = columns({
  height: int,
  blockTime: instant,
  readAt: instant,
  supply: bigintText,
  decimals: int,
})
const tokens = table('supply_tokens', {
  token: text,
  judged: json(judgedSupplySchema),
  /** Supply less claims, the most of the first comparisons: zero or less proves that all could be claimed. */
  opening: bigintText,
  openedAt: instant,
  comparisons: int,
  /** Comparisons in a row with too much. */
  excesses: int,
})
/** A token whose supply was compared. */
export type ComparedSupply = Read<typeof tokens>

/** A block that was read before keeps its first reading: it waits no longer for being read again. */
export function saveSupply(db: Database, token: string, reading: SupplyReading): void {
  db.prepare(`INSERT OR IGNORE ${readings.into}`).run(...readings.values({ token, ...reading }))
}

/** What waits to be compared, oldest first. */
export function listSupplies(db: Database, token: string, readBefore: UnixMs): SupplyReading[] {
  const sql = 'SELECT * FROM supply_readings WHERE token = ? AND read_at <= ? ORDER BY height'
  return waiting.all(db, sql, token, readBefore)
}

export function dropSupplies(db: Database, token: string, upTo: number): void {
  db.prepare('DELETE FROM supply_readings WHERE token = ? AND height <= ?').run(token, upTo)
}

export function dropSuppliesBefore(db: Database, readBefore: UnixMs): void {
  db.prepare('DELETE FROM supply_readings WHERE read_at < ?').run(readBefore)
}

export function readCompared(db: Database, token: string): ComparedSupply | null {
  return tokens.get(db, 'SELECT * FROM supply_tokens WHERE token = ?', token)
}

/** All that were compared, by token. */
export function listCompared(db: Database): ReadonlyMap<string, ComparedSupply> {
  return new Map(tokens.all(db, 'SELECT * FROM supply_tokens').map((one) => [one.token, one]))
}

export function saveCompared(db: Database, compared: ComparedSupply): void {
  db.prepare(`INSERT OR REPLACE ${tokens.into}`).run(...tokens.values(compared))
}
