import type { Direction } from '../bridge/observation.ts'
import type { UnixMs } from '../lib/clock.ts'
import { direction } from '../store/bridgeCodecs.ts'
import type { Database } from '../store/database.ts'
import { instant, int, type Read, table, text } from '../store/table.ts'

/**
 * Times are counted in classes, each at most 5 % wider than the one below: a percentile is given as its class's upper
 * bound, at most 5 % too long, never too short. Times up to a second are one class.
 */
const growth = Math.log(1.05)
const lowestMs = 1_000
/** Times of arrival are kept by the quarter of the day, UTC. */
export const latencyStepMs = 6 * 3_600_000

const classes = table('latency_totals', { token: text, direction, class: int, count: int })
const steps = table('latency_steps', { at: instant, ...classes.shape })
export type LatencyClass = Read<typeof classes>

export function latencyClass(ms: number): number {
  return ms <= lowestMs ? 0 : Math.ceil(Math.log(ms / lowestMs) / growth - 1e-9)
}

/** The longest time of a class, ms. */
export function latencyBound(latencyClass: number): number {
  return Math.ceil(lowestMs * Math.exp(growth * latencyClass))
}

/** How long transfers took that arrived from `from` on and before `until`, both rounded down to six hours. */
export function listLatency(db: Database, from: UnixMs, until: UnixMs): LatencyClass[] {
  const sql = `SELECT token, direction, class, sum(count) AS count FROM latency_steps WHERE at >= ? AND at < ?
    GROUP BY token, direction, class HAVING sum(count) > 0 ORDER BY token, direction, class`
  return classes.all(db, sql, Math.floor(from / latencyStepMs) * latencyStepMs, until)
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
  return classes.all(db, 'SELECT * FROM latency_totals WHERE count > 0 ORDER BY token, direction, class')
}

/** Forgets the oldest steps before a time, at most `limit` rows. */
export function purgeLatency(db: Database, before: UnixMs, limit: number): void {
  const rows = steps.all(db, 'SELECT * FROM latency_steps WHERE at < ? ORDER BY at LIMIT ?', before, limit)
  const forget = db.prepare(
    'DELETE FROM latency_steps WHERE at = ? AND token = ? AND direction = ? AND class = ?',
  )
  for (const row of rows) {
    const key = [row.token, row.direction, row.class] as const
    addTotal(db, key, -row.count)
    forget.run(row.at, ...key)
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
