import type { Ledger } from '../ledger/ledger.ts'
import type { UnixMs } from '../lib/clock.ts'
import { once } from '../lib/once.ts'
import {
  type CaseChange,
  type Channel,
  listsRest,
  type Message,
  type MessageCase,
  type MessageItem,
  readCaseChange,
} from './channels/message.ts'
import { describeCase, type TokenFacts } from './describeCase.ts'
import { verdictLine } from './channels/textParts.ts'
import type { Kinds } from '../rules/kinds.ts'
import type { Rule, Severity } from '../rules/types.ts'
import { createSilencer, type SilenceAnswer, type Silencer } from '../alerts/silences.ts'
import type { AlertRow } from '../alerts/store/alertRows.ts'
import type { AlertStore } from '../alerts/store/alertStore.ts'
import type { Delivery } from '../alerts/store/outboxDeliveries.ts'
import type { CarriedItem } from '../alerts/store/outboxContents.ts'
import { findJoined } from '../alerts/findJoined.ts'
import { readFinding } from '../alerts/findingJson.ts'
import { alertIdOf, messageIdOf } from '../alerts/fingerprint.ts'
import type { Restored, RestoredNote } from '../store/restored.ts'
import { nameAlert, statuses, type TransactionLinks, toMessageItem } from './wording.ts'
import type { OutboxWhat } from '../alerts/store/outboxItems.ts'

export interface ComposeDeps {
  readonly store: AlertStore
  readonly live: { readonly rules: Iterable<Rule> }
  readonly kinds: Kinds
  /** The ledger's present view of a transfer, so that an end names the leg that ended it. */
  readonly ledger?: Pick<Ledger, 'getTransfer'>
  readonly pageUrl: string | null
  /** Left out: no token has a symbol or a price. */
  readonly tokens?: TokenFacts
  readonly links: TransactionLinks
  /** By how much our clock is ahead of everybody's, ms; 0 when it is not, or not known to be. */
  readonly clockLeadMs?: () => number
  /** That the ledger was put back: what was sent before that it does not remember. */
  readonly restored?: RestoredNote
}

const noTokens: TokenFacts = { symbolOf: () => null, priceOf: () => null }

/** How many items are sent in full; beyond it only the largest. */
const fullItems = 25
const largestItems = 10

/** Renders a delivery's items as they are now. */
export function composeMessage(
  deps: ComposeDeps,
  of: { readonly delivery: Delivery; readonly channel: Pick<Channel, 'name' | 'type'> },
  now: UnixMs,
): Message {
  const { delivery, channel } = of
  const carried = deps.store.countCarried(delivery.id)
  const count = carried.reduce((sum, one) => sum + one.count, 0)
  const { told, rest } = pick(deps.store, {
    deliveryId: delivery.id,
    total: count,
    listsRest: listsRest(channel),
  })
  const rules = new Map([...deps.live.rules].map((rule) => [rule.name, rule]))
  const silencer = once(() => createSilencer(deps.store.listSilencesAt(now), deps))
  const words = { ...deps, rules, silencer }
  const items = joinItems(told.map((one) => wordSafely(words, one, true, now)))
  const total = count - (told.length - items.length)
  const counts: readonly Count[] =
    total === items.length
      ? items.map((item) => ({ ...item, count: 1 }))
      : carried.map((one) => ({ ...one, status: statuses[one.what] }))
  const row = delivery.caseId === null ? null : deps.store.getCase(delivery.caseId)
  const about = row && describeCase({ ...deps, tokens: deps.tokens ?? noTokens }, row, now)
  const changes = deps.store.listCarriedChanges(delivery.id).flatMap((one) => readCaseChange(one) ?? [])
  const severity = counts.length === 0 && about ? about.severity : worst(counts)
  return {
    id: messageIdOf(delivery.id, deps.store.generation),
    attempt: delivery.attempt,
    channel: channel.name,
    severity,
    headline: headlineOf(severity, { items, counts, total, about, changes }),
    items,
    rest: rest.map((one) => wordSafely(words, one, false, now).item),
    case: about,
    changes,
    total,
    createdAt: delivery.createdAt,
    pageUrl: deps.pageUrl,
  }
}

/** Up to 25 in order of severity and arrival; else the 10 largest, and of every rule the largest critical one. */
function pick(
  store: AlertStore,
  of: { readonly deliveryId: number; readonly total: number; readonly listsRest: boolean },
): { told: CarriedItem[]; rest: CarriedItem[] } {
  if (of.total <= fullItems) {
    const told = store.listCarried(of.deliveryId, fullItems)
    const byRank = (a: CarriedItem, b: CarriedItem) => endRank(a) - endRank(b) || rank(a) - rank(b)
    return { told: told.sort((a, b) => byRank(a, b) || a.item.id - b.item.id), rest: [] }
  }
  const all = store.listCarried(of.deliveryId, of.listsRest ? of.total : largestItems)
  const largest = all.slice(0, largestItems)
  const ids = new Set(largest.map(({ item }) => item.id))
  const critical = store
    .listCriticalOfRules(of.deliveryId, fullItems - largestItems)
    .filter(({ item }) => !ids.has(item.id))
  for (const { item } of critical) ids.add(item.id)
  return { told: [...critical, ...largest], rest: all.filter(({ item }) => !ids.has(item.id)) }
}

const ranks = { critical: 0, warning: 1, info: 2 } as const

/** What holds goes before what is over. */
function endRank({ item: { what } }: CarriedItem): number {
  return what === 'resolved' || what === 'both' ? 1 : 0
}

function rank({ alert }: CarriedItem): number {
  return ranks[alert.severity]
}

function worst(counts: readonly Pick<Count, 'severity'>[]): Severity {
  if (counts.some(({ severity }) => severity === 'critical')) return 'critical'
  return counts.some(({ severity }) => severity === 'warning') ? 'warning' : 'info'
}

const flappingWindowMs = 3_600_000

interface ItemDeps
  extends Pick<ComposeDeps, 'store' | 'kinds' | 'ledger' | 'links' | 'clockLeadMs' | 'restored'> {
  readonly rules: ReadonlyMap<string, Rule>
  readonly silencer: () => Silencer
}

/** An item in words, with the alert of the same thing that says as much or more. */
interface Worded {
  readonly item: MessageItem
  readonly above: AlertRow | null
}

/** What joins another item of the same message is shown within it. */
function joinItems(worded: readonly Worded[]): MessageItem[] {
  const placeOf = (one: Worded): Worded => {
    const { above, item } = one
    const place =
      above && item.status === 'update' && worded.find((other) => other.item.alertId === idOf(above))
    // What it joins may be inside another itself; each step is a rank higher.
    return place ? placeOf(place) : one
  }
  const places = Map.groupBy(worded, placeOf)
  return [...places].map(([{ item, above }, inside]) => ({
    ...item,
    summary:
      item.status === 'update' && above ? `Update of ${nameAlert(above)}: ${item.summary}` : item.summary,
    joined: inside.filter((one) => one.item !== item).map((one) => one.item),
  }))
}

function idOf({ fingerprint }: AlertRow): string {
  return alertIdOf(fingerprint)
}

/** One row that cannot be read must not hold back the others: it is sent with what is known of it. */
function wordSafely(deps: ItemDeps, carried: CarriedItem, isTold: boolean, now: UnixMs): Worded {
  const { item, alert } = carried
  try {
    const above = isTold && item.what !== 'correction' ? findJoined(deps, alert, item.channel) : null
    const worded = wordItem({ ...deps, isTold, above }, carried, now)
    const marked = markBroken(worded, deps.silencer()(alert), item.what)
    return { item: markRepeat(marked, carried, deps.restored?.read() ?? null), above }
  } catch {
    return { item: toUnreadableItem(alert, item.what, now), above: null }
  }
}

/** So long after a ledger was put back what was lost of it is read and told again. */
const relearnMs = 86_400_000

/** What may have been sent between the backup and its return, and whose sending was lost with the ledger, says so. */
function markRepeat(item: MessageItem, carried: CarriedItem, restored: Restored | null): MessageItem {
  if (restored === null || item.since >= restored.at) return item
  const { createdAt } = carried.item
  if (createdAt >= restored.at + relearnMs) return item
  const from = new Date(restored.from).toISOString()
  const value = `the ledger was put back to ${from}: this may have been sent before`
  return {
    ...item,
    summary: `${item.summary} (may have been sent before)`,
    fields: [{ label: 'Perhaps a repeat', value, href: null }, ...item.fields],
  }
}

/** What goes beyond a silence of its transfer says so: whoever made that does not expect it. */
function markBroken(item: MessageItem, { broken }: SilenceAnswer, what: OutboxWhat): MessageItem {
  if (broken === null || what === 'resolved' || what === 'both') return item
  const { silence, beyond } = broken
  const value = `#${silence.id} of ${silence.author} (${silence.comment}) does not hold for it: ${beyond}`
  return {
    ...item,
    summary: `${item.summary} (beyond silence #${silence.id})`,
    fields: [{ label: 'Beyond a silence', value, href: null }, ...item.fields],
  }
}

function wordItem(
  deps: ItemDeps & { readonly isTold: boolean; readonly above: AlertRow | null },
  { item, alert }: CarriedItem,
  now: UnixMs,
): MessageItem {
  const kept = readFinding(alert)
  const isOver = item.what === 'resolved' || item.what === 'both'
  // The evidence belongs to the finding as it was made; only an end is about what came after it.
  const transfer = isOver && deps.isTold && kept.transfer ? deps.ledger?.getTransfer(kept.transfer.key) : null
  const finding = transfer ? { ...kept, transfer } : kept
  const rule = deps.rules.get(alert.rule) ?? null
  const firings =
    deps.isTold && alert.nature === 'condition'
      ? deps.store.countFirings(alert.id, now - flappingWindowMs)
      : 0
  return toMessageItem(
    {
      alert,
      what: item.what,
      episode: item.episode,
      finding,
      kind: deps.kinds.find(finding.kind),
      rule,
      links: deps.links,
      clockLeadMs: deps.clockLeadMs?.() ?? 0,
      firings,
      above: deps.above,
    },
    now,
  )
}

/**
 * Severity as a word, then the verdict, or how many of what.
 * @example 'CRITICAL: 5000 transfer.failed, 1 chain.stalled'
 */
function headlineOf(
  severity: Severity,
  of: {
    readonly items: readonly MessageItem[]
    readonly counts: readonly Count[]
    readonly total: number
    readonly about: MessageCase | null
    readonly changes: readonly CaseChange[]
  },
): string {
  const word = severity.toUpperCase()
  const [only] = of.items
  if (of.about && of.total === 0) return headlineOfChanges(of.about, of.changes)
  if (of.total === 1 && only) return verdictLine(only)
  const isUpdate = of.counts.every(({ status }) => status === 'update')
  const parts = new Map<string, number>()
  for (const { status, kind, count } of of.counts) {
    const name = isUpdate ? kind : nameCount(status, kind)
    parts.set(name, (parts.get(name) ?? 0) + count)
  }
  const list = [...parts].map(([name, count]) => `${count} ${name}`)
  const shown = list.length > 6 ? [...list.slice(0, 6), `${list.length - 6} other kinds`] : list
  if (isUpdate) return `${word}, update: ${shown.join(', ')}, of what was told already`
  return `${word}: ${of.total} alerts: ${shown.join(', ')}`
}

/** @example 'CRITICAL, case c42 acknowledged by Ada: Withdrawal of 1.5 USDC: no origin' */
function headlineOfChanges(about: MessageCase, changes: readonly CaseChange[]): string {
  const { by, severity, id, title } = about
  const what = changes.join(', ')
  const isByHand = changes.some((one) => one === 'acknowledged' || one === 'handled' || one === 'assigned')
  return `${severity.toUpperCase()}, case ${id} ${what}${isByHand && by !== null ? ` by ${by}` : ''}: ${title}`
}

interface Count extends Pick<MessageItem, 'status' | 'kind'> {
  readonly severity: string
  readonly count: number
}

function nameCount(status: MessageItem['status'], kind: string): string {
  switch (status) {
    case 'event':
    case 'firing':
      return kind
    case 'repeat':
      return `${kind} still firing`
    case 'update':
      return `${kind} as an update`
    case 'correction':
      return `${kind} corrected`
    case 'resolved':
    case 'ended':
      return `${kind} ${status}`
  }
}

/** An alert whose kept finding cannot be read or worded: severity, rule, kind and subject are known all the same. */
function toUnreadableItem(alert: AlertRow, what: OutboxWhat, now: UnixMs): MessageItem {
  const { kind, subject } = alert
  const status = statuses[what]
  return {
    alertId: alertIdOf(alert.fingerprint),
    rule: alert.rule,
    kind,
    severity: alert.severity,
    status,
    summary: `${status === 'resolved' ? 'Resolved: ' : ''}${kind} of ${subject}: its details cannot be read`,
    subject,
    fields: [],
    facts: {},
    labels: {},
    runbook: alert.runbook,
    since: alert.activeAt,
    at: now,
    lastedMs: null,
    joined: [],
    remedy:
      status === 'resolved'
        ? null
        : `See what is kept of it: spanwatch alerts show ${alertIdOf(alert.fingerprint)}`,
  }
}
