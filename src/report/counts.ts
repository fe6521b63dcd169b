import { DateTime } from 'luxon'
import type { DailyReport, LatencyLine, LegCount, TransferLine } from './dailyReport.ts'
import type { Crossing } from './reconcile.ts'
import { type DayWindow, periodOf } from './reportDay.ts'
import { type ReportToken, toReportToken } from './reportToken.ts'
import { type Direction, directions } from '../bridge/observation.ts'
import { originChain } from '../bridge/transfer.ts'
import type { CountedTransfer } from '../ledger/slicesUnderWay.ts'

/** What is counted of a window beside its sums, one transfer after the other. */
export interface Counts {
  add(transfer: CountedTransfer, crossing: Crossing): void
  legs(): LegCount[]
  /** Exact, from every transfer that arrived in the window; a line takes its time where they are many. */
  latencies(
    tokenOf: (address: string) => ReportToken,
    past?: (token: string, direction: Direction) => LatencyLine['past'] | null,
  ): Iterable<LatencyLine>
  /** Transfers that began in each hour of a day, 23 or 25 where the clocks change; of a longer window in each day. */
  hours(): DailyReport['hours']
  /** On their way at the end of the window. */
  oldest(): TransferLine[]
}

/** Oldest transfers in flight that are listed one by one. */
const oldestListed = 20

export function openCounts(window: DayWindow): Counts {
  const legs = openLegs()
  const latencies = new Map<string, Latency>()
  const hours = openHours(window)
  let oldest: CountedTransfer[] = []
  const isIn = (at: number) => at >= window.from && at < window.until
  return {
    add(transfer, { token, direction, startedAt, end }) {
      for (const leg of legs)
        if (leg.direction === direction && isIn(transfer[leg.chain]?.time ?? NaN)) leg.count += 1
      if (end?.how === 'completed' && isIn(end.at)) {
        const key = `${token} ${direction}`
        const known = latencies.get(key)
        if (known) known.times.push(end.at - startedAt)
        else latencies.set(key, { token, direction, times: [end.at - startedAt] })
      }
      if (isIn(startedAt)) count(hours, direction, startedAt)
      if (end === null || end.at >= window.until) oldest = insertOldest(oldest, transfer)
    },
    legs: () => legs,
    *latencies(tokenOf, past) {
      for (const [, one] of [...latencies].sort(([a], [b]) => (a < b ? -1 : 1)))
        yield toLatencyLine(one, tokenOf(one.token), past?.(one.token, one.direction) ?? noPast)
    },
    hours: () => hours.map(({ hour, deposits, withdrawals }) => ({ hour, deposits, withdrawals })),
    oldest: () => oldest.map(toLine),
  }
}

const chains = ['main', 'zone'] as const

/** Legs by the block times of the window: what left and what arrived, chain by chain. */
function openLegs() {
  return directions.flatMap((direction) =>
    chains.map((chain) => ({
      chain,
      direction,
      part: originChain(direction) === chain ? ('origin' as const) : ('destination' as const),
      count: 0,
    })),
  )
}

interface Latency {
  readonly token: string
  readonly direction: Direction
  readonly times: number[]
}

const noPast = { samples: 0, p50: null, p95: null, p99: null }

function toLatencyLine(
  { direction, times }: Latency,
  token: ReportToken,
  past: LatencyLine['past'],
): LatencyLine {
  // As numbers of one size they sort many times as fast, and there may be hundreds of thousands.
  const sorted = Float64Array.from(times).sort()
  return {
    token,
    direction,
    samples: sorted.length,
    p50: rankOf(sorted, 0.5),
    p95: rankOf(sorted, 0.95),
    p99: rankOf(sorted, 0.99),
    past,
  }
}

/** Nearest rank: a time that a transfer really took. */
function rankOf(sorted: Float64Array, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null
}

function openHours(window: DayWindow) {
  const unit = periodOf(window.day) === 'day' ? 'hour' : 'day'
  const starts: DateTime[] = []
  for (let at = DateTime.fromMillis(window.from, { zone: window.zone }); at.toMillis() < window.until; ) {
    starts.push(at)
    const next = at.plus({ [unit]: 1 }).startOf(unit)
    // Where the clocks go back by half an hour, that may be the same hour once more.
    at = next > at ? next : at.plus({ [unit]: 2 }).startOf(unit)
  }
  return starts.map((at) => ({
    from: at.toMillis(),
    hour: at.toFormat(unit === 'hour' ? 'HH' : 'MM-dd'),
    deposits: 0,
    withdrawals: 0,
  }))
}

function count(hours: ReturnType<typeof openHours>, direction: Direction, at: number): void {
  const hour = hours.findLast(({ from }) => from <= at)
  if (hour) hour[direction === 'MainToZone' ? 'deposits' : 'withdrawals'] += 1
}

/** Rising; of equal age those that came first. */
function insertOldest(oldest: CountedTransfer[], transfer: CountedTransfer): CountedTransfer[] {
  const last = oldest.at(-1)
  if (oldest.length === oldestListed && last !== undefined && last.originAt <= transfer.originAt)
    return oldest
  return [...oldest, transfer].sort((a, b) => a.originAt - b.originAt).slice(0, oldestListed)
}

function toLine(transfer: CountedTransfer): TransferLine {
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
