import { type Direction, directions } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { coverageOf, type Interval, listCovered, observedSince } from '../../kernel/running/coverage.ts'
import type { Database } from '../../store/database.ts'
import type { FlowSide } from '../../ledger/amounts/flowSteps.ts'
import { latencyStepMs, listLatency, percentileOf } from '../../ledger/lessons/latency.ts'
import { listFlowHours, listLatencySteps, readKnownSince } from './pageQueries.ts'
import type { WebDeps } from '../types.ts'
import type { NormalLatency } from '../statusFacts.ts'
import { readKept } from './kept.ts'
import type { FlowPoint, LatencyPoint, Series } from '../viewTypes.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** A shorter one says little about an hour. */
const leastGapMs = 300_000

/** What the charts of the page show. */
export function readSeries({ clock, db, series }: Pick<WebDeps, 'clock' | 'db' | 'series'>): Series {
  return readKept(series, clock.monotonicMs(), () => {
    const now = clock.now()
    return { flow: readFlow(db, now), latency: readLatency(db, now) }
  })
}

function readFlow(db: Database, now: UnixMs): FlowPoint[] {
  const last = Math.floor(now / hourMs) * hourMs
  const first = last - dayMs
  const knownSince = readKnownSince(db) ?? now
  const rows = listFlowHours(db, first, last + hourMs)
  const gaps = listGaps(db, { from: first, until: now })
  return Array.from({ length: 25 }, (_, index) => {
    const at = first + index * hourMs
    const own = rows.filter((row) => row.at === at)
    // What was filled in from the list later shows; a gap that nothing filled is not an hour without transfers.
    const isBlind = own.length === 0 && overlap(gaps, { from: at, until: at + hourMs }) >= leastGapMs
    const isKnown = at + hourMs > knownSince && !isBlind
    const of = (side: FlowSide) =>
      byDirection(
        (direction) => own.find((row) => row.side === side && row.direction === direction)?.count ?? 0,
      )
    return { at, started: isKnown ? of('started') : null, arrived: isKnown ? of('arrived') : null }
  })
}

/** When the list of transfers was not read, since it was read first: what lies before was read as history. */
function listGaps(db: Database, window: Interval): readonly Interval[] {
  const since = observedSince(db, 'transfers')
  if (since === null || since >= window.until) return []
  const from = Math.max(since, window.from)
  return coverageOf(listCovered(db, 'transfers', { from, until: window.until }), {
    from,
    until: window.until,
  }).gaps
}

function overlap(gaps: readonly Interval[], { from, until }: Interval): number {
  return gaps.reduce(
    (sum, gap) => sum + Math.max(0, Math.min(gap.until, until) - Math.max(gap.from, from)),
    0,
  )
}

function readLatency(db: Database, now: UnixMs): LatencyPoint[] {
  const last = Math.floor(now / latencyStepMs) * latencyStepMs
  const first = last - 7 * dayMs
  const rows = Map.groupBy(listLatencySteps(db, first, now + 1), ({ at }) => at)
  return Array.from({ length: 29 }, (_, index) => {
    const at = first + index * latencyStepMs
    const of = (share: number) =>
      byDirection((direction) => {
        const classes = (rows.get(at) ?? []).filter((row) => row.direction === direction)
        return percentileOf(
          classes.map((row) => ({ ...row, token: '' })),
          share,
        )
      })
    return { at, p50: of(0.5), p95: of(0.95) }
  })
}

/** How long transfers took over the past 30 days, all tokens of a direction together. */
export function readNormal(db: Database, now: UnixMs): Readonly<Record<Direction, NormalLatency | null>> {
  const classes = listLatency(db, now - 30 * dayMs, now + 1)
  return byDirection((direction) => {
    const own = classes.filter((one) => one.direction === direction)
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentileOf(own, share))
    if (p50 == null || p95 == null || p99 == null) return null
    return { samples: own.reduce((sum, { count }) => sum + count, 0), p50, p95, p99 }
  })
}

function byDirection<T>(read: (direction: Direction) => T): Record<Direction, T> {
  const [deposits, withdrawals] = directions
  return { [deposits]: read(deposits), [withdrawals]: read(withdrawals) }
}
