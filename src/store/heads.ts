import type { UnixMs } from '../lib/clock.ts'
import type { Chain } from '../domain/observation.ts'
import type { Database } from './database.ts'

/** A chain's head as last read; times but `blockTime` are ours. */
export interface StoredHead {
  readonly chain: Chain
  readonly height: number
  readonly blockTime: UnixMs | null
  readonly advancedAt: UnixMs
  readonly readAt: UnixMs
}

export function listHeads(db: Database): StoredHead[] {
  return db
    .prepare('SELECT * FROM heads ORDER BY chain')
    .all()
    .map((row) => ({
      // Written by recordHead.
      chain: String(row['chain']) as Chain,
      height: Number(row['height']),
      blockTime: row['block_time'] === null ? null : Number(row['block_time']),
      advancedAt: Number(row['advanced_at']),
      readAt: Number(row['read_at']),
    }))
}

/** A step back keeps the highest head: a lagging replica answers so, and it is no news. */
export function recordHead(
  db: Database,
  head: { chain: Chain; height: number; blockTime: UnixMs | null; readAt: UnixMs },
): void {
  db.prepare(
    `INSERT INTO heads (chain, height, block_time, advanced_at, read_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (chain) DO UPDATE SET
       advanced_at = CASE WHEN excluded.height > height THEN excluded.advanced_at ELSE advanced_at END,
       block_time = CASE WHEN excluded.height > height THEN excluded.block_time ELSE block_time END,
       height = max(height, excluded.height),
       read_at = max(read_at, excluded.read_at)`,
  ).run(head.chain, head.height, head.blockTime, head.readAt, head.readAt)
}
