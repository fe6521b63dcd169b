import { compareDecimals, type Decimal, noAmount, toDecimal } from '../bridge/decimal.ts'
import { sumRisks } from '../cases/money.ts'
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

/**
 * The items of a message that holds too many to word each, by their kind, the worst first: what holds before what is over,
 * then by severity and number. Whether an end is a good one is known of no item that is not worded.
 */
export function countKinds(totals: readonly CarriedTotal[], risks: readonly CarriedRisk[]): KindCount[] {
  const groups = Map.groupBy(totals, ({ what, kind }) => `${statuses[what]} ${kind}`)
  const money = Map.groupBy(risks, ({ what, kind }) => `${statuses[what]} ${kind}`)
  return [...groups].map(([key, rows]) => toCount(rows, money.get(key) ?? [])).toSorted(compareCounts)
}

/** The same of items that are all worded: what became of each is known, and what joined another counts no more by itself. */
export function countItems(items: readonly MessageItem[], risks: readonly CarriedRisk[]): KindCount[] {
  const groups = Map.groupBy(items, ({ status, kind }) => `${status} ${kind}`)
  return [...groups.values()].map((some) => toItemCount(some, risks)).toSorted(compareCounts)
}

function compareCounts(a: KindCount, b: KindCount): number {
  return Number(isOver(a)) - Number(isOver(b)) || ranks[a.severity] - ranks[b.severity] || b.count - a.count
}

/** An end may be found to be no good one only when it is worded. */
export function newsOf({ status, kind }: Pick<MessageItem, 'status' | 'kind'>): string {
  return `${status === 'ended' ? 'resolved' : status} ${kind}`
}

const ranks = { critical: 0, warning: 1, info: 2 } as const

function isOver({ status }: Pick<KindCount, 'status'>): boolean {
  return status === 'resolved' || status === 'ended'
}

function toCount(rows: readonly CarriedTotal[], risks: readonly CarriedRisk[]): KindCount {
  const [first] = rows
  const sum = (some: readonly CarriedTotal[]) => some.reduce((all, { count }) => all + count, 0)
  const status = statuses[first?.what ?? 'event']
  return {
    status: status === 'resolved' ? 'ended' : status,
    kind: first?.kind ?? '',
    severity: worstOf(rows),
    count: sum(rows),
    withdrawals: sum(rows.filter(({ direction }) => direction === 'ZoneToMain')),
    deposits: sum(rows.filter(({ direction }) => direction === 'MainToZone')),
    firstAt: Math.min(...rows.map(({ firstAt }) => firstAt)),
    lastAt: Math.max(...rows.map(({ lastAt }) => lastAt)),
    money: sumByToken(risks),
    error: commonError(rows),
  }
}

function toItemCount(items: readonly MessageItem[], risks: readonly CarriedRisk[]): KindCount {
  const ids = new Set(items.map(({ alertId }) => alertId))
  const directions = items.map(({ labels }) => labels['direction'])
  const errors = items.map(({ facts }) => ({ error: facts['errorMessage'], count: 1 }))
  return {
    status: items[0]?.status ?? 'event',
    kind: items[0]?.kind ?? '',
    severity: worstOf(items),
    count: items.length,
    withdrawals: directions.filter((one) => one === 'ZoneToMain').length,
    deposits: directions.filter((one) => one === 'MainToZone').length,
    firstAt: Math.min(...items.map(({ since }) => since)),
    lastAt: Math.max(...items.map(({ since }) => since)),
    money: sumByToken(risks.filter(({ fingerprint }) => ids.has(alertIdOf(fingerprint)))),
    error: commonError(errors.map((one) => ({ ...one, error: String(one.error ?? '') }))),
  }
}

function worstOf(some: readonly { readonly severity: Severity }[]): Severity {
  return some.map(({ severity }) => severity).toSorted((a, b) => ranks[a] - ranks[b])[0] ?? 'critical'
}

function commonError(rows: readonly Pick<CarriedTotal, 'error' | 'count'>[]): KindCount['error'] {
  const counts = new Map<string, number>()
  for (const { error, count } of rows) {
    if (error !== null && error !== '') counts.set(error, (counts.get(error) ?? 0) + count)
  }
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a)
  return most ? { text: most[0], count: most[1] } : null
}

function sumByToken(risks: readonly CarriedRisk[]): ReadonlyMap<string, Decimal> {
  const byToken = Map.groupBy(risks, ({ token }) => token)
  return new Map([...byToken].map(([token, units]) => [token, sumRisks(units)]))
}

/** How many times the median of its like an amount is that is told by itself, and how many are at most. */
const largeFactor = 10n
const mostLarge = 3

/**
 * Alerts whose amount stands out among many of their kind and token, the furthest out first.
 * @param items those that are worded: what became of another is known by what it was queued as
 */
export function findLarge(
  counts: readonly KindCount[],
  risks: readonly CarriedRisk[],
  items: readonly MessageItem[],
): string[] {
  const worded = new Map(items.map(({ alertId, status }) => [alertId, status]))
  const many = new Set(counts.filter(({ count }) => count >= manyFrom).map(newsOf))
  const news = ({ what, kind, fingerprint }: CarriedRisk) =>
    newsOf({ kind, status: worded.get(alertIdOf(fingerprint)) ?? statuses[what] })
  const groups = Map.groupBy(
    risks.filter((one) => many.has(news(one))),
    (one) => `${news(one)} ${one.token}`,
  )
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
