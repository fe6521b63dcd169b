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

interface Part extends Pick<Problem, 'kind' | 'token' | 'inBaseUnits'> {
  readonly amount: Decimal | null
  readonly since: UnixMs
}

/** Open for longer at the end of the day, whatever the rules say: as the work list counts it (breaks/readBreaks.ts). */
const openMs = 86_400_000

/**
 * What does not reconcile of a day: what left or arrived then and should not have, what failed then, and what was open
 * too long at its end. Of breaks as they are now: what was explained or settled since is none.
 */
export function listProblems(
  { judged }: Pick<JudgedBreaks, 'judged'>,
  crossings: Iterable<Crossing>,
  of: {
    readonly window: { readonly from: UnixMs; readonly until: UnixMs }
    /** Transfers of which a rule said that they are open too long, and that were at the end of the day. */
    readonly stalled: ReadonlySet<string>
    readonly tokenOf: (address: string) => ReportToken
  },
): Problem[] {
  const { window, stalled, tokenOf } = of
  const isOfDay = ({ kind, since }: Break) =>
    kind !== 'failed' && kind !== 'stalled' && since >= window.from && since < window.until
  // Settled by hand, or said already: nothing is said twice of one transfer.
  const named = new Set(judged.flatMap(({ of: one, is }) => (is.isOpen && !isOfDay(one) ? [] : [one.name])))
  const parts = judged.flatMap(({ of: one, is }): Part[] =>
    is.isOpen && isOfDay(one)
      ? [
          {
            kind: one.kind,
            token: tokenOf(one.token),
            amount: is.left,
            inBaseUnits: one.inBaseUnits,
            since: one.since,
          },
        ]
      : [],
  )
  for (const crossing of crossings) {
    const kind = named.has(crossing.key) ? null : judgeCrossing(crossing, window, stalled)
    if (kind === null) continue
    const amount = crossing.amount === null ? null : toDecimal(crossing.amount)
    const since = kind === 'failed' ? (crossing.end?.at ?? crossing.startedAt) : crossing.startedAt
    parts.push({ kind, token: tokenOf(crossing.moved.address), amount, inBaseUnits: false, since })
  }
  return sumParts(parts)
}

/** What the chains show of a token on a day beside its transfers, by hand settled or not. */
export function listExtras(
  { judged }: Pick<JudgedBreaks, 'judged'>,
  { from, until }: { readonly from: UnixMs; readonly until: UnixMs },
  tokenOf: (address: string) => ReportToken,
): BookExtras[] {
  const ofDay = judged.flatMap(({ of: one }) => (one.since >= from && one.since < until ? [one] : []))
  const sum = (parts: readonly Break[]) => sumDecimals(parts.flatMap(({ amount }) => amount ?? []))
  return [...Map.groupBy(ofDay, ({ token }) => token)].map(([address, breaks]) => {
    const of = (kind: BreakKind) => breaks.filter((one) => one.kind === kind && !one.inBaseUnits)
    const unbacked = breaks.filter(isSurplus)
    return {
      token: tokenOf(address),
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

/** Transfers that stand in the extras as what was paid too much: they are no withdrawals. */
export function listSurplus(
  { judged }: Pick<JudgedBreaks, 'judged'>,
  crossings: Iterable<Crossing>,
): ReadonlySet<string> {
  const rewritten = new Set([...crossings].flatMap(({ key, isRewritten }) => (isRewritten ? [key] : [])))
  const surplus = judged.flatMap(({ of: one }) => (isSurplus(one) ? [one] : []))
  return new Set(
    surplus.flatMap(({ kind, name }) => (kind === 'duplicate' && rewritten.has(name) ? [] : [name])),
  )
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

function sumParts(parts: readonly Part[]): Problem[] {
  const groups = Map.groupBy(
    parts,
    ({ kind, token, inBaseUnits }) => `${kind} ${token.address} ${inBaseUnits}`,
  )
  return [...groups.values()]
    .flatMap((group): Problem[] => {
      const [first] = group
      if (first === undefined) return []
      const { kind, token, inBaseUnits } = first
      const known = group.flatMap(({ amount }) => amount ?? [])
      return [
        {
          kind,
          token,
          inBaseUnits,
          count: group.length,
          amount: formatDecimal(known.reduce(addDecimals, noAmount)),
          unknown: group.length - known.length,
          oldestAt: group.reduce((oldest, { since }) => Math.min(oldest, since), first.since),
        },
      ]
    })
    .toSorted(
      (a, b) =>
        problemKinds.indexOf(a.kind) - problemKinds.indexOf(b.kind) ||
        (a.token.address < b.token.address ? -1 : 1),
    )
}
