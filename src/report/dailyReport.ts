import type { UnixMs } from '../lib/clock.ts'
import { formatUnits } from '../bridge/amount.ts'
import type { BreakSummary } from '../breaks/summarizeBreaks.ts'
import type { CaseSummary } from './summarizeCases.ts'
import type { Direction } from '../bridge/observation.ts'
import type { FlowLine, Sum } from './reconcile.ts'
import type { BookLine } from './book.ts'
import type { Problem } from './problems.ts'
import type { EscrowDay } from './readEscrowDays.ts'
import type { DayWindow } from './reportDay.ts'
import type { ReportToken } from './reportToken.ts'

/**
 * A day's reconciliation, ready to be rendered and kept: JSON-safe, amounts as exact decimal strings. A section that
 * is null could not be known, which is said; it is never zero.
 */
export interface DailyReport {
  readonly window: DayWindow
  readonly builtAt: UnixMs
  /** What the report could not look at, in words; empty when it is complete. */
  readonly missing: readonly string[]
  /** A line a token; left out of what was kept before there was any. */
  readonly book?: readonly BookLine[]
  /** What of the day does not reconcile, the gravest first; null when it could not be known. */
  readonly problems?: readonly Problem[] | null
  readonly flows: readonly ReportFlow[]
  /** Records of earlier days that came or changed after that day's report; null when there was none to compare with. */
  readonly restated: readonly Restatement[] | null
  readonly legs: readonly LegCount[]
  readonly latencies: readonly LatencyLine[] | null
  /** What was found of the day, whenever that was: by kind, how often, and the largest ones. */
  readonly findings: readonly FindingGroup[]
  /** What was found of earlier days since the report before. */
  readonly corrections?: readonly Correction[]
  readonly oldest: readonly TransferLine[]
  /** As of when it was built, and the entries of the day; left out of what was kept before there were any. */
  readonly breaks?: BreakSummary
  /** Left out of reports that were kept before there were cases. */
  readonly cases?: CaseSummary
  readonly alerts: { readonly told: number; readonly suppressed: number }
  readonly preconf: PreconfSummary | null
  readonly escrows: readonly EscrowDay[] | null
  readonly coverage: readonly CoverageLine[] | null
  /** Transfers that began in each hour of the day, for the chart. */
  readonly hours: readonly {
    readonly hour: string
    readonly deposits: number
    readonly withdrawals: number
  }[]
}

/** An amount in token units, or null when the token's decimals are unknown; `unknown` transfers are not in it. */
export interface ReportSum {
  readonly count: number
  readonly raw: string
  readonly amount: string | null
  readonly unknown: number
}

export interface ReportFlow {
  readonly token: ReportToken
  readonly direction: Direction
  readonly opening: ReportSum
  readonly started: ReportSum
  readonly completed: ReportSum
  readonly failed: ReportSum
  readonly closing: ReportSum
}

export interface Restatement {
  readonly token: ReportToken
  readonly direction: Direction
  /** In flight at the start of the day: as the day before was reported, and as it is known now. */
  readonly reported: ReportSum
  readonly known: ReportSum
}

/** Legs of one chain and direction in the day; an origin leg is where value leaves. */
export interface LegCount {
  readonly chain: 'main' | 'zone'
  readonly direction: Direction
  readonly part: 'origin' | 'destination'
  readonly count: number
}

/** Milliseconds; null where there are too few. `past`: the 30 days before. */
export interface LatencyLine {
  readonly token: ReportToken
  readonly direction: Direction
  readonly samples: number
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
  readonly past: {
    readonly samples: number
    readonly p50: number | null
    readonly p95: number | null
    readonly p99: number | null
  }
}

export interface FindingGroup {
  readonly kind: string
  readonly severity: 'critical' | 'warning' | 'info'
  readonly count: number
  readonly examples: readonly FindingLine[]
}

export interface FindingLine {
  readonly title: string
  /** When what it says happened, or began. */
  readonly at: UnixMs
  /** Of its transfer. */
  readonly key: string | null
  /** Left out of what was kept before. */
  readonly alertId?: string
  /** What it puts at risk, token units. */
  readonly amount?: string | null
  readonly token?: ReportToken | null
}

/** Findings of one kind of a day that was reported already. */
export interface Correction {
  /** The local date. */
  readonly day: string
  readonly kind: string
  readonly severity: FindingGroup['severity']
  readonly count: number
  /** What they put at risk, by token; token units. */
  readonly money: readonly { readonly token: ReportToken; readonly amount: string }[]
}

export interface TransferLine {
  readonly key: string
  readonly token: ReportToken
  readonly direction: Direction
  readonly amount: string | null
  readonly originAt: UnixMs
  readonly mainHash: string | null
  readonly zoneHash: string | null
}

/** Of the day's preconfirmed transactions, by the hours (UTC) in which it was found out what became of them. */
export interface PreconfSummary {
  readonly seen: number
  readonly kept: number
  readonly moved: number
  readonly flipped: number
  readonly dropped: number
  /** Could not be checked. */
  readonly unknown: number
  /** The share of closely watched canonical transactions that were preconfirmed before; null without any. */
  readonly hitRate: number | null
  /** How long before its block a transaction was preconfirmed, on average, ms; null without any. */
  readonly leadMs: number | null
}

export interface CoverageLine {
  readonly source: string
  /** 0 to 1. */
  readonly share: number
  readonly gaps: readonly { readonly from: UnixMs; readonly until: UnixMs }[]
  /** What the share is of, when not of the day's time, e.g. a sample of blocks. */
  readonly note: string | null
}

function toReportSum(sum: Sum, decimals: number | null): ReportSum {
  return {
    count: sum.count,
    raw: sum.raw.toString(),
    amount: decimals === null ? null : formatUnits(sum.raw, decimals),
    unknown: sum.unknown,
  }
}

export function toReportFlow(line: FlowLine, token: ReportToken): ReportFlow {
  const of = (sum: Sum) => toReportSum(sum, token.decimals)
  return {
    token,
    direction: line.direction,
    opening: of(line.opening),
    started: of(line.started),
    completed: of(line.completed),
    failed: of(line.failed),
    closing: of(line.closing),
  }
}

const nothing: ReportSum = { count: 0, raw: '0', amount: '0', unknown: 0 }

/**
 * What was in flight at the start of the day by the report of the day before, beside what is known now: late and
 * changed records. Only what differs.
 */
export function listRestatements(
  reported: readonly ReportFlow[],
  known: readonly ReportFlow[],
): Restatement[] {
  const keyOf = ({ token, direction }: ReportFlow) => `${token.address} ${direction}`
  const before = new Map(reported.map((flow) => [keyOf(flow), flow]))
  const now = new Map(known.map((flow) => [keyOf(flow), flow]))
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((key) => {
    const flow = now.get(key) ?? before.get(key)
    const closing = before.get(key)?.closing ?? nothing
    const opening = now.get(key)?.opening ?? nothing
    if (!flow || (closing.count === opening.count && closing.raw === opening.raw)) return []
    return [{ token: flow.token, direction: flow.direction, reported: closing, known: opening }]
  })
}
