import type { CoverageLine, DailyReport, LatencyLine, PreconfSummary } from './dailyReport.ts'
import { judgeBreaks } from '../breaks/listBreaks.ts'
import { type EscrowDay, joinEscrowDays, joinUnexplained, readEscrowDays } from './readEscrowDays.ts'
import { createReportStore, type ReportStore } from './store.ts'
import type { ReportToken } from './reportToken.ts'
import { flowsKeptMs } from '../checks/escrow/flows/flowStore.ts'
import { type BreakLedger, openBreakSources } from '../breaks/breakSources.ts'
import { summarizeBreaks } from '../breaks/summarizeBreaks.ts'
import type { Direction } from '../bridge/observation.ts'
import { coverageOf, listCovered, listCoveredSources, readsSource } from '../kernel/running/coverage.ts'
import { listLatency, percentileOf } from '../ledger/lessons/latency.ts'
import { countSuppressed } from './queries.ts'
import { summarizeCases } from './summarizeCases.ts'
import type { UnixMs } from '../lib/clock.ts'
import { runInTurns } from '../lib/steps.ts'
import { type DayWindow, daysOf, windowOf } from './reportDay.ts'
import type { Database } from '../store/database.ts'
import { listPreconfHours } from '../checks/preconf/store.ts'
import { readZoneShare } from '../checks/audit/zoneStore.ts'
import type { ReportSources } from './buildDailyReport.ts'

/** What the other parts kept of a day. A part that is not configured, or kept nothing, leaves its section unknown. */
export async function readReportKnowledge(
  { db, ledger, tokens }: Parameters<typeof openBreakSources>[0],
  window: DayWindow,
  now: UnixMs,
): Promise<ReportSources['knows']> {
  const sources = openBreakSources({ db, ledger, tokens })
  const judged = await runInTurns(judgeBreaks(sources, now))
  const tokenOf = (address: string) => ({ address, name: '', ...pickToken(sources.tokens.find(address)) })
  return {
    judged,
    tokenOf,
    breaks: summarizeBreaks(sources, window, now, judged),
    cases: summarizeCases(db, window, (token) => tokenOf(token).symbol),
    preconf: readPreconf(db, window),
    escrows: readEscrows(db, tokens, window, now),
    coverage: readCoverage(db, window),
    suppressed: countSuppressed(db, window),
    pastLatency: readPastLatency(db, window),
  }
}

function pickToken({ symbol, decimals }: Pick<ReportToken, 'symbol' | 'decimals'>) {
  return { symbol, decimals }
}

/** Movements are kept for a week: what a longer window had is taken from the reports of its days. */
function readEscrows(
  db: Database,
  tokens: BreakLedger['tokens'],
  window: DayWindow,
  now: UnixMs,
): EscrowDay[] | null {
  const read = readEscrowDays(db, tokens, window, now)
  if (read === null || window.from >= now - flowsKeptMs) return read
  const store = createReportStore(db)
  const days = daysOf(window)
  const kept = days.length === 1 ? [] : days.map((day) => findOfZone(store, day, window.zone))
  const joined = joinEscrowDays(kept.map((report) => report?.escrows ?? []))
  const books = kept.map((report) => report?.book ?? [])
  return read.map((one) => {
    const whole = joined.find(({ token }) => token.address === one.token.address)
    const day = one.change === null && whole?.change != null ? whole : one
    return { ...day, unexplained: joinUnexplained(books, one.token) }
  })
}

/** What was reported in another time zone is of other hours. */
function findOfZone(store: ReportStore, day: string, zone: string): DailyReport | null {
  const [kept, window] = [store.find(day), windowOf(day, zone)]
  return kept?.window.from === window?.from && kept?.window.until === window?.until ? kept : null
}

function readCoverage(db: Database, window: DayWindow): CoverageLine[] | null {
  const lines: CoverageLine[] = listCoveredSources(db)
    .filter((poller) => readsSource({ poller }))
    .map((source) => ({ source, ...coverageOf(listCovered(db, source, window), window), note: null }))
  const zoneShare = readZoneShare(db, window.from, window.until)
  if (zoneShare !== null)
    lines.push({
      source: 'zone chain',
      share: zoneShare,
      gaps: [],
      note: zoneShare < 1 ? 'of zone blocks, sampled' : 'of zone blocks',
    })
  return lines.length === 0 ? null : lines
}

const pastMs = 30 * 86_400_000

function readPastLatency(db: Database, { from }: DayWindow) {
  const classes = Map.groupBy(
    listLatency(db, from - pastMs, from),
    ({ token, direction }) => `${token} ${direction}`,
  )
  return (token: string, direction: Direction): LatencyLine['past'] | null => {
    const own = classes.get(`${token} ${direction}`)
    if (!own) return null
    const samples = own.reduce((sum, { count }) => sum + count, 0)
    return {
      samples,
      p50: percentileOf(own, 0.5),
      p95: percentileOf(own, 0.95),
      p99: percentileOf(own, 0.99),
    }
  }
}

const hourMs = 3_600_000

function readPreconf(db: Database, { from, until }: DayWindow): PreconfSummary | null {
  // Zones with half hours: the hour in which the day begins belongs to it.
  const hours = listPreconfHours(db, Math.floor(from / hourMs) * hourMs, until - 1)
  if (hours.length === 0) return null
  const sum = (read: (hour: (typeof hours)[number]) => number) =>
    hours.reduce((total, hour) => total + read(hour), 0)
  const hits = sum((hour) => hour.hits)
  const watched = hits + sum((hour) => hour.unseen)
  const leads = sum((hour) => hour.leadCount)
  return {
    seen: sum((hour) => hour.taken),
    kept: sum((hour) => hour.kept),
    moved: sum((hour) => hour.moved),
    flipped: sum((hour) => hour.flipped),
    dropped: sum((hour) => hour.dropped),
    unknown: sum((hour) => hour.unknown),
    hitRate: watched === 0 ? null : hits / watched,
    leadMs: leads === 0 ? null : Math.round(sum((hour) => hour.leadSumMs) / leads),
  }
}
