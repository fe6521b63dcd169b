import type { Break, BreakKind } from '../breaks/break.ts'
import type { JudgedBreaks } from '../breaks/listBreaks.ts'
import {
  addDecimals,
  type Decimal,
  formatDecimal,
  noAmount,
  subtractDecimals,
  sumDecimals,
  toDecimal,
} from '../bridge/decimal.ts'
import type { listGivenBackIn } from '../checks/escrow/flows/refundStore.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { BookExtras } from './book.ts'
import type { Crossing } from './reconcile.ts'
import type { ReportToken } from './reportToken.ts'

/** What does not reconcile of a day, the gravest first. */
const problemKinds: readonly BreakKind[] = [
  'unbacked',
  'duplicate',
  'out',
  'mismatch',
  'failed',
  'stalled',
  'in',
]

/** All of one kind in one token, that nobody settled by hand. */
export interface Problem {
  readonly kind: BreakKind
  readonly token: ReportToken
  readonly count: number
  /** Token units, or base units where the token's decimals are not known. */
  readonly amount: string
  readonly inBaseUnits: boolean
  /** The amounts of so many are not known, and not in the sum. */
  readonly unknown: number
  /** Since when the oldest of them is so. */
  readonly oldestAt: UnixMs
}

interface Part extends Pick<Problem, 'kind' | 'inBaseUnits'> {
  /** The token's address. */
  readonly token: string
  readonly amount: Decimal | null
  readonly since: UnixMs
}

type Sums = Map<string, Part & { readonly amount: Decimal; readonly count: number; readonly unknown: number }>

/** Open for longer at the end of the day, whatever the rules say: as the work list counts it (breaks/readBreaks.ts). */
const openMs = 86_400_000

export interface Problems {
  add(crossing: Crossing): void
  list(): Problem[]
}

/**
 * What does not reconcile of a day: what left or arrived then and should not have, what failed then, and what was open
 * too long at its end. Of breaks as they are now: what was explained, given back or settled since is none.
 */
export function openProblems(
  { judged, givenBack }: Pick<JudgedBreaks, 'judged' | 'givenBack'>,
  of: {
    readonly window: { readonly from: UnixMs; readonly until: UnixMs }
    /** Transfers of which a rule said that they are open too long, and that were at the end of the day. */
    readonly stalled: ReadonlySet<string>
    readonly tokenOf: (address: string) => ReportToken
  },
): Problems {
  const { window, stalled, tokenOf } = of
  const isOfDay = ({ kind, since }: Break) =>
    kind !== 'failed' && kind !== 'stalled' && since >= window.from && since < window.until
  // Settled by hand, or said already: nothing is said twice of one transfer.
  const named = new Set(judged.flatMap(({ of: one, is }) => (is.isOpen && !isOfDay(one) ? [] : [one.name])))
  // What is left of a transfer beside entries; most have none.
  const left = new Map(
    judged.flatMap(({ of: one, is }) =>
      is.isOpen && is.entries.length > 0 && !one.inBaseUnits ? [[one.name, is.left] as const] : [],
    ),
  )
  const sums: Sums = new Map()
  for (const { of: one, is } of judged)
    if (is.isOpen && isOfDay(one)) addPart(sums, { ...one, token: one.held, amount: is.left })
  return {
    add(crossing) {
      const kind = judgeCrossing(crossing, window, stalled)
      if (kind === null || named.has(crossing.key)) return
      const whole = crossing.amount === null ? null : toDecimal(crossing.amount)
      const back = givenBack.get(crossing.key)
      const amount = left.get(crossing.key) ?? (back && whole ? subtractDecimals(whole, back) : whole)
      if (back && amount !== null && amount.digits <= 0n) return
      const since = kind === 'failed' ? (crossing.end?.at ?? crossing.startedAt) : crossing.startedAt
      addPart(sums, { kind, token: crossing.held.address, amount, inBaseUnits: false, since })
    },
    list: () => listSums(sums, tokenOf),
  }
}

/** What the chains show of a token on a day beside its transfers, by hand settled or not. */
export function listExtras(
  {
    judged,
    refunds,
  }: { readonly judged: JudgedBreaks['judged']; readonly refunds: ReturnType<typeof listGivenBackIn> },
  { from, until }: { readonly from: UnixMs; readonly until: UnixMs },
  tokenOf: (address: string) => ReportToken,
): BookExtras[] {
  const ofDay = judged.flatMap(({ of: one }) => (one.since >= from && one.since < until ? [one] : []))
  const sum = (parts: readonly Pick<Break, 'amount'>[]) =>
    sumDecimals(parts.flatMap(({ amount }) => amount ?? []))
  const byToken = Map.groupBy(ofDay, ({ held }) => held)
  const givenBy = Map.groupBy(refunds, ({ token }) => token)
  return [...new Set([...byToken.keys(), ...givenBy.keys()])].map((address) => {
    const breaks = byToken.get(address) ?? []
    const of = (kind: BreakKind) => breaks.filter((one) => one.kind === kind && !one.inBaseUnits)
    const unbacked = breaks.filter(isSurplus)
    const given = givenBy.get(address) ?? []
    return {
      token: tokenOf(address),
      refunded: { count: given.length, amount: formatDecimal(sum(given)), unknown: 0 },
      unbacked: {
        count: unbacked.length,
        amount: formatDecimal(sum(unbacked.filter(({ inBaseUnits }) => !inBaseUnits))),
        unknown: unbacked.filter(({ amount, inBaseUnits }) => amount === null || inBaseUnits).length,
      },
      unexplained: formatDecimal(subtractDecimals(sum(of('in')), sum(of('out')))),
    }
  })
}

/** Paid without an origin of its own. */
function isSurplus({ kind }: Break): boolean {
  return kind === 'unbacked' || kind === 'duplicate'
}

/** Whether a transfer stands in the extras as what was paid too much: it is no withdrawal. */
export function openSurplus({ judged }: Pick<JudgedBreaks, 'judged'>): (crossing: Crossing) => boolean {
  const namesOf = (kind: BreakKind) =>
    new Set(judged.flatMap(({ of: one }) => (one.kind === kind ? [one.name] : [])))
  const [unbacked, duplicate] = [namesOf('unbacked'), namesOf('duplicate')]
  return ({ key, isRewritten }) => unbacked.has(key) || (duplicate.has(key) && !isRewritten)
}

function judgeCrossing(
  { key, startedAt, end }: Crossing,
  { from, until }: { readonly from: UnixMs; readonly until: UnixMs },
  stalled: ReadonlySet<string>,
): 'failed' | 'stalled' | null {
  if (end !== null && end.at < until) return end.how === 'failed' && end.at >= from ? 'failed' : null
  if (startedAt >= until) return null
  return startedAt <= until - openMs || stalled.has(key) ? 'stalled' : null
}

function addPart(sums: Sums, { kind, token, inBaseUnits, amount, since }: Part): void {
  const key = `${kind} ${token} ${inBaseUnits}`
  const sum = sums.get(key) ?? { kind, token, inBaseUnits, amount: noAmount, since, count: 0, unknown: 0 }
  sums.set(key, {
    ...sum,
    count: sum.count + 1,
    amount: amount === null ? sum.amount : addDecimals(sum.amount, amount),
    unknown: sum.unknown + (amount === null ? 1 : 0),
    since: Math.min(sum.since, since),
  })
}

function listSums(sums: Sums, tokenOf: (address: string) => ReportToken): Problem[] {
  return [...sums.values()]
    .map(({ token, amount, since, ...sum }) => ({
      ...sum,
      token: tokenOf(token),
      amount: formatDecimal(amount),
      oldestAt: since,
    }))
    .toSorted(
      (a, b) =>
        problemKinds.indexOf(a.kind) - problemKinds.indexOf(b.kind) ||
        (a.token.address < b.token.address ? -1 : 1),
    )
}
