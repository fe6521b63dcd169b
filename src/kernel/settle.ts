import { listListingLags } from '../ledger/evidence.ts'
import type { Clock } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'

const learnedCount = 1_000
const relearnMs = 300_000
const boundsMs = { floor: 30_000, unknown: 60_000, cap: 90_000 }

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
