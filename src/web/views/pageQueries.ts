import type { Direction } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import {
  activeAlerts,
  alertColumns,
  type AlertRow,
  type AlertState,
  toAlertRow,
} from '../../alerts/store/alertRows.ts'
import type { Database } from '../../store/database.ts'
import type { FlowSide } from '../../ledger/flow.ts'
import { latencyStepMs } from '../../ledger/latency.ts'
import { isOpenRow } from '../../ledger/transferRows.ts'

/** Pending transfers are counted by age over at most so many, the oldest. */
const mostCounted = 50_000

export interface PendingAges {
  readonly direction: Direction
  /** One count an age class; a transfer exactly at a bound is in the next class. */
  readonly counts: readonly number[]
  readonly oldestAt: UnixMs | null
}

/** How many transfers are pending by age; `bounds` rise, the class after the last one has no end. */
export function countPendingByAge(db: Database, bounds: readonly number[], now: UnixMs): PendingAges[] {
  const rows = db
    .prepare(
      `SELECT direction, origin_at FROM transfers WHERE ${isOpenRow} AND state = 'pending' AND origin_at <= ? ORDER BY origin_at LIMIT ?`,
    )
    .all(now, mostCounted)
  return (['MainToZone', 'ZoneToMain'] as const).map((direction) => {
    const counts = [...bounds, Infinity].map(() => 0)
    let oldestAt: UnixMs | null = null
    for (const row of rows) {
      if (row['direction'] !== direction) continue
      const at = Number(row['origin_at'])
      oldestAt ??= at
      const found = bounds.findIndex((bound) => now - at < bound)
      const place = found === -1 ? bounds.length : found
      counts[place] = (counts[place] ?? 0) + 1
    }
    return { direction, counts, oldestAt }
  })
}

/** How many transfers of a direction are pending whose value left at or before a time. */
export function countPendingSince(db: Database, direction: Direction, at: UnixMs): number {
  const sql = `SELECT COUNT(*) AS n FROM (SELECT 1 FROM transfers WHERE ${isOpenRow} AND state = 'pending' AND origin_at <= ? AND direction = ? LIMIT ?)`
  return Number(db.prepare(sql).get(at, direction, mostCounted)?.['n'] ?? 0)
}

export interface FlowHour {
  readonly at: UnixMs
  readonly direction: Direction
  readonly side: FlowSide
  readonly count: number
}

/** Transfers by the hour in which they left or arrived, by block times. Hours without any are left out. */
export function listFlowHours(db: Database, from: UnixMs, until: UnixMs): FlowHour[] {
  return db
    .prepare(
      `SELECT at / 3600000 AS hour, direction, side, SUM(count) AS n FROM flow_steps WHERE at >= ? AND at < ?
       GROUP BY hour, direction, side ORDER BY hour`,
    )
    .all(from, until)
    .map((row) => ({
      at: Number(row['hour']) * 3_600_000,
      // Both written by flow.ts.
      direction: String(row['direction']) as Direction,
      side: String(row['side']) as FlowSide,
      count: Number(row['n']),
    }))
}

export interface LatencyStep {
  readonly at: UnixMs
  readonly direction: Direction
  readonly class: number
  readonly count: number
}

/** How long transfers took, by the quarter of the day in which they arrived, all tokens together. */
export function listLatencySteps(db: Database, from: UnixMs, until: UnixMs): LatencyStep[] {
  return db
    .prepare(
      `SELECT at, direction, class, SUM(count) AS n FROM latency_steps WHERE at >= ? AND at < ?
       GROUP BY at, direction, class HAVING n > 0 ORDER BY at, class`,
    )
    .all(Math.floor(from / latencyStepMs) * latencyStepMs, until)
    .map((row) => ({
      at: Number(row['at']),
      direction: String(row['direction']) as Direction,
      class: Number(row['class']),
      count: Number(row['n']),
    }))
}

/** Conditions that are not over: the most severe first, then the newest change. */
export function listOpenBySeverity(db: Database, limit: number): AlertRow[] {
  return db
    .prepare(
      `SELECT ${alertColumns} FROM alerts a WHERE ${activeAlerts}
       ORDER BY a.state = 'pending', CASE a.severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END,
        a.changed_at DESC, a.id DESC LIMIT ?`,
    )
    .all(limit)
    .map(toAlertRow)
}

/** Critical events since a time, newest first: a storm of others must not push them out of sight. */
export function listCriticalEvents(db: Database, since: UnixMs, limit: number): AlertRow[] {
  return db
    .prepare(
      `SELECT ${alertColumns} FROM alerts a WHERE a.nature = 'event' AND a.changed_at >= ? AND a.severity = 'critical'
       AND a.state <> 'merged' ORDER BY a.changed_at DESC, a.id DESC LIMIT ?`,
    )
    .all(since, limit)
    .map(toAlertRow)
}

export interface RuleCount {
  readonly rule: string
  readonly state: AlertState
  readonly count: number
}

/** Open conditions of each rule by state. */
export function countOpenByRule(db: Database): RuleCount[] {
  return db
    .prepare(
      `SELECT a.rule, a.state, COUNT(*) AS count FROM alerts a WHERE ${activeAlerts} GROUP BY a.rule, a.state`,
    )
    .all()
    .map((row) => ({
      rule: String(row['rule']),
      // Narrowed by the condition above.
      state: row['state'] as AlertState,
      count: Number(row['count']),
    }))
}

/** Events of each rule that were found or corrected since a time. */
export function countEventsByRule(db: Database, since: UnixMs): ReadonlyMap<string, number> {
  const rows = db
    .prepare(
      `SELECT rule, COUNT(*) AS count FROM alerts WHERE nature = 'event' AND changed_at >= ? AND state <> 'merged' GROUP BY rule`,
    )
    .all(since)
  return new Map(rows.map((row) => [String(row['rule']), Number(row['count'])]))
}

/** Alerts are searched among the newest so many of each nature. */
const mostSearched = 5_000

/** Alerts whose finding names a hash or an address anywhere, newest first. */
export function searchAlerts(db: Database, text: string, limit: number): AlertRow[] {
  return (['event', 'condition'] as const)
    .flatMap((nature) =>
      db
        .prepare(
          `SELECT ${alertColumns} FROM (SELECT * FROM alerts WHERE nature = ? ORDER BY changed_at DESC LIMIT ?) a
           WHERE a.state NOT IN ('merged', 'inactive') AND instr(lower(a.finding), ?) > 0 LIMIT ?`,
        )
        .all(nature, mostSearched, text.toLowerCase(), limit)
        .map(toAlertRow),
    )
    .sort((a, b) => b.changedAt - a.changedAt)
    .slice(0, limit)
}

/** From when on the ledger knows what happened; null before it was begun. */
export function readKnownSince(db: Database): UnixMs | null {
  const row = db.prepare("SELECT value FROM meta WHERE name = 'tell_since'").get()
  return row ? Number(row['value']) : null
}

export function countDead(db: Database): number {
  return Number(db.prepare("SELECT COUNT(*) AS n FROM outbox WHERE state = 'dead'").get()?.['n'] ?? 0)
}
