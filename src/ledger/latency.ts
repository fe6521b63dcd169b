import type { Direction } from '../bridge/observation.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'

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

/** Inside a transaction: counts (or, below zero, takes back) transfers that took a time of this class. */
export function countLatency(db: Database, step: UnixMs, of: Omit<LatencyClass, 'count'>, by: number): void {
  const key = [of.token, of.direction, of.class] as const
  db.prepare(
    'INSERT INTO latency_steps VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
  ).run(step, ...key, by)
  addTotal(db, key, by)
}

function addTotal(db: Database, key: readonly [string, Direction, number], by: number): void {
  db.prepare(
    'INSERT INTO latency_totals VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
  ).run(...key, by)
}

/** How long transfers took, over all that is kept: about 30 days. */
export function listAllLatency(db: Database): LatencyClass[] {
  return db
    .prepare('SELECT * FROM latency_totals WHERE count > 0 ORDER BY token, direction, class')
    .all()
    .map((row) => ({
      token: String(row['token']),
      // As above.
      direction: String(row['direction']) as Direction,
      class: Number(row['class']),
      count: Number(row['count']),
    }))
}

/** Forgets the oldest steps before a time, at most `limit` rows. */
export function purgeLatency(db: Database, before: UnixMs, limit: number): void {
  const rows = db.prepare('SELECT * FROM latency_steps WHERE at < ? ORDER BY at LIMIT ?').all(before, limit)
  const forget = db.prepare(
    'DELETE FROM latency_steps WHERE at = ? AND token = ? AND direction = ? AND class = ?',
  )
  for (const row of rows) {
    const key = [String(row['token']), String(row['direction']) as Direction, Number(row['class'])] as const
    addTotal(db, key, -Number(row['count']))
    forget.run(Number(row['at']), ...key)
  }
  if (rows.length > 0) db.prepare('DELETE FROM latency_totals WHERE count = 0').run()
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
