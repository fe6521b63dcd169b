import { z } from 'zod'
import type { UnixMs } from '../../lib/clock.ts'
import type { Chain } from '../../bridge/observation.ts'
import { type HeadReading, passedTime, type Standing, trackHead } from './trackHead.ts'
import { chain } from '../../store/bridgeCodecs.ts'
import type { Database } from '../../store/database.ts'
import { instant, int, json, type Read, table } from '../../store/table.ts'

/** A reading that is not believed yet. */
const doubt = json(
  z.object({ height: z.number(), blockTime: z.number().nullable(), at: z.number() }),
).orNull()
const heads = table('heads', {
  chain,
  height: int,
  blockTime: instant.orNull(),
  advancedAt: instant,
  readAt: instant,
  seenAt: instant.orNull(),
  // One that cannot be read begins anew with the next reading.
  below: doubt.orElse(null),
  ahead: doubt.orElse(null),
  otherHeight: int.orNull(),
  otherAt: instant.orNull(),
})

/** A chain whose row cannot be read was not read yet: the next reading writes it anew. */
export function listHeads(db: Database): Head[] {
  return heads
    .readable(db, 'SELECT * FROM heads ORDER BY chain')
    .map(({ chain, height, blockTime, advancedAt, readAt }) => ({
      chain,
      height,
      blockTime,
      advancedAt,
      readAt,
    }))
}

/**
 * Takes one more reading of a head into account.
 * @returns the height before when the chain is now believed to stand lower, else null
 */
export function recordHead(db: Database, chain: Chain, reading: HeadReading): number | null {
  const [row = null] = heads.readable(db, 'SELECT * FROM heads WHERE chain = ?', chain)
  const before = row && { ...row, seenAt: row.seenAt ?? row.advancedAt, other: otherOf(row) }
  const { other, ...now } = trackHead(before, reading)
  const written = { ...now, chain, otherHeight: other?.height ?? null, otherAt: other?.advancedAt ?? null }
  db.prepare(`INSERT OR REPLACE ${heads.into}`).run(...heads.values(written))
  return before !== null && now.height < before.height ? before.height : null
}

function otherOf({ otherHeight, otherAt }: Read<typeof heads>): Standing | null {
  return otherHeight === null || otherAt === null ? null : { height: otherHeight, advancedAt: otherAt }
}

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

/** The time that the readings of both heads have passed; null while one of them was not read. */
export function readWatermark(db: Database, clockAheadMs: number): UnixMs | null {
  const times = listHeads(db).flatMap((head) => passedTime(head, clockAheadMs) ?? [])
  return times.length < 2 ? null : Math.min(...times)
}
