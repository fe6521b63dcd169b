import { listListingLags } from '../../ledger/evidence/evidence.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'

/** A record that was not in the list yet when a complete reading of it began, so long after the record's block. */
export interface LateListing {
  /** When it was first seen. */
  readonly at: UnixMs
  readonly lagMs: number
}

export interface ListLag {
  readonly at: UnixMs
  readonly lagMs: number
  readonly says: string
}

/** Lag is judged by what was listed in this past. */
const windowMs = 300_000

/** Fewer late records, or within a shorter time, are records that were filled in late; the list itself may be prompt. */
const neededLate = 5

const neededSpanMs = 60_000

/** Fewer are single payouts without a record, which is another story. */
const neededUnlisted = 2

const learnedCount = 1_000

const relearnMs = 300_000

const boundsMs = { floor: 30_000, unknown: 60_000, cap: 90_000 }

/**
 * By how much the list lags behind the chains. Two signs: for a minute every record came late, not one in time; or the chains show transfers that are newer than the newest record and older than records take.
 */
export function judgeListLag(
  known: {
    /** Records that were listed lately, late or in time. */
    readonly listings: readonly LateListing[]
    /** When the transfers happened that the chains alone show. */
    readonly unlisted: readonly UnixMs[]
    /** When the newest leg happened that a record names. */
    readonly newestListedAt: UnixMs | null
    /** When the newest complete reading of the list began. */
    readonly readAt: UnixMs | null
  },
  capMs: number,
  now: UnixMs,
): ListLag | null {
  const { newestListedAt, readAt } = known
  // Since the last one that was listed in time.
  const inTime = known.listings.findLastIndex(({ lagMs }) => lagMs <= capMs)
  const late = known.listings.slice(inTime + 1).filter(({ at }) => at > now - windowMs)
  const least = Math.min(...late.map(({ lagMs }) => lagMs))
  const spanMs = (late.at(-1)?.at ?? 0) - (late[0]?.at ?? 0)
  if (late.length >= neededLate && spanMs >= neededSpanMs) {
    return { at: now, lagMs: least, says: `records are listed ${least} ms after their block, and later` }
  }
  if (newestListedAt === null || readAt === null) return null
  const beyond = known.unlisted.filter((at) => at > newestListedAt && at + capMs < readAt)
  if (beyond.length < neededUnlisted) return null
  const lagMs = readAt - newestListedAt
  const says = `the chains tell of ${beyond.length} transfers after the newest record, which is ${lagMs} ms old`
  return { at: readAt, lagMs, says }
}

/**
 * How long after its block a record may first be listed: the 99.9th percentile of what the newest ones took, once
 * there are enough of them.
 */
export function createSettle(db: Database, clock: Pick<Clock, 'now'>): () => number {
  let known = { at: -Infinity, ms: boundsMs.unknown }
  return () => {
    const now = clock.now()
    if (now - known.at < relearnMs && now >= known.at) return known.ms
    const lags = listListingLags(db, 4 * learnedCount)
    const learned = lags[Math.floor(lags.length * 0.999)]
    const ms =
      lags.length < learnedCount || learned === undefined
        ? boundsMs.unknown
        : Math.min(Math.max(learned, boundsMs.floor), boundsMs.cap)
    known = { at: now, ms }
    return ms
  }
}
