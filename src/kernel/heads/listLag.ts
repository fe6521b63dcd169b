import { listListingLags } from '../../ledger/evidence/evidence.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'

/** A record that was not in the list yet when a complete reading of it began, so long after the record's block. */
export interface LateListing {
  /** When it was first seen. */
  readonly at: UnixMs
  readonly lagMs: number
  /** It names what arrived, too. */
  readonly hasArrived: boolean
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

/** A list that comes later than this is believed. */
export const mostLateMs = 900_000

/** A record was listed between two readings: so much later than the first may be said of it. */
const readingsMs = 60_000

const newestLate = 20

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
  const late = listLate(known.listings, capMs).filter(({ at }) => at > now - windowMs)
  if (isAltogether(late)) {
    const least = Math.min(...late.map(({ lagMs }) => lagMs))
    return { at: now, lagMs: least, says: `records are listed ${least} ms after their block, and later` }
  }
  if (newestListedAt === null || readAt === null) return null
  const beyond = known.unlisted.filter((at) => at > newestListedAt && at + capMs < readAt)
  if (beyond.length < neededUnlisted) return null
  const lagMs = readAt - newestListedAt
  const says = `the chains tell of ${beyond.length} transfers after the newest record, which is ${lagMs} ms old`
  return { at: readAt, lagMs, says }
}

/** Those that came late since the last one that was listed in time. */
function listLate(listings: readonly LateListing[], capMs: number): readonly LateListing[] {
  return listings.slice(listings.findLastIndex(({ lagMs }) => lagMs <= capMs) + 1)
}

/** So many over such a time are the list's doing; when one that stood still comes on again, all it lacked is listed at once. */
function isAltogether(late: readonly LateListing[]): boolean {
  const spanMs = (late.at(-1)?.at ?? 0) - (late[0]?.at ?? 0)
  return late.length >= neededLate && spanMs >= neededSpanMs
}

/**
 * Within what time records of what arrived are listed where all come late, ms: of a service that waits for its chains to be final, say. Null
 * where one came in time lately. `knownMs` is what was found before, for as long as nothing speaks against it.
 */
export function learnLateness(listings: readonly LateListing[], knownMs: number | null): number | null {
  // What a service lists late while it is on its way may be there in time when it arrives.
  const arrived = listings.filter(({ hasArrived }) => hasArrived)
  const late = listLate(arrived, boundsMs.cap)
  if (isAltogether(late)) {
    const lags = late
      .slice(-newestLate)
      .map(({ lagMs }) => lagMs)
      .toSorted((a, b) => a - b)
    // A single record that was filled in long after says little of the others.
    return Math.min((lags[Math.floor(lags.length * 0.9)] ?? 0) + readingsMs, mostLateMs)
  }
  return late.length < arrived.length ? null : knownMs
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
