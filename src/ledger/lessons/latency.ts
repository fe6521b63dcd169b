import type { Direction } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { direction, directionPlace } from '../../store/bridgeCodecs.ts'
import type { Database } from '../../store/database.ts'
import { nameNumber, nameOf, numberOf } from '../../store/names.ts'
import { columns, instant, int, type Read, table, text } from '../../store/table.ts'

/**
 * Times are counted in classes, each at most 5 % wider than the one below: a percentile is given as its class's upper
 * bound, at most 5 % too long, never too short. Times up to a second are one class.
 */
const growth = Math.log(1.05)
const lowestMs = 1_000
/** Times of arrival are kept by the quarter of the day, UTC. */
export const latencyStepMs = 6 * 3_600_000

const classes = table('latency_totals', { token: text, direction, class: int, count: int })
const stepRows = table('latency_steps', {
  at: instant,
  ...classes.shape,
  token: int,
  direction: directionPlace,
})
const steps = columns({ ...stepRows.shape, token: text })
const stepClasses = columns({ ...classes.shape, direction: directionPlace })
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
  const sql = `SELECT ${nameOf('token')} AS token, direction, class, sum(count) AS count FROM latency_steps WHERE at >= ? AND at < ?
    GROUP BY 1, direction, class HAVING sum(count) > 0 ORDER BY 1, direction, class`
  return stepClasses.all(db, sql, Math.floor(from / latencyStepMs) * latencyStepMs, until)
}

/** Inside a transaction: counts (or, below zero, takes back) transfers that took a time of this class. */
export function countLatency(db: Database, step: UnixMs, of: Omit<LatencyClass, 'count'>, by: number): void {
  db.prepare(
    'INSERT INTO latency_steps VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
  ).run(step, nameNumber(db, of.token), directionPlace.write(of.direction), of.class, by)
  addTotal(db, [of.token, of.direction, of.class], by)
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

export function oldestLatency(db: Database): UnixMs | null {
  return int.all(db, 'SELECT at FROM latency_steps ORDER BY at LIMIT 1')[0] ?? null
}

/** Forgets the oldest steps before a time, at most `limit` rows. */
export function purgeLatency(db: Database, before: UnixMs, limit: number): void {
  const sql = `SELECT at, ${nameOf('token')} AS token, direction, class, count FROM latency_steps WHERE at < ? ORDER BY at LIMIT ?`
  const rows = steps.all(db, sql, before, limit)
  const forget = db.prepare(
    `DELETE FROM latency_steps WHERE at = ? AND token = ${numberOf('?')} AND direction = ? AND class = ?`,
  )
  for (const row of rows) {
    addTotal(db, [row.token, row.direction, row.class], -row.count)
    forget.run(row.at, row.token, directionPlace.write(row.direction), row.class)
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
