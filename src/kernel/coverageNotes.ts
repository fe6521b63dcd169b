import type { UnixMs } from '../lib/clock.ts'
import type { PollerStatus } from './runner.ts'
import { noteCoverage } from './coverage.ts'
import type { Database } from '../store/database.ts'

/** Distances between readings up to so many intervals are no gap. */
const gapIntervals = 3
/** Nor is a shorter one: a slow answer is not blindness. */
const minGapMs = 10_000
/** These read no source: a pause of theirs hides nothing. */
const ownChores: ReadonlySet<string> = new Set(['upkeep', 'heartbeat', 'report', 'canary'])

/** Notes, inside a transaction, when each poller last read its source. Costs nothing where nothing was read since. */
export function createCoverageNotes(
  db: Database,
  pollers: () => readonly Pick<PollerStatus, 'poller' | 'intervalMs' | 'lastSuccessAt'>[],
): () => void {
  const noted = new Map<string, UnixMs>()
  return () => {
    for (const { poller, intervalMs, lastSuccessAt } of pollers()) {
      if (ownChores.has(poller) || lastSuccessAt === null || noted.get(poller) === lastSuccessAt) continue
      noteCoverage(db, poller, lastSuccessAt, Math.max(gapIntervals * intervalMs, minGapMs))
      noted.set(poller, lastSuccessAt)
    }
  }
}
