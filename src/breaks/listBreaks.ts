import { addDecimals, compareDecimals, type Decimal, formatDecimal, noAmount } from '../bridge/decimal.ts'
import type { UnixMs } from '../lib/clock.ts'
import { mapInSteps, runAtOnce, type Steps } from '../lib/steps.ts'
import { type Break, sumKeyOf } from './break.ts'
import { describeBreak, type ShownBreak } from './describeBreak.ts'
import { listHeldShares } from './entryStore.ts'
import { type BreakSources, type FoundBreaks, listBreaks } from './readBreaks.ts'
import { settle, type Settlement } from './settle.ts'

export interface BreakQuery {
  /** Address or symbol, as typed; null is all. */
  readonly token: string | null
  /** At least so much is left, token units. */
  readonly min: Decimal | null
  readonly minAgeMs: number | null
  readonly state: 'open' | 'settled' | 'all'
  readonly sort: 'age' | 'amount'
  readonly limit: number
  readonly offset: number
}

/** Breaks of one token in one unit, in sum. Amounts as decimal strings, exact. */
export interface BreakSum {
  readonly token: string
  readonly symbol: string | null
  readonly inBaseUnits: boolean
  readonly open: { readonly count: number; readonly amount: string; readonly unknown: number }
  /** By hand. */
  readonly settled: { readonly count: number; readonly amount: string }
  readonly oldestAt: UnixMs | null
}

export interface BreakList {
  readonly breaks: readonly ShownBreak[]
  /** How many fit, those that are not shown too. */
  readonly total: number
  /** Of all that fit but for their state. */
  readonly sums: readonly BreakSum[]
  /** There are more than are read at once: counts and sums are of what was read. */
  readonly isCut: boolean
}

interface Judged {
  readonly of: Break
  readonly is: Settlement
}

/** All breaks beside what entries settle of them. */
export interface JudgedBreaks extends Pick<FoundBreaks, 'isCut' | 'givenBack'> {
  readonly judged: readonly Judged[]
}

export function* judgeBreaks(sources: BreakSources, now: UnixMs): Steps<JudgedBreaks> {
  const { breaks, ...found } = yield* listBreaks(sources, now)
  const shares = listHeldShares(sources.db)
  const judged = yield* mapInSteps(breaks, (of) => ({ of, is: settle(of, shares.get(of.name) ?? []) }))
  return { judged, ...found }
}

/** The work list: what does not reconcile, by age or amount. What is shown is read in full, of the rest only what sums need. */
export function readBreakList(
  sources: BreakSources,
  query: BreakQuery,
  now: UnixMs,
  { judged, isCut }: Pick<JudgedBreaks, 'judged' | 'isCut'> = runAtOnce(judgeBreaks(sources, now)),
): BreakList {
  const fitting = judged.filter((one) => fits(sources, one, query, now))
  const wanted = fitting
    .filter(({ is }) => query.state === 'all' || is.isOpen === (query.state === 'open'))
    .toSorted(query.sort === 'age' ? byAge : byAmount)
  return {
    breaks: wanted
      .slice(query.offset, query.offset + query.limit)
      .map(({ of, is }) => describeBreak(sources, of, is)),
    total: wanted.length,
    sums: sumBreaks(sources, fitting),
    isCut,
  }
}

function fits({ tokens }: BreakSources, { of, is }: Judged, query: BreakQuery, now: UnixMs): boolean {
  const { token, min, minAgeMs } = query
  const wanted = token?.toLowerCase()
  const isToken =
    wanted === undefined ||
    wanted === (of.token || 'native') ||
    wanted === tokens.find(of.token).symbol?.toLowerCase()
  // What nobody knows the amount of is not small.
  const amount = is.isOpen ? is.left : is.settled
  const isLarge = min === null || amount === null || compareDecimals(amount, min) >= 0
  return isToken && isLarge && (minAgeMs === null || of.since <= now - minAgeMs)
}

function byAge({ of: a }: Judged, { of: b }: Judged): number {
  return a.since - b.since || (a.name < b.name ? -1 : 1)
}

/** The largest first; what is not known before all that is. */
function byAmount(a: Judged, b: Judged): number {
  if (a.of.amount === null || b.of.amount === null)
    return Number(a.of.amount !== null) - Number(b.of.amount !== null) || byAge(a, b)
  return compareDecimals(amountOf(b.is), amountOf(a.is)) || byAge(a, b)
}

function amountOf({ isOpen, left, settled }: Settlement): Decimal {
  return (isOpen ? left : settled) ?? noAmount
}

/** By token, the one with the most breaks first. */
export function sumBreaks({ tokens }: Pick<BreakSources, 'tokens'>, judged: readonly Judged[]): BreakSum[] {
  const groups = [...Map.groupBy(judged, ({ of }) => sumKeyOf(of)).values()]
  return groups
    .flatMap((group): BreakSum[] => {
      const [first] = group
      if (first === undefined) return []
      const { token, inBaseUnits } = first.of
      const open = group.filter(({ is }) => is.isOpen)
      const settled = group.filter(({ is }) => is.entries.length > 0)
      const times = open.map(({ of }) => of.since)
      return [
        {
          token,
          symbol: tokens.find(token).symbol,
          inBaseUnits,
          open: {
            count: open.length,
            amount: sum(open.map(({ is }) => is.left ?? noAmount)),
            unknown: open.filter(({ is }) => is.left === null).length,
          },
          settled: { count: settled.length, amount: sum(settled.map(({ is }) => is.settled)) },
          oldestAt: times.length === 0 ? null : times.reduce((least, at) => Math.min(least, at), Infinity),
        },
      ]
    })
    .toSorted((a, b) => b.open.count - a.open.count || (a.token < b.token ? -1 : 1))
}

function sum(amounts: readonly Decimal[]): string {
  let total = noAmount
  for (const amount of amounts) total = addDecimals(total, amount)
  return formatDecimal(total)
}
