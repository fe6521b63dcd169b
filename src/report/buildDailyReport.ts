import { setImmediate } from 'node:timers/promises'
import type { JudgedBreaks } from '../breaks/listBreaks.ts'
import { listGivenBackIn } from '../checks/escrow/flows/refundStore.ts'
import { openBook } from './book.ts'
import { openCounts } from './counts.ts'
import { groupCorrections, groupFindings } from './listFindings.ts'
import { listExtras, openProblems, openSurplus } from './problems.ts'
import { type ReportToken, toReportToken } from './reportToken.ts'
import type { Kinds } from '../rules/kinds.ts'
import {
  type CoverageLine,
  type DailyReport,
  type LatencyLine,
  listRestatements,
  type ReportFlow,
  toReportFlow,
} from './dailyReport.ts'
import { openFlows, toCrossing } from './reconcile.ts'
import { timeLabel } from './render/reportWords.ts'
import { type DayWindow, periodOf } from './reportDay.ts'
import type { Direction } from '../bridge/observation.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { readWrapping } from '../store/wrapping.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { readForgottenUntil } from '../ledger/lessons/historyMarks.ts'
import type { OnAdvance } from '../ledger/slicesUnderWay.ts'
import { countTold, listFound, listLearned, listStalledAt } from './queries.ts'

export interface ReportSources {
  readonly db: Database
  readonly ledger: Pick<Ledger, 'listUnderWay'>
  readonly kinds: Kinds
  /** The report of the day before, as it was kept; null when there is none. */
  readonly before: DailyReport | null
  /** When the last report before this one was built, of whichever day; null or left out: there is none. */
  readonly since?: UnixMs | null
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

/**
 * Reconciles one day. Reads the ledger in slices and lets others run in between, and after each part: a report stops no poll.
 * What is counted is counted transfer by transfer, so that none has to stay in memory.
 */
export async function buildDailyReport(
  sources: ReportSources,
  window: DayWindow,
  now: UnixMs,
): Promise<DailyReport> {
  const { db, knows, before } = sources
  const { preconf = null, escrows = null, coverage = null, judged = null } = knows
  // What is not over is told as it is now.
  const shown = { from: window.from, until: Math.min(window.until, now) }
  const stalled = new Set(listStalledAt(db, shown.until))
  const tokens = new Map<string, ReportToken>()
  const nameOf = (address: string) => tokens.get(address) ?? unknownToken(address)
  // Configured may be the address that records name alone.
  const tokenOf = (address: string) => {
    const { symbol, ...token } = knows.tokenOf?.(address) ?? nameOf(address)
    return { ...token, symbol: symbol ?? tokens.get(address)?.symbol ?? null }
  }
  const wrapping = readWrapping(db)
  const words = { kinds: sources.kinds, tokenOf, wrapping }
  await setImmediate()
  const counts = openCounts(window)
  const sums = openFlows(window)
  const book = openBook(shown, {
    escrows: escrows ?? [],
    extras: listExtras({ judged: judged?.judged ?? [], refunds: listGivenBackIn(db, shown) }, shown, tokenOf),
    isExtra: judged === null ? () => false : openSurplus(judged),
  })
  const problems = judged && openProblems(judged, { window: shown, stalled, tokenOf })
  for (const slice of sources.ledger.listUnderWay(window, sources.onAdvance)) {
    for (const transfer of slice) {
      const crossing = toCrossing(transfer, wrapping)
      if (crossing === null) continue
      tokens.set(crossing.held.address, crossing.held)
      tokens.set(crossing.token, toReportToken(transfer.token))
      counts.add(transfer, crossing)
      sums.add(crossing)
      book.add(crossing)
      problems?.add(crossing)
    }
    await setImmediate()
  }
  const flows = sums.lines().map((line) => toReportFlow(line, nameOf(line.token)))
  const latencies: LatencyLine[] = []
  for (const line of counts.latencies(nameOf, knows.pastLatency)) {
    latencies.push(line)
    await setImmediate()
  }
  const found = groupFindings(words, listFound(db, window))
  await setImmediate()
  const learned = listLearned(db, learnedOf(sources.since ?? null, window, now))
  const corrections = groupCorrections(words, learned, window.zone)
  await setImmediate()
  return {
    window,
    builtAt: now,
    missing: [
      ...listMissing(flows, coverage, now, window),
      ...sayForgotten(readForgottenUntil(db), window),
      ...(judged?.isCut
        ? ['more does not reconcile than is read at once: only a part of it is named and summed']
        : []),
    ],
    book: book.lines(),
    problems: problems && problems.list(),
    flows,
    // What was reported in another time zone ended at another time.
    restated: before?.window.until === window.from ? listRestatements(before.flows, flows) : null,
    legs: counts.legs(),
    latencies,
    findings: found,
    corrections,
    oldest: counts.oldest(),
    alerts: { told: countTold(db, window), suppressed: knows.suppressed ?? 0 },
    ...(knows.breaks && { breaks: knows.breaks }),
    ...(knows.cases && { cases: knows.cases }),
    preconf,
    escrows,
    coverage,
    hours: counts.hours(),
  }
}

/** Since the report before, or since the day began where there is none: what was found of earlier days is news. */
function learnedOf(since: UnixMs | null, { from, until }: DayWindow, now: UnixMs) {
  if (since === null) return { before: from, from, until: now }
  // One that was made by a clock far ahead says nothing of since when.
  return { before: from, from: since > now ? until : since, until: now }
}

const unknownToken = (address: string): ReportToken => ({ address, symbol: null, name: '', decimals: null })

const toShare = ({ source, share }: CoverageLine) => `${source} ${Math.floor(share * 100)} %`

/** What was over before, and is kept no longer, is in no count. */
function sayForgotten(until: UnixMs | null, { from, zone }: DayWindow): string[] {
  if (until === null || until < from) return []
  return [`transfers that were over by ${timeLabel(until, zone)} are kept no longer, and not in the sums`]
}

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
    ...(unknown > 0
      ? [
          `the amounts of ${unknown} ${unknown === 1 ? 'transfer' : 'transfers'} are unknown and not in the sums`,
        ]
      : []),
    ...(coverage === null ? [`how much of the ${word} was observed is unknown`] : []),
    ...(gaps.length > 0 ? [`not the whole ${word} was observed: ${sayLeast(gaps)}`] : []),
  ]
}
