import type { Ledger } from '../ledger/ledger.ts'
import type { UnixMs } from '../lib/clock.ts'
import { once } from '../lib/once.ts'
import type { Steps } from '../lib/steps.ts'
import type { CaseLogEntry } from '../cases/store/caseRows.ts'
import {
  type CaseNote,
  type Channel,
  listsRest,
  type Message,
  type MessageCase,
  type MessageItem,
  readCaseChange,
} from './channels/message.ts'
import { compareDecimals, noAmount, toDecimal } from '../bridge/decimal.ts'
import { countItems, countKinds, findLarge, type KindCount } from './countKinds.ts'
import { type CaseWords, describeCase, type TokenFacts } from './describeCase.ts'
import { joinItems, type Worded } from './joinItems.ts'
import { runbookLink } from './runbookLink.ts'
import { orderItems, pickItems, severityRanks } from './pickItems.ts'
import { sayHeadline } from './sayHeadline.ts'
import type { Kinds } from '../rules/kinds.ts'
import type { Rule, Severity } from '../rules/types.ts'
import { createSilencer, type SilenceAnswer, type Silencer } from '../alerts/silences.ts'
import type { AlertRow } from '../alerts/store/alertRows.ts'
import type { AlertStore } from '../alerts/store/alertStore.ts'
import type { Delivery } from '../alerts/store/outboxDeliveries.ts'
import type { CarriedItem } from '../alerts/store/outboxContents.ts'
import { findJoined } from '../alerts/findJoined.ts'
import { decodeFinding, sinceFirstFound } from '../alerts/findingJson.ts'
import { alertIdOf, messageIdOf } from '../alerts/fingerprint.ts'
import type { Restored, RestoredNote } from '../store/restored.ts'
import type { TransactionLinks } from './itemFields.ts'
import { statuses, toMessageItem } from './wording.ts'
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

/** So many items that only mail and webhook list are worded in one go. */
const wordedAtOnce = 100

/** Renders a delivery's items as they are now. */
export function* composeMessage(
  deps: ComposeDeps,
  of: { readonly delivery: Delivery; readonly channel: Pick<Channel, 'name' | 'type'> },
  now: UnixMs,
): Steps<Message> {
  const { delivery, channel } = of
  const { store } = deps
  const carried = store.listCarriedTotals(delivery.id)
  const risks = store.listCarriedRisks(delivery.id)
  const count = carried.reduce((sum, one) => sum + one.count, 0)
  if (count > wordedAtOnce) yield
  const { told, rest } = pickItems(store, {
    deliveryId: delivery.id,
    total: count,
    listsRest: listsRest(channel),
  })
  if (count > wordedAtOnce) yield
  const rules = new Map([...deps.live.rules].map((rule) => [rule.name, rule]))
  const silencer = once(() => createSilencer(store.listSilencesAt(now), deps))
  const restored = once(() => deps.restored?.read() ?? null)
  const clockLeadMs = once(() => deps.clockLeadMs?.() ?? 0)
  const words = { ...deps, rules, silencer, restored, clockLeadMs }
  const joined = joinItems(
    told.map((one) => wordSafely(words, one, true, now)),
    delivery.caseId !== null,
  )
  const total = count - (told.length - joined.length)
  const counts = told.length === count ? countItems(joined, risks) : countKinds(carried, risks)
  const { items, briefFrom } = orderItems(joined, counts, findLarge(counts, risks, joined))
  const tokens = deps.tokens ?? noTokens
  const described = { ...deps, tokens }
  const row = delivery.caseId === null ? null : store.getCase(delivery.caseId)
  const about = row && describeCase(described, row, now)
  const cases = about ? [] : listCases(described, delivery.id, now)
  const changes = store.listCarriedChanges(delivery.id).flatMap((one) => readCaseChange(one) ?? [])
  const notes = store.listCarriedNotes(delivery.id).flatMap(toNote)
  const severity = counts.length === 0 && about ? about.severity : worst(counts)
  const toldBefore = row ? store.countToldOfCase({ caseId: row.id, channel: channel.name }) : 0
  const caseCount = cases.length < mostCases ? cases.length : store.countCarriedCases(delivery.id)
  const listed: MessageItem[] = []
  for (let from = 0; from < rest.length; from += wordedAtOnce) {
    yield
    const some = store.listCarriedOf(rest.slice(from, from + wordedAtOnce))
    listed.push(...some.map((one) => wordSafely(words, one, false, now).item))
  }
  const headed = { severity, items, counts, total, case: about, cases, caseCount, changes, toldBefore, now }
  return {
    id: messageIdOf(delivery.id, store.generation),
    attempt: delivery.attempt,
    channel: channel.name,
    severity,
    headline: sayHeadline({ kinds: deps.kinds, tokens }, headed),
    items,
    ...(briefFrom < items.length && { briefFrom }),
    ...(cases.length > 1 && { cases, caseCount }),
    rest: listed,
    case: about,
    changes,
    ...(notes.length > 0 && { notes }),
    total,
    createdAt: delivery.createdAt,
    pageUrl: deps.pageUrl,
  }
}

function toNote({ what, by, text }: CaseLogEntry): CaseNote[] {
  const read = readCaseChange(what)
  return read === 'noted' || read === 'matched' || read === 'written off' || read === 'taken back'
    ? [{ what: read, by, text }]
    : []
}

/** Of a digest at most so many have a line. */
const mostCases = 20

/** The cases of a message about several, the worst first. */
function listCases(deps: CaseWords, deliveryId: number, now: UnixMs): MessageCase[] {
  const rows = new Map(
    deps.store.listCarriedCases(deliveryId, mostCases).flatMap((id) => {
      // One that was merged since goes on as another.
      const row = deps.store.findCase(id)
      return row === null ? [] : [[row.id, row] as const]
    }),
  )
  return [...rows.values()]
    .map((row) => describeCase(deps, row, now))
    .toSorted((a, b) => severityRanks[a.severity] - severityRanks[b.severity] || compareMoney(b, a))
}

function compareMoney(a: MessageCase, b: MessageCase): number {
  const worth = ({ money: [first] }: MessageCase) => toDecimal(first?.usd ?? first?.amount ?? '0') ?? noAmount
  return compareDecimals(worth(a), worth(b))
}

function worst(counts: readonly Pick<KindCount, 'severity'>[]): Severity {
  if (counts.some(({ severity }) => severity === 'critical')) return 'critical'
  return counts.some(({ severity }) => severity === 'warning') ? 'warning' : 'info'
}

const flappingWindowMs = 3_600_000

interface ItemDeps extends Pick<ComposeDeps, 'store' | 'kinds' | 'ledger' | 'links' | 'pageUrl'> {
  readonly rules: ReadonlyMap<string, Rule>
  readonly silencer: () => Silencer
  readonly restored: () => Restored | null
  readonly clockLeadMs: () => number
}

/** One row that cannot be read must not hold back the others: it is sent with what is known of it. */
function wordSafely(deps: ItemDeps, carried: CarriedItem, isTold: boolean, now: UnixMs): Worded {
  const { item, alert } = carried
  try {
    const above = isTold && item.what !== 'correction' ? findJoined(deps, alert, item.channel) : null
    const worded = wordItem({ ...deps, isTold, above }, carried, now)
    const placed = item.caseId === null ? worded : { ...worded, caseId: `c${item.caseId}` }
    const marked = markBroken(placed, deps.silencer()(alert), item.what)
    return { item: markRepeat(marked, carried, deps.restored()), above }
  } catch {
    return { item: toUnreadableItem(alert, { what: item.what, pageUrl: deps.pageUrl }, now), above: null }
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
    fields: [{ label: 'Perhaps a repeat', value, href: null, place: 'fact' }, ...item.fields],
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
    fields: [{ label: 'Beyond a silence', value, href: null, place: 'fact' }, ...item.fields],
  }
}

function wordItem(
  deps: ItemDeps & { readonly isTold: boolean; readonly above: AlertRow | null },
  { item, alert }: CarriedItem,
  now: UnixMs,
): MessageItem {
  const kept = sinceFirstFound(decodeFinding(alert.finding), alert)
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
      pageUrl: deps.pageUrl,
      clockLeadMs: deps.clockLeadMs(),
      firings,
      above: deps.above,
    },
    now,
  )
}

/** An alert whose kept finding cannot be read or worded: severity, rule, kind and subject are known all the same. */
function toUnreadableItem(
  alert: AlertRow,
  { what, pageUrl }: { readonly what: OutboxWhat; readonly pageUrl: string | null },
  now: UnixMs,
): MessageItem {
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
    runbook: alert.runbook ?? runbookLink(kind, pageUrl),
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
