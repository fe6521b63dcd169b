import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import {
  type FailureCount,
  type FailuresOf,
  startFailureCount,
} from '../../ledger/transfers/countFailures.ts'

/** A rule asks in each tick, but while it cannot judge, and not any more once it is gone; or the clock was set. */
const breakMs = 60_000

/** Of one length of windows. */
interface Kept {
  askedAt: UnixMs
  counted: { readonly at: UnixMs; readonly failures: readonly FailureCount[] } | null
  counting: { readonly at: UnixMs; readonly readOn: (most: number) => readonly FailureCount[] | null } | null
}

/**
 * Failures of windows as they were last counted, which is done anew after a while; null until they were counted once,
 * and again after a break. At most `mostRows` of them are read for a window in one tick: fewer are counted at once.
 */
export function createFlowFailures(db: Database, mostRows: number) {
  const lengths = new Map<number, Kept>()
  return (windowMs: number, of: FailuresOf, now: UnixMs): readonly FailureCount[] | null => {
    for (const [length, { askedAt }] of lengths)
      if (Math.abs(now - askedAt) >= breakMs) lengths.delete(length)
    const kept = lengths.get(windowMs) ?? { askedAt: now, counted: null, counting: null }
    lengths.set(windowMs, kept)
    kept.askedAt = now
    const isDue = kept.counted === null || now >= kept.counted.at + restMs(windowMs)
    if (isDue) kept.counting ??= { at: now, readOn: startFailureCount(db, of) }
    if (kept.counting) {
      const { at, readOn } = kept.counting
      const failures = readOn(mostRows)
      if (failures !== null) {
        kept.counted = { at, failures }
        kept.counting = null
      }
    }
    return kept.counted?.failures ?? null
  }
}

/** Long windows change slowly, and cost more. */
export function restMs(windowMs: number): number {
  return Math.min(Math.max(windowMs / 60, 10_000), 60_000)
}
