import type { UnixMs } from '../lib/clock.ts'
import type { Chain } from '../bridge/observation.ts'
import { type HeadReading, type TrackedHead, trackHead } from './trackHead.ts'
import type { Database } from '../store/database.ts'

export function listHeads(db: Database): Head[] {
  return db
    .prepare('SELECT * FROM heads ORDER BY chain')
    .all()
    .map((row) => {
      const { height, blockTime, advancedAt, readAt } = toHead(row)
      // Written by recordHead.
      return { chain: String(row['chain']) as Chain, height, blockTime, advancedAt, readAt }
    })
}

/**
 * Takes one more reading of a head into account.
 * @returns the height before when the chain is now believed to stand lower, else null
 */
export function recordHead(db: Database, chain: Chain, reading: HeadReading): number | null {
  const row = db.prepare('SELECT * FROM heads WHERE chain = ?').get(chain)
  const before = row ? toHead(row) : null
  const { height, blockTime, advancedAt, readAt, seenAt, below, ahead } = trackHead(before, reading)
  db.prepare(
    `INSERT OR REPLACE INTO heads (chain, height, block_time, advanced_at, read_at, seen_at, below, ahead)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(chain, height, blockTime, advancedAt, readAt, seenAt, toJson(below), toJson(ahead))
  return before !== null && height < before.height ? before.height : null
}

function toHead(row: Record<string, unknown>): TrackedHead {
  const advancedAt = Number(row['advanced_at'])
  return {
    height: Number(row['height']),
    blockTime: row['block_time'] === null ? null : Number(row['block_time']),
    advancedAt,
    readAt: Number(row['read_at']),
    seenAt: typeof row['seen_at'] === 'number' ? row['seen_at'] : advancedAt,
    below: toReading(row['below']),
    ahead: toReading(row['ahead']),
  }
}

const toJson = (reading: HeadReading | null) => (reading === null ? null : JSON.stringify(reading))

/** Written by `toJson`. */
const toReading = (text: unknown) => (typeof text === 'string' ? (JSON.parse(text) as HeadReading) : null)

/** One chain's head as last read. */
export interface Head {
  readonly chain: Chain
  readonly height: number
  readonly blockTime: UnixMs | null
  /** When the height was first seen at this value, by our clock. */
  readonly advancedAt: UnixMs
  /** Request time of the newest successful reading. */
  readonly readAt: UnixMs
}

/** The height that a chain was last read at; null before the first reading. */
export function readHeight(db: Database, chain: Chain): number | null {
  return listHeads(db).find((head) => head.chain === chain)?.height ?? null
}
