import { encodeFinding, keptFinding } from '../../alerts/findingJson.ts'
import { showSilence, type ShownSilence } from '../../alerts/silences.ts'
import { listSilences } from '../../alerts/store/silenceRows.ts'
import { createReportStore, type ReportRow } from '../../report/store.ts'
import type { WebDeps } from '../types.ts'
import { type Direction, directions } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { activeAlerts, alertColumns, type AlertRow, alertTable } from '../../alerts/store/alertRows.ts'
import { readHashEnds } from '../../ledger/transfers/transferFilter.ts'
import { flowSide } from '../../ledger/amounts/flowSteps.ts'
import { direction, directionPlace } from '../../store/bridgeCodecs.ts'
import type { Database } from '../../store/database.ts'
import { completeHash } from '../../store/hash.ts'
import { type Change, listChanges } from '../../store/auditLog.ts'
import { readMetaNumber } from '../../store/meta.ts'
import { columns, instant, int, type Read, table, text } from '../../store/table.ts'
import { latencyStepMs } from '../../ledger/lessons/latency.ts'
import { isOpenRow } from '../../ledger/transfers/transferRows.ts'

/** Pending transfers are counted by age over at most so many, the oldest. */
const mostCounted = 50_000

export interface PendingAges {
  readonly direction: Direction
  /** One count an age class; a transfer exactly at a bound is in the next class. */
  readonly counts: readonly number[]
  readonly oldestAt: UnixMs | null
}

const origins = table('transfers', { direction, originAt: instant })

/** How many transfers are pending by age; `bounds` rise, the class after the last one has no end. */
export function countPendingByAge(db: Database, bounds: readonly number[], now: UnixMs): PendingAges[] {
  const sql = `SELECT direction, origin_at FROM transfers WHERE ${isOpenRow} AND state = 'pending' AND origin_at <= ? ORDER BY origin_at LIMIT ?`
  const rows = origins.all(db, sql, now, mostCounted)
  return directions.map((direction) => {
    const counts = [...bounds, Infinity].map(() => 0)
    let oldestAt: UnixMs | null = null
    for (const row of rows) {
      if (row.direction !== direction) continue
      const at = row.originAt
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
  const sql = `SELECT COUNT(*) FROM (SELECT 1 FROM transfers WHERE ${isOpenRow} AND state = 'pending' AND origin_at <= ? AND direction = ? LIMIT ?)`
  return int.get(db, sql, at, direction, mostCounted) ?? 0
}

const flowHours = columns({ at: instant, direction: directionPlace, side: flowSide, count: int })
export type FlowHour = Read<typeof flowHours>

/** Transfers by the hour in which they left or arrived, by block times. Hours without any are left out. */
export function listFlowHours(db: Database, from: UnixMs, until: UnixMs): FlowHour[] {
  const sql = `SELECT at / 3600000 * 3600000 AS at, direction, side, SUM(count) AS count FROM flow_steps WHERE at >= ? AND at < ?
    GROUP BY 1, direction, side ORDER BY 1`
  return flowHours.all(db, sql, from, until)
}

const latencySteps = columns({ at: instant, direction: directionPlace, class: int, count: int })
export type LatencyStep = Read<typeof latencySteps>

/** How long transfers took, by the quarter of the day in which they arrived, all tokens together. */
export function listLatencySteps(db: Database, from: UnixMs, until: UnixMs): LatencyStep[] {
  const sql = `SELECT at, direction, class, SUM(count) AS count FROM latency_steps WHERE at >= ? AND at < ?
    GROUP BY at, direction, class HAVING SUM(count) > 0 ORDER BY at, class`
  return latencySteps.all(db, sql, Math.floor(from / latencyStepMs) * latencyStepMs, until)
}

/** Conditions that are not over: the most severe first, then the newest change. */
export function listOpenBySeverity(db: Database, limit: number, offset = 0): AlertRow[] {
  const sql = `SELECT ${alertColumns} FROM alerts a WHERE ${activeAlerts}
    ORDER BY a.state = 'pending', CASE a.severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END,
      a.changed_at DESC, a.id DESC LIMIT ? OFFSET ?`
  return alertTable.all(db, sql, limit, offset)
}

/** Critical events since a time, newest first: a storm of others must not push them out of sight. */
export function listCriticalEvents(db: Database, since: UnixMs, limit: number): AlertRow[] {
  const sql = `SELECT ${alertColumns} FROM alerts a WHERE a.nature = 'event' AND a.changed_at >= ? AND a.severity = 'critical'
    AND a.state <> 'merged' ORDER BY a.changed_at DESC, a.id DESC LIMIT ?`
  return alertTable.all(db, sql, since, limit)
}

const ruleStates = columns({ rule: text, state: alertTable.shape.state, count: int })
export type RuleCount = Read<typeof ruleStates>

/** Open conditions of each rule by state. */
export function countOpenByRule(db: Database): RuleCount[] {
  const sql = `SELECT a.rule, a.state, COUNT(*) AS count FROM alerts a WHERE ${activeAlerts} GROUP BY a.rule, a.state`
  return ruleStates.all(db, sql)
}

/** How many events of a rule were found or corrected since a time. An index counts all of them, another the few that were merged. */
export function countEventsOf(db: Database, rule: string, since: UnixMs): number {
  const count = (where: string) =>
    int.get(db, `SELECT COUNT(*) FROM alerts WHERE rule = ? AND changed_at >= ? AND ${where}`, rule, since) ??
    0
  return count("nature = 'event'") - count("state = 'merged' AND +nature = 'event'")
}

/** When something of a rule was found last, as far as alerts are kept; null where nothing is. */
export function readLastFired(db: Database, rule: string): UnixMs | null {
  const sql = `SELECT MAX(COALESCE(fired_at, active_at)) FROM alerts WHERE rule = ? AND state NOT IN ('pending', 'merged')`
  return instant.orNull().get(db, sql, rule)
}

/** Alerts are searched among the newest so many of each nature. */
const mostSearched = 5_000

/** Alerts whose finding names a hash or an address anywhere, its short form too, newest first. */
export function searchAlerts(db: Database, text: string, limit: number): AlertRow[] {
  const ends = readHashEnds(text)
  if (ends === null) return findNamed(db, text, limit)
  const isWhole = new RegExp(`${ends.from}[0-9a-f]*${ends.to}(?![0-9a-f])`, 'i')
  return findNamed(db, ends.from, mostSearched)
    .filter((row) => isWhole.test(textOf(row)))
    .slice(0, limit)
}

/** A packed finding has hashes and addresses as bytes, and within sentences as text. */
function findNamed(db: Database, text: string, limit: number): AlertRow[] {
  const isNamed = `instr(lower(CAST(a.finding AS TEXT)), ?3) > 0 OR typeof(a.finding) = 'blob' AND instr(a.finding, unhex(?4)) > 0`
  const sql = `SELECT ${alertColumns} FROM (SELECT * FROM alerts WHERE nature = ?1 ORDER BY changed_at DESC LIMIT ?2) a
    WHERE a.state NOT IN ('merged', 'inactive') AND (${isNamed}) LIMIT ?5`
  const wanted = completeHash(text).toLowerCase()
  const [, bytes = null, half = ''] = /^0x((?:[0-9a-f]{2})+)([0-9a-f]?)$/.exec(wanted) ?? []
  // Half a byte more leaves one in sixteen.
  const candidates = half === '' ? limit : 16 * limit
  return ['event', 'condition']
    .flatMap((nature) => alertTable.all(db, sql, nature, mostSearched, wanted, bytes, candidates))
    .filter((row) => half === '' || textOf(row).includes(wanted))
    .sort((a, b) => b.changedAt - a.changedAt)
    .slice(0, limit)
}

function textOf(row: AlertRow): string {
  return (typeof row.finding === 'string' ? row.finding : encodeFinding(keptFinding(row))).toLowerCase()
}

/** From when on the ledger knows what happened; null before it was begun. */
export function readKnownSince(db: Database): UnixMs | null {
  return readMetaNumber(db, 'tell_since')
}

export function countDead(db: Database): number {
  return int.get(db, "SELECT COUNT(*) FROM outbox WHERE state = 'dead'") ?? 0
}

const mostSilences = 1_000

/** Those that hold or will. */
export function listKnownSilences({ db, clock }: Pick<WebDeps, 'db' | 'clock'>): ShownSilence[] {
  return listSilences(db, { since: clock.now(), limit: mostSilences }).map(showSilence)
}

/** What people changed, newest first, and where to go on; null when that was all. */
export function readAudit(
  db: Database,
  { limit, before }: { readonly limit: number; readonly before: number | null },
): { readonly changes: readonly Change[]; readonly next: number | null } {
  const found = listChanges(db, { limit: limit + 1, before })
  const changes = found.slice(0, limit)
  return { changes, next: found.length > limit ? (changes.at(-1)?.id ?? null) : null }
}

const mostReports = 400

/** The daily reports that are kept, newest first. */
export function listReports(db: Database): ReportRow[] {
  return createReportStore(db).list(mostReports)
}
