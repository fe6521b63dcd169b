import type { Challenge } from './challenge.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { flag, instant, int, type Read, table, text, texts } from '../../store/table.ts'

/** Blocks whose transactions are read again together. */
export const challengeRangeBlocks = 600

const ranges = table('challenge_ranges', {
  contract: text,
  start: int,
  checks: int,
  createdAt: instant,
  valued: int,
})
/** A stretch of blocks of one contract, by its first block. */
export type ChallengeRange = Read<typeof ranges>

const challenges = table('challenges', {
  hash: text,
  contract: text,
  height: int,
  status: text,
  l1: text,
  since: instant,
  readAt: instant,
  changes: int,
  isSettled: flag.from('settled'),
  past: texts,
  candidate: text.orNull(),
  candidateAt: instant.orNull(),
})

export function readChallenge(db: Database, hash: string): Challenge | null {
  const row = challenges.get(db, 'SELECT * FROM challenges WHERE hash = ?', hash)
  return row && toChallenge(row)
}

function toChallenge(row: Read<typeof challenges>): Challenge {
  const { candidate: status, candidateAt: at, isSettled: _, ...rest } = row
  return { ...rest, candidate: status === null || at === null ? null : { status, at } }
}

export function saveChallenge(db: Database, challenge: Challenge, isSettled: boolean): void {
  const { candidate } = challenge
  db.prepare(`INSERT OR REPLACE ${challenges.into}`).run(
    ...challenges.values({
      ...challenge,
      isSettled,
      candidate: candidate?.status ?? null,
      candidateAt: candidate?.at ?? null,
    }),
  )
}

/** Transactions whose status has been the same, and not terminal, since a time or longer; the oldest first. */
export function listUnsettled(db: Database, sinceOrBefore: UnixMs, limit: number): Challenge[] {
  const sql =
    "SELECT * FROM challenges WHERE settled = 0 AND since <= ? AND status <> '' ORDER BY since LIMIT ?"
  return challenges.all(db, sql, sinceOrBefore, limit).map(toChallenge)
}

export function hasChallenges(db: Database): boolean {
  return db.prepare('SELECT 1 FROM challenges LIMIT 1').get() !== undefined
}

export function noteRange(
  db: Database,
  range: { readonly contract: string; readonly start: number; readonly checkAt: UnixMs },
  now: UnixMs,
): void {
  db.prepare('INSERT OR IGNORE INTO challenge_ranges VALUES (?, ?, ?, 0, ?, 0, 0)').run(
    range.contract,
    range.start,
    range.checkAt,
    now,
  )
}

/**
 * Stretches that are due: first those that hold a value that is not terminal, the newest first, because that is where
 * something can change; then any, the longest overdue first, so that none is left out for ever.
 */
export function listDueRanges(
  db: Database,
  now: UnixMs,
  limits: { readonly open: number; readonly any: number },
): ChallengeRange[] {
  const withOpen = `SELECT * FROM challenge_ranges AS r WHERE check_at <= ? AND valued > 0 AND EXISTS
      (SELECT 1 FROM challenges AS c
       WHERE c.contract = r.contract AND c.height BETWEEN r.start AND r.start + ? AND c.settled = 0)
    ORDER BY start DESC LIMIT ?`
  const open = ranges.all(db, withOpen, now, challengeRangeBlocks - 1, limits.open)
  const all = 'SELECT * FROM challenge_ranges WHERE check_at <= ? ORDER BY check_at LIMIT ?'
  const any = ranges.all(db, all, now, limits.open + limits.any)
  const isOpen = (range: ChallengeRange) =>
    open.some(({ contract, start }) => contract === range.contract && start === range.start)
  const rest = any.filter((range) => !isOpen(range))
  return [...open, ...rest.slice(0, limits.open + limits.any - open.length)]
}

/** Due stretches that begin at these blocks. */
export function listCoveredRanges(
  db: Database,
  { from, last }: { readonly from: number; readonly last: number },
  now: UnixMs,
  limit: number,
): ChallengeRange[] {
  const sql =
    'SELECT * FROM challenge_ranges WHERE check_at <= ? AND start BETWEEN ? AND ? ORDER BY check_at LIMIT ?'
  return ranges.all(db, sql, now, from, last, limit)
}

/** What reading a stretch found: how many transactions, and how many with a value. */
export function noteRangeRead(
  db: Database,
  { contract, start }: Pick<ChallengeRange, 'contract' | 'start'>,
  found: { readonly rows: number; readonly valued: number; readonly checkAt: UnixMs },
): void {
  db.prepare(
    'UPDATE challenge_ranges SET check_at = ?, checks = checks + 1, rows = ?, valued = ? WHERE contract = ? AND start = ?',
  ).run(found.checkAt, found.rows, found.valued, contract, start)
}

/** Something changed: what else changed with it is looked for soon. */
export function hurryRanges(db: Database, contract: string, checkAt: UnixMs, limit: number): void {
  db.prepare(
    `UPDATE challenge_ranges SET check_at = ? WHERE contract = ? AND check_at > ? AND start IN
       (SELECT start FROM challenge_ranges WHERE contract = ? ORDER BY start DESC LIMIT ?)`,
  ).run(checkAt, contract, checkAt, contract, limit)
}

/** Stretches older than `ranges` are no longer read; statuses that have not changed since `statuses` are forgotten. */
export function purgeChallenges(
  db: Database,
  before: { readonly ranges: UnixMs; readonly statuses: UnixMs },
  limit: number,
): void {
  db.prepare(
    `DELETE FROM challenge_ranges WHERE (contract, start) IN
       (SELECT contract, start FROM challenge_ranges WHERE created_at < ? LIMIT ?)`,
  ).run(before.ranges, limit)
  db.prepare(
    'DELETE FROM challenges WHERE hash IN (SELECT hash FROM challenges WHERE settled = ? AND since < ? LIMIT ?)',
  ).run(1, before.ranges, limit)
  db.prepare(
    'DELETE FROM challenges WHERE hash IN (SELECT hash FROM challenges WHERE settled = ? AND since < ? LIMIT ?)',
  ).run(0, before.statuses, limit)
}
