import { compareDecimals, type Decimal, noAmount, addDecimals, toDecimal } from '../bridge/decimal.ts'
import { sumPlace } from '../cases/money.ts'
import type { CarriedRisk, CarriedTotal } from '../alerts/store/outboxTotals.ts'
import { alertIdOf } from '../alerts/fingerprint.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Severity } from '../rules/types.ts'
import type { MessageItem } from './channels/message.ts'
import { statuses } from './wording.ts'

/** A message's items of one kind that say the same kind of news. */
export interface KindCount {
  readonly status: MessageItem['status']
  readonly kind: string
  readonly severity: Severity
  readonly count: number
  readonly withdrawals: number
  readonly deposits: number
  readonly firstAt: UnixMs
  readonly lastAt: UnixMs
  /** What they put at risk by token, each unit of money once. */
  readonly money: ReadonlyMap<string, Decimal>
  /** The text that most of them have as their error. */
  readonly error: { readonly text: string; readonly count: number } | null
}

/** From so many items of one kind on they are told as one, in a sentence and a line each. */
export const manyFrom = 5

/** A message's items by their kind, the worst first: what holds before what is over, then by severity and number. */
export function countKinds(totals: readonly CarriedTotal[], risks: readonly CarriedRisk[]): KindCount[] {
  const groups = Map.groupBy(totals, ({ what, kind }) => `${statuses[what]} ${kind}`)
  const money = Map.groupBy(risks, ({ what, kind }) => `${statuses[what]} ${kind}`)
  return [...groups]
    .map(([key, rows]) => toCount(rows, money.get(key) ?? []))
    .toSorted(
      (a, b) =>
        Number(isOver(a)) - Number(isOver(b)) || ranks[a.severity] - ranks[b.severity] || b.count - a.count,
    )
}

const ranks = { critical: 0, warning: 1, info: 2 } as const

function isOver({ status }: Pick<KindCount, 'status'>): boolean {
  return status === 'resolved' || status === 'ended'
}

function toCount(rows: readonly CarriedTotal[], risks: readonly CarriedRisk[]): KindCount {
  const [first] = rows
  const sum = (some: readonly CarriedTotal[]) => some.reduce((all, { count }) => all + count, 0)
  const severities = rows.map(({ severity }) => severity)
  return {
    status: statuses[first?.what ?? 'event'],
    kind: first?.kind ?? '',
    severity: severities.toSorted((a, b) => ranks[a] - ranks[b])[0] ?? 'critical',
    count: sum(rows),
    withdrawals: sum(rows.filter(({ direction }) => direction === 'ZoneToMain')),
    deposits: sum(rows.filter(({ direction }) => direction === 'MainToZone')),
    firstAt: Math.min(...rows.map(({ firstAt }) => firstAt)),
    lastAt: Math.max(...rows.map(({ lastAt }) => lastAt)),
    money: sumByToken(risks),
    error: commonError(rows),
  }
}

function commonError(rows: readonly CarriedTotal[]): KindCount['error'] {
  const counts = new Map<string, number>()
  for (const { error, count } of rows) {
    if (error !== null && error !== '') counts.set(error, (counts.get(error) ?? 0) + count)
  }
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a)
  return most ? { text: most[0], count: most[1] } : null
}

function sumByToken(risks: readonly CarriedRisk[]): ReadonlyMap<string, Decimal> {
  const sums = new Map<string, Decimal>()
  for (const [, units] of Map.groupBy(risks, ({ token, place }) => `${token} ${place}`)) {
    const token = units[0]?.token ?? ''
    sums.set(token, addDecimals(sums.get(token) ?? noAmount, sumPlace(units)))
  }
  return sums
}

/** How many times the median of its like an amount is that is told by itself, and how many are at most. */
const largeFactor = 10n
const mostLarge = 3

/** Alerts whose amount stands out among many of their kind and token, the furthest out first. */
export function findLarge(counts: readonly KindCount[], risks: readonly CarriedRisk[]): string[] {
  const many = new Set(
    counts.filter(({ count }) => count >= manyFrom).map(({ status, kind }) => `${status} ${kind}`),
  )
  const own = risks.filter(({ what, kind }) => many.has(`${statuses[what]} ${kind}`))
  const groups = Map.groupBy(own, ({ what, kind, token }) => `${what} ${kind} ${token}`)
  return [...groups.values()]
    .flatMap(listOutliers)
    .toSorted((a, b) => compareDecimals(b.times, a.times))
    .slice(0, mostLarge)
    .map(({ alertId }) => alertId)
}

function listOutliers(risks: readonly CarriedRisk[]): { alertId: string; times: Decimal }[] {
  const amounts = risks.map(({ fingerprint, amount }) => ({
    alertId: alertIdOf(fingerprint),
    amount: toDecimal(amount) ?? noAmount,
  }))
  const sorted = amounts.toSorted((a, b) => compareDecimals(a.amount, b.amount))
  const median = sorted[Math.floor((sorted.length - 1) / 2)]?.amount ?? noAmount
  if (amounts.length < manyFrom || median.digits <= 0n) return []
  const bound = { ...median, digits: median.digits * largeFactor }
  return sorted
    .filter(({ amount }) => compareDecimals(amount, bound) > 0)
    .map(({ alertId, amount }) => ({ alertId, times: divide(amount, median) }))
}

/** To three digits: it only sorts. */
function divide(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  const at = ({ digits, scale: own }: Decimal) => digits * 10n ** BigInt(scale - own)
  return { digits: (at(a) * 1_000n) / at(b), scale: 3 }
}
