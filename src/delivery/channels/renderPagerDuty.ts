import { createHash } from 'node:crypto'
import { caseLine, handLine, moneyLine, stageOf } from './caseWords.ts'
import type { DeliveryOptions, ItemField, Message, MessageCase, MessageItem } from './message.ts'
import {
  countUntold,
  fieldsOf,
  fitText,
  headlineOf,
  idLine,
  isoInstant,
  isStanding,
  part,
  safeLink,
  storyLink,
  verdictLine,
} from './textParts.ts'

/** The body of one request, but for the routing key. */
interface PagerDutyEvent {
  readonly event_action: 'trigger' | 'acknowledge' | 'resolve'
  readonly dedup_key: string
  readonly payload?: PagerDutyPayload
  readonly client?: string
  readonly client_url?: string
  readonly links?: readonly PagerDutyLink[]
}

interface PagerDutyPayload {
  readonly summary: string
  readonly source: string
  readonly severity: 'critical' | 'warning' | 'info'
  readonly timestamp?: string
  readonly component?: string
  readonly group?: string
  readonly class?: string
  readonly custom_details?: Readonly<Record<string, unknown>>
}

interface PagerDutyLink {
  readonly href: string
  readonly text: string
}

/** What it takes of one event. Details are held so that the whole stays far below its 512 kB. */
const limits = { summary: 1_024, key: 255, links: 10, fields: 30, value: 500, findings: 25 } as const

/** The events of a message, in their order, and the key by which its case is known from now on. */
export interface PagerDutyEvents {
  readonly events: readonly PagerDutyEvent[]
  /** Null where the message has no case, or its case was not triggered. */
  readonly key: string | null
}

type Options = Pick<DeliveryOptions, 'degraded' | 'thread'>

/**
 * A case triggers with its first finding, is acknowledged and resolved as it is here, and under a new key resolves the
 * old one. Without a case each alert stands for itself.
 */
export function renderPagerDuty(message: Message, options: Options): PagerDutyEvents {
  if (message.case === null) return { events: renderAlerts(message, options), key: null }
  return renderCase(message, message.case, options)
}

function renderCase(message: Message, of: MessageCase, options: Options): PagerDutyEvents {
  const key = keyOf(of.key)
  const stage = stageOf(message)
  const before =
    options.thread ??
    (message.changes.includes('opened again') && of.keyBefore !== null ? keyOf(of.keyBefore) : null)
  // A case that opened again rings anew; what rang for its former key would stay open for ever.
  const former = before !== null && before !== key ? [end(before)] : []
  if (stage === 'over') return { events: [end(key), ...former], key: before }
  const isNew = message.items.some(isStanding) || message.changes.includes('opened again')
  const trigger = isNew ? [triggerCase(message, of, options)] : []
  const isTaken = stage === 'acknowledged' && (message.changes.includes('acknowledged') || isNew)
  const acknowledge = isTaken ? [{ event_action: 'acknowledge' as const, dedup_key: key }] : []
  const events = [...trigger, ...acknowledge, ...(isNew ? former : [])]
  return { events, key: isNew ? key : before }
}

function triggerCase(message: Message, of: MessageCase, options: Options): PagerDutyEvent {
  const first = message.items.find(isStanding) ?? message.items[0] ?? null
  return {
    event_action: 'trigger',
    dedup_key: keyOf(of.key),
    payload: {
      ...payloadOf(message, { line: caseLine(of), severity: of.severity, since: of.openedAt }),
      ...(first && sortOf(first)),
      ...(!options.degraded && { custom_details: caseDetails(message, of) }),
    },
    ...frameOf(message, { url: of.url, items: options.degraded ? [] : message.items }),
  }
}

/** One event for each alert, and one for those that the message only counts. */
function renderAlerts(message: Message, options: Options): PagerDutyEvent[] {
  const told = message.items.flatMap((item) => {
    const key = keyOf(`spanwatch-alert-${item.alertId}`)
    if (!isStanding(item)) return [end(key)]
    const trigger = triggerAlert(message, item, options)
    // A test shows that the way is open, and leaves nothing behind.
    return isTest(item) ? [trigger, end(key)] : [trigger]
  })
  const untold = countUntold(message.total, message.items.length)
  if (untold === 0) return told
  const line = `${headlineOf(message)}: … and ${untold} more`
  const rest: PagerDutyEvent = {
    event_action: 'trigger',
    dedup_key: keyOf(`spanwatch-message-${message.id}`),
    payload: payloadOf(message, { line, severity: message.severity, since: message.createdAt }),
    ...frameOf(message, { url: null, items: [] }),
  }
  return [...told, rest]
}

function isTest({ labels }: MessageItem): boolean {
  return labels['test'] === 'true'
}

function triggerAlert(message: Message, item: MessageItem, options: Options): PagerDutyEvent {
  return {
    event_action: 'trigger',
    dedup_key: keyOf(`spanwatch-alert-${item.alertId}`),
    payload: {
      ...payloadOf(message, { line: verdictLine(item), severity: item.severity, since: item.since }),
      ...sortOf(item),
      ...(!options.degraded && { custom_details: { ...itemDetails(item), Message: idLine(message) } }),
    },
    ...frameOf(message, { url: storyLink(message, item), items: options.degraded ? [] : [item] }),
  }
}

function end(key: string): PagerDutyEvent {
  return { event_action: 'resolve', dedup_key: key }
}

/** Keys that were cut or cleaned could be equal, or nothing: what cannot be sent as it is goes by its digest. */
function keyOf(key: string): string {
  const isSent = key !== '' && key.length <= limits.key && part(key) === key
  return isSent ? key : `spanwatch-${createHash('sha256').update(key).digest('hex')}`
}

function payloadOf(
  message: Message,
  of: { readonly line: string; readonly severity: Message['severity']; readonly since: number },
): PagerDutyPayload {
  const timestamp = isoInstant(of.since)
  return {
    summary: fitText(of.line, limits.summary),
    source: sourceOf(message),
    severity: of.severity,
    ...(timestamp !== null && { timestamp }),
  }
}

/** Which spanwatch it is that speaks. */
function sourceOf({ pageUrl }: Message): string {
  const page = safeLink(pageUrl)
  return page === null ? 'spanwatch' : new URL(page).host
}

/** What its own rules can sort events by. */
function sortOf({ kind, rule }: MessageItem) {
  return {
    component: part(kind.split('.')[0] ?? '', 60),
    group: part(rule, 100),
    class: part(kind, 60),
  }
}

function frameOf(
  message: Message,
  of: { readonly url: string | null; readonly items: readonly MessageItem[] },
): Pick<PagerDutyEvent, 'client' | 'client_url' | 'links'> {
  const page = safeLink(of.url ?? message.pageUrl)
  const links = listLinks(of.items)
  return {
    client: 'spanwatch',
    ...(page !== null && { client_url: page }),
    ...((page !== null || links.length > 0) && {
      links: [...(page === null ? [] : [{ href: page, text: 'Status page' }]), ...links].slice(
        0,
        limits.links,
      ),
    }),
  }
}

/** Runbooks first, then where transactions can be looked at; each address once. */
function listLinks(items: readonly MessageItem[]): PagerDutyLink[] {
  const found = [
    ...items.map(({ runbook }) => ({ href: safeLink(runbook), text: 'Runbook' })),
    ...items.flatMap(({ fields }) =>
      fields.map(({ href, label }) => ({ href: safeLink(href), text: part(label, 60) || 'Explorer' })),
    ),
  ]
  const byHref = new Map<string, PagerDutyLink>()
  for (const { href, text } of found) if (href !== null && !byHref.has(href)) byHref.set(href, { href, text })
  return [...byHref.values()]
}

function caseDetails(message: Message, of: MessageCase): Record<string, unknown> {
  const [first, ...others] = message.items.slice(0, limits.findings)
  const money = moneyLine(of.money)
  const hand = handLine(of)
  const untold = countUntold(message.total, message.items.length)
  return {
    ...(money !== '' && { 'Money at risk': short(money) }),
    ...(hand !== null && { 'In hand': hand }),
    Case: `${part(of.id, 40)}, ${of.members} ${of.members === 1 ? 'finding' : 'findings'}`,
    ...(first && itemDetails(first)),
    ...(others.length > 0 && { 'Also found': others.map((item) => short(verdictLine(item))) }),
    ...(untold > 0 && { More: `… and ${untold} more` }),
    Message: idLine(message),
  }
}

/** Names that details have beside those of fields. */
const ownNames = [
  'Money at risk',
  'In hand',
  'Case',
  'Also found',
  'More',
  'Message',
  'Verdict',
  'Subject',
  'What to do',
  'Left out',
]

function itemDetails(item: MessageItem): Record<string, unknown> {
  const known = fieldsOf(item).filter(({ value }) => value !== '')
  const untold = countUntold(known.length, limits.fields)
  return {
    Verdict: short(verdictLine(item)),
    Subject: short(item.subject),
    ...(item.remedy !== null && { 'What to do': short(item.remedy) }),
    ...nameEach(known.slice(0, limits.fields)),
    ...(untold > 0 && { 'Left out': `${untold} more ${untold === 1 ? 'field' : 'fields'}` }),
  }
}

/** An object holds a name once, and a finding has several lines of evidence. */
function nameEach(fields: readonly ItemField[]): Record<string, string> {
  const named: Record<string, string> = Object.create(null)
  for (const { label, value } of fields) {
    const base = part(label, 60)
    let name = base
    for (let use = 2; name in named || ownNames.includes(name); use += 1) name = `${base} ${use}`
    named[name] = short(value)
  }
  return named
}

function short(text: string): string {
  return part(text, limits.value)
}
