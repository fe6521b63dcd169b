import type { VerifiedSource } from '../../kernel/reads/contractReads.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { z } from 'zod'
import type { Database } from '../../store/database.ts'
import { int, json, type Read, table } from '../../store/table.ts'

/** Readings of a range that found nothing, as the client counts them (clients/explorer/absence.ts). */
const emptyReadings = z.object({
  firstAt: z.number().nullable(),
  lastAt: z.number().nullable(),
  reads: z.number(),
  controlAt: z.number().nullable(),
})
export type EmptyReadings = Readonly<z.output<typeof emptyReadings>>
const none: EmptyReadings = { firstAt: null, lastAt: null, reads: 0, controlAt: null }

const verifiedSource: z.ZodType<VerifiedSource> = z.object({
  implementation: z.string(),
  compiler: z.string(),
  name: z.string(),
  code: z.string().exactOptional(),
  abi: z.string().exactOptional(),
})

/** How far one contract's logs were read. */
const contractProgress = z.object({
  /** Everything below was read, but what stands in the list of gaps; null before the first reading. */
  next: z.number().nullable().default(null),
  /** When it was first read; null before, and where a version before did not note it. */
  followedSince: z.number().nullable().default(null),
  /** Everything from here up to where the first reading began was read; null once the history is there. */
  historyFrom: z.number().nullable().default(null),
  /** Where logs are known to be, and in which transaction: a control question. */
  lastLogHeight: z.number().nullable().default(null),
  lastLogHash: z.string().nullable().default(null),
  /** Readings in a row that found nothing above `next`, and up to which height the first of them asked. */
  empty: emptyReadings.default(none),
  emptyUntil: z.number().nullable().default(null),
  /** What E17 said last, and a change that it said once. */
  verified: verifiedSource.nullable().default(null),
  candidate: verifiedSource.nullable().default(null),
  /** What it had said before that, until when, and as what the change was told where no log had told it. */
  earlier: z
    .object({
      source: verifiedSource,
      until: z.number(),
      told: z.object({ subject: z.string(), since: z.number() }).exactOptional(),
    })
    .nullable()
    .default(null),
  verifyAt: z.number().default(0),
  /** Implementations that logs reported lately. */
  announced: z.array(z.string()).readonly().default([]),
})
export type ContractProgress = Readonly<z.output<typeof contractProgress>>

const progressText = json(contractProgress)

const gaps = table('bridge_gaps', {
  id: int,
  first: int,
  last: int,
  attempts: int,
  empty: json(emptyReadings).from('absence'),
})
export type BridgeGap = Read<typeof gaps>

/** Ranges of one contract kept apart; a further one widens the nearest: blocks read twice are better than blocks not read. */
const maxGaps = 2_000

export function readProgress(db: Database, address: string): ContractProgress {
  const known = progressText.get(db, 'SELECT body FROM bridge_contracts WHERE address = ?', address)
  return known ?? contractProgress.parse({})
}

export function saveProgress(db: Database, address: string, progress: ContractProgress): void {
  db.prepare('INSERT OR REPLACE INTO bridge_contracts VALUES (?, ?)').run(address, JSON.stringify(progress))
}

/** The oldest ranges that are due to be asked for again. */
export function listGaps(db: Database, address: string, now: UnixMs, limit: number): BridgeGap[] {
  const sql = 'SELECT * FROM bridge_gaps WHERE address = ? AND retry_at <= ? ORDER BY retry_at, id LIMIT ?'
  return gaps.all(db, sql, address, now, limit)
}

export function saveGap(
  db: Database,
  address: string,
  gap: Omit<BridgeGap, 'id' | 'empty'> & { readonly retryAt: UnixMs; readonly empty?: EmptyReadings },
): void {
  const { first, last, attempts, retryAt } = gap
  const count = int.get(db, 'SELECT count(*) FROM bridge_gaps WHERE address = ?', address) ?? 0
  if (count < maxGaps) {
    db.prepare(
      'INSERT INTO bridge_gaps (address, first, last, attempts, retry_at, absence) VALUES (?, ?, ?, ?, ?, ?)',
    ).run(address, first, last, attempts, retryAt, JSON.stringify(gap.empty ?? none))
    return
  }
  // What was found empty is part of it only: that proves nothing of the whole.
  db.prepare(
    `UPDATE bridge_gaps SET first = min(first, ?), last = max(last, ?), attempts = min(attempts, ?),
       retry_at = min(retry_at, ?), absence = ?
     WHERE id = (SELECT id FROM bridge_gaps WHERE address = ? ORDER BY abs(first - ?) LIMIT 1)`,
  ).run(first, last, attempts, retryAt, JSON.stringify(none), address, first)
}

export function dropGap(db: Database, id: number): void {
  db.prepare('DELETE FROM bridge_gaps WHERE id = ?').run(id)
}
