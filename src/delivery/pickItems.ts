import type { CarriedItem } from '../alerts/store/outboxContents.ts'
import type { AlertStore } from '../alerts/store/alertStore.ts'
import type { MessageItem } from './channels/message.ts'
import { type KindCount, manyFrom, newsOf } from './countKinds.ts'

/** How many items are sent in full; beyond it only the largest. */
const fullItems = 25
const largestItems = 10

/**
 * Up to 25 in order of severity and arrival; else the 10 largest, and of every rule the largest critical one. The rest, where it
 * is listed, by its numbers: it may be thousands.
 */
export function pickItems(
  store: Pick<AlertStore, 'listCarried' | 'listCarriedIds' | 'listCriticalOfRules'>,
  of: { readonly deliveryId: number; readonly total: number; readonly listsRest: boolean },
): { told: CarriedItem[]; rest: number[] } {
  if (of.total <= fullItems) {
    const told = store.listCarried(of.deliveryId, fullItems)
    const byRank = (a: CarriedItem, b: CarriedItem) => endRank(a) - endRank(b) || rank(a) - rank(b)
    return { told: told.sort((a, b) => byRank(a, b) || a.item.id - b.item.id), rest: [] }
  }
  const largest = store.listCarried(of.deliveryId, largestItems)
  const ids = new Set(largest.map(({ item }) => item.id))
  const critical = store
    .listCriticalOfRules(of.deliveryId, fullItems - largestItems)
    .filter(({ item }) => !ids.has(item.id))
  for (const { item } of critical) ids.add(item.id)
  const rest = of.listsRest ? store.listCarriedIds(of.deliveryId).filter((id) => !ids.has(id)) : []
  return { told: [...critical, ...largest], rest }
}

/** By severity, for sorting. */
export const severityRanks = { critical: 0, warning: 1, info: 2 } as const

/** What holds goes before what is over. */
function endRank({ item: { what } }: CarriedItem): number {
  return what === 'resolved' || what === 'both' ? 1 : 0
}

function rank({ alert }: CarriedItem): number {
  return severityRanks[alert.severity]
}

/** What is large by itself first, then what is not one of many, each in full; then the many, in a line each. */
export function orderItems(
  items: readonly MessageItem[],
  counts: readonly KindCount[],
  large: readonly string[],
): { readonly items: readonly MessageItem[]; readonly briefFrom: number } {
  const many = new Set(counts.filter(({ count }) => count >= manyFrom).map(newsOf))
  const byItself = large.flatMap((id) => items.find(({ alertId }) => alertId === id) ?? [])
  const others = items.filter((item) => !byItself.includes(item))
  const isOneOfMany = (item: MessageItem) => many.has(newsOf(item)) && item.joined.length === 0
  const full = [...byItself, ...others.filter((item) => !isOneOfMany(item))]
  return { items: [...full, ...others.filter(isOneOfMany)], briefFrom: full.length }
}
