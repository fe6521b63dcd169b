import type { Direction } from '../domain/observation.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from './database.ts'

/**
 * Times are counted in classes, each at most 5 % wider than the one below: a percentile is told as its class's upper
 * bound, at most 5 % too long, never too short. Times up to a second are one class.
 */
const growth = Math.log(1.05)
const lowestMs = 1_000
/** Times of arrival are kept by the quarter of the day, UTC. */
export const latencyStepMs = 6 * 3_600_000

export interface LatencyClass {
  readonly token: string
  readonly direction: Direction
  readonly class: number
  readonly count: number
}

export function latencyClass(ms: number): number {
  return ms <= lowestMs ? 0 : Math.ceil(Math.log(ms / lowestMs) / growth - 1e-9)
}

/** The longest time of a class, ms. */
export function latencyBound(latencyClass: number): number {
  return Math.ceil(lowestMs * Math.exp(growth * latencyClass))
}

/** How long transfers took that arrived from `from` on and before `until`, both rounded down to six hours. */
export function listLatency(db: Database, from: UnixMs, until: UnixMs): LatencyClass[] {
  return db
    .prepare(
      `SELECT token, direction, class, sum(count) AS n FROM latency_steps WHERE at >= ? AND at < ?
       GROUP BY token, direction, class HAVING n > 0 ORDER BY token, direction, class`,
    )
    .all(Math.floor(from / latencyStepMs) * latencyStepMs, until)
    .map((row) => ({
      token: String(row['token']),
      // Written from transfers.
      direction: String(row['direction']) as Direction,
      class: Number(row['class']),
      count: Number(row['n']),
    }))
}

/** Percentile of classes of one kind; null without any. `share` from 0 to 1. */
export function percentileOf(classes: readonly LatencyClass[], share: number): number | null {
  const ordered = [...classes].sort((a, b) => a.class - b.class)
  const total = ordered.reduce((sum, { count }) => sum + count, 0)
  let seen = 0
  for (const one of ordered) {
    seen += one.count
    if (seen >= total * share) return latencyBound(one.class)
  }
  return null
}
