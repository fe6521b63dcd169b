import { nth } from '../lib/nth.ts'
import { setImmediate } from 'node:timers/promises'
import type { JudgedBreaks } from '../breaks/listBreaks.ts'
import { keepBook } from './book.ts'
import { groupCorrections, groupFindings } from './listFindings.ts'
import { listExtras, listProblems, listSurplus } from './problems.ts'
import { type ReportToken, toReportToken } from './reportToken.ts'
import type { Kinds } from '../rules/kinds.ts'
import {
  type CoverageLine,
  type DailyReport,
  type LatencyLine,
  listRestatements,
  type ReportFlow,
  toReportFlow,
  type TransferLine,
  type LegCount,
} from './dailyReport.ts'
import { type Crossing, reconcile, toCrossing } from './reconcile.ts'
import { type DayWindow, periodOf } from './reportDay.ts'
import { type Direction, directions } from '../bridge/observation.ts'
import { type Transfer, originChain } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { OnAdvance } from '../ledger/slicesUnderWay.ts'
import { countTold, listFound, listLearned, listStalledAt } from './queries.ts'
import { DateTime } from 'luxon'

export interface ReportSources {
  readonly db: Database
  readonly ledger: Pick<Ledger, 'listUnderWay'>
  readonly kinds: Kinds
  /** The report of the day before, as it was kept; null when there is none. */
  readonly before: DailyReport | null
  /** Told of how far the reading is, where somebody waits for it. */
  readonly onAdvance?: OnAdvance
  /** What other parts know of the day; null or left out: could not be known. */
  readonly knows: Partial<
    Pick<DailyReport, 'breaks' | 'cases' | 'preconf' | 'escrows' | 'coverage'> & {
      readonly suppressed: number
      /** All breaks as they are now. */
      readonly judged: JudgedBreaks
      /** By its address on the main chain. */
      tokenOf(address: string): ReportToken
      /** Of the 30 days before. */
      pastLatency(token: string, direction: Direction): LatencyLine['past'] | null
    }
  >
}

/** Oldest transfers in flight that are listed one by one. */
const oldestListed = 20

/** Reconciles one day. Reads the ledger in slices and lets others run in between, and after each part: a report stops no poll. */
export async function buildDailyReport(
  sources: ReportSources,
  window: DayWindow,
  now: UnixMs,
): Promise<DailyReport> {
  const day = await readDay(sources, window)
  const flows = reconcile(day.crossings, window).map((line) =>
    toReportFlow(line, day.tokens.get(line.token) ?? unknownToken(line.token)),
  )
  const { db, knows } = sources
  const { preconf = null, escrows = null, coverage = null, judged = null } = knows
  const tokenOf = knows.tokenOf ?? ((address: string) => day.tokens.get(address) ?? unknownToken(address))
  const words = { kinds: sources.kinds, tokenOf }
  // What is not over is told as it is now.
  const shown = { from: window.from, until: Math.min(window.until, now) }
  const stalled = new Set(listStalledAt(db, shown.until))
  await setImmediate()
  const book = keepBook(day.crossings, shown, {
    escrows: escrows ?? [],
    extras: judged === null ? [] : listExtras(judged, shown, tokenOf),
    without: judged === null ? new Set() : listSurplus(judged, day.crossings),
  })
  await setImmediate()
  const problems = judged && listProblems(judged, day.crossings, { window: shown, stalled, tokenOf })
  await setImmediate()
  const legs = countLegs(day.transfers, window)
  await setImmediate()
  const latencies = listLatencies(day, window, knows)
  await setImmediate()
  const hours = countHours(day.crossings, window)
  await setImmediate()
  return {
    window,
    builtAt: now,
    missing: [
      ...listMissing(flows, coverage, now, window),
      ...(judged?.isCut
        ? ['more does not reconcile than is read at once: only a part of it is named and summed']
        : []),
    ],
    book,
    problems,
    flows,
    restated: sources.before && listRestatements(sources.before.flows, flows),
    legs,
    latencies,
    findings: groupFindings(words, listFound(db, window)),
    corrections: groupCorrections(
      words,
      listLearned(db, learnedOf(sources.before, window, now)),
      window.zone,
    ),
    oldest: day.oldest,
    alerts: { told: countTold(db, window), suppressed: knows.suppressed ?? 0 },
    ...(knows.breaks && { breaks: knows.breaks }),
    ...(knows.cases && { cases: knows.cases }),
    preconf,
    escrows,
    coverage,
    hours,
  }
}

/** Since the report before, or since the day began where there is none: what was found of earlier days is news. */
function learnedOf(before: DailyReport | null, { from, until }: DayWindow, now: UnixMs) {
  const since = before === null ? from : Math.min(before.builtAt, until)
  return { before: from, from: since, until: now }
}

async function readDay({ ledger, onAdvance }: ReportSources, window: DayWindow) {
  const crossings: Crossing[] = []
  const tokens = new Map<string, ReportToken>()
  const transfers: Pick<Transfer, 'direction' | 'main' | 'zone'>[] = []
  let oldest: TransferLine[] = []
  for (const slice of ledger.listUnderWay(window, onAdvance)) {
    for (const transfer of slice) {
      const crossing = toCrossing(transfer)
      if (crossing === null) continue
      crossings.push(crossing)
      transfers.push({ direction: transfer.direction, main: transfer.main, zone: transfer.zone })
      tokens.set(transfer.token.address, toReportToken(transfer.token))
      if (crossing.end === null || crossing.end.at >= window.until) oldest.push(toLine(transfer))
    }
    oldest = oldest.sort((a, b) => a.originAt - b.originAt).slice(0, oldestListed)
    await setImmediate()
  }
  return { crossings, tokens, transfers, oldest }
}

const noPast = { samples: 0, p50: null, p95: null, p99: null }

/** Exact, from every transfer that arrived in the day. */
function listLatencies(
  { crossings, tokens }: Awaited<ReturnType<typeof readDay>>,
  { from, until }: DayWindow,
  knows: ReportSources['knows'],
): LatencyLine[] {
  const arrived = crossings.filter(({ end }) => end?.how === 'completed' && end.at >= from && end.at < until)
  return [...Map.groupBy(arrived, ({ token, direction }) => `${token} ${direction}`)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => {
      const { token, direction } = nth(group, 0)
      const times = group
        .map(({ startedAt, end }) => (end?.at ?? startedAt) - startedAt)
        .sort((a, b) => a - b)
      return {
        token: tokens.get(token) ?? unknownToken(token),
        direction,
        samples: times.length,
        p50: rankOf(times, 0.5),
        p95: rankOf(times, 0.95),
        p99: rankOf(times, 0.99),
        past: knows.pastLatency?.(token, direction) ?? noPast,
      }
    })
}

/** Nearest rank: a time that a transfer really took. */
function rankOf(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null
}

const unknownToken = (address: string): ReportToken => ({ address, symbol: null, name: '', decimals: null })

function toLine(transfer: Transfer): TransferLine {
  const { key, direction, amount, originAt, main, zone } = transfer
  return {
    key,
    direction,
    amount,
    originAt,
    token: toReportToken(transfer.token),
    mainHash: main?.hash ?? null,
    zoneHash: zone?.hash ?? null,
  }
}

const toShare = ({ source, share }: CoverageLine) => `${source} ${Math.floor(share * 100)} %`

const namedGaps = 3

/** Those that saw the least of the day. */
function sayLeast(gaps: readonly CoverageLine[]): string {
  const sorted = gaps.toSorted((a, b) => a.share - b.share)
  const more = sorted.length - namedGaps
  return `${sorted.slice(0, namedGaps).map(toShare).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** What a reader must not take for complete. */
function listMissing(
  flows: readonly ReportFlow[],
  coverage: DailyReport['coverage'],
  now: UnixMs,
  window: DayWindow,
): string[] {
  const unknown = flows.reduce((sum, { opening, started }) => sum + opening.unknown + started.unknown, 0)
  const word = periodOf(window.day) ?? 'day'
  // A sample is never the whole: its line says so itself.
  const gaps = (coverage ?? []).filter(({ share, note }) => share < 0.99 && note === null)
  return [
    ...(now < window.until ? [`the ${word} is not over`] : []),
    ...(unknown > 0 ? [`the amounts of ${unknown} transfers are unknown and not in the sums`] : []),
    ...(coverage === null ? [`how much of the ${word} was observed is unknown`] : []),
    ...(gaps.length > 0 ? [`not the whole ${word} was observed: ${sayLeast(gaps)}`] : []),
  ]
}

const chains = ['main', 'zone'] as const
/** Legs by the block times of the day: what left and what arrived, chain by chain. */
function countLegs(
  transfers: readonly Pick<Transfer, 'direction' | 'main' | 'zone'>[],
  { from, until }: DayWindow,
): LegCount[] {
  return directions.flatMap((direction) =>
    chains.map((chain) => ({
      chain,
      direction,
      part: originChain(direction) === chain ? ('origin' as const) : ('destination' as const),
      count: transfers.filter((transfer) => {
        const time = transfer[chain]?.time ?? null
        return transfer.direction === direction && time !== null && time >= from && time < until
      }).length,
    })),
  )
}

/** Transfers that began in each hour of a day, 23 or 25 where the clocks change; of a longer window in each day. */
function countHours(crossings: readonly Crossing[], window: DayWindow): DailyReport['hours'] {
  const unit = periodOf(window.day) === 'day' ? 'hour' : 'day'
  const starts: DateTime[] = []
  for (let at = DateTime.fromMillis(window.from, { zone: window.zone }); at.toMillis() < window.until; ) {
    starts.push(at)
    at = at.plus({ [unit]: 1 }).startOf(unit)
  }
  const counts = starts.map((at) => ({
    hour: at.toFormat(unit === 'hour' ? 'HH' : 'MM-dd'),
    deposits: 0,
    withdrawals: 0,
  }))
  for (const { direction, startedAt } of crossings) {
    if (startedAt < window.from || startedAt >= window.until) continue
    const index = starts.findLastIndex((at) => at.toMillis() <= startedAt)
    const hour = counts[index]
    if (hour) hour[direction === 'MainToZone' ? 'deposits' : 'withdrawals'] += 1
  }
  return counts
}
