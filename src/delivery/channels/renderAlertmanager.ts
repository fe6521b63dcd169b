import { isObject } from '../../lib/isObject.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { caseLine, handLine, moneyLine, stageOf } from './caseWords.ts'
import { readJsonObject } from './classifyHttp.ts'
import type { Message, MessageCase, MessageItem, StandingCase } from './message.ts'
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

type Texts = Readonly<Record<string, string>>

/** One alert as `POST /api/v2/alerts` takes it. Its labels are its identity: others are another alert. */
export interface ManagedAlert {
  readonly labels: Texts
  readonly annotations: Texts
  readonly startsAt: string
  readonly endsAt: string
  readonly generatorURL?: string
}

/** What was told of a case: the labels by which its end is told, and what stands beside them. */
interface Told {
  readonly labels: Texts
  readonly annotations: Texts
}

/** Silence of ours for so long is no end, and for longer somebody has taken spanwatch away. */
const standsMs = 24 * 3_600_000
/** Long enough for a receiver to be told, whatever its group waits. */
const testMs = 5 * 60_000

/** Alertmanager itself has no limits; those behind it have. */
const limits = { labels: 20, label: 200, text: 1_000, fields: 12, description: 4_000 } as const

interface ManagedMessage {
  readonly alerts: readonly ManagedAlert[]
  /** What to remember of its case; null leaves what was remembered. */
  readonly thread: string | null
  /** Whether one of them ends an alert of its case. */
  readonly ends: boolean
}

/** The alerts of a message. */
export function renderAlertmanager(
  message: Message,
  options: { readonly degraded: boolean; readonly before: string | null },
  now: UnixMs,
): ManagedMessage {
  const { case: of } = message
  if (of === null) return { alerts: renderItems(message, options.degraded, now), thread: null, ends: false }
  const before = readTold(options.before)
  const end = (told: Told) => toAlert(of, told, { now, isOver: true })
  if (stageOf(message) === 'over')
    return { alerts: before === null ? [] : [end(before)], thread: null, ends: true }
  const told = tell(message, of, before)
  // Worse than before, or open again under another key: another alert, in whose place the former one ends.
  const former = before !== null && !isSame(before.labels, told.labels) ? [end(before)] : []
  const shown = options.degraded ? { ...told, annotations: {} } : told
  const alerts = [toAlert(of, shown, { now, isOver: false }), ...former]
  return { alerts, thread: JSON.stringify(told), ends: former.length > 0 }
}

/** A case that stands, told once more; not what was told of an earlier turn of it, or of one that went into it. */
export function repeatCase({ case: of, thread }: StandingCase, now: UnixMs): ManagedAlert[] {
  const told = readTold(thread)
  const isOfNow = told?.labels['case_key'] === toLabels({ case_key: of.key })['case_key']
  return told !== null && isOfNow ? [toAlert(of, told, { now, isOver: false })] : []
}

/** Labels stay what they were told as while neither severity nor key change, whatever joins. */
function tell(message: Message, of: MessageCase, before: Told | null): Told {
  const worst = message.items.find((item) => isStanding(item) && item.severity === of.severity)
  const first = worst ?? message.items.find(isStanding) ?? null
  const own = { case: of.id, case_key: of.key, severity: of.severity }
  if (before !== null && isSame(before.labels, { ...before.labels, ...toLabels(own) })) {
    return first === null ? before : { ...before, annotations: annotationsOf(first) }
  }
  if (first === null) {
    const labels = { alertname: 'case', ...before?.labels, ...toLabels(own) }
    return { labels, annotations: before?.annotations ?? {} }
  }
  return {
    labels: toLabels({ alertname: first.kind, ...own, rule: first.rule, ...first.labels, ...own }),
    annotations: annotationsOf(first),
  }
}

function toAlert(
  of: MessageCase,
  told: Told,
  { now, isOver }: { readonly now: UnixMs; readonly isOver: boolean },
): ManagedAlert {
  const page = safeLink(of.url)
  const hand = handLine(of)
  const money = moneyLine(of.money)
  return {
    labels: told.labels,
    annotations: {
      ...told.annotations,
      summary: part(caseLine(of), limits.text),
      ...(money !== '' && { money_at_risk: part(money, limits.text) }),
      ...(hand !== null && { in_hand: hand }),
      findings: String(of.members),
    },
    ...span(of.openedAt, isOver ? now : now + standsMs, now),
    ...(page !== null && { generatorURL: page }),
  }
}

/** It refuses a beginning after the end, and instants that it cannot read. */
function span(since: UnixMs, endsAt: UnixMs, now: UnixMs): Pick<ManagedAlert, 'startsAt' | 'endsAt'> {
  const begin = Number.isFinite(since) ? Math.min(Math.max(since, 0), now) : now
  return { startsAt: isoInstant(begin) ?? '', endsAt: isoInstant(endsAt) ?? '' }
}

function renderItems(message: Message, degraded: boolean, now: UnixMs): ManagedAlert[] {
  const told = message.items.map((item): ManagedAlert => {
    const story = storyLink(message, item)
    const lastsMs = item.labels['test'] === 'true' ? testMs : standsMs
    return {
      labels: toLabels({
        alertname: item.kind,
        alert: item.alertId,
        rule: item.rule,
        severity: item.severity,
        ...item.labels,
      }),
      annotations: { summary: verdictLine(item), ...(!degraded && annotationsOf(item)) },
      ...span(item.since, isStanding(item) ? now + lastsMs : now, now),
      ...(story !== null && { generatorURL: story }),
    }
  })
  const untold = countUntold(message.total, message.items.length)
  if (untold === 0) return told
  const rest: ManagedAlert = {
    labels: toLabels({ alertname: 'more', message: message.id, severity: message.severity }),
    annotations: { summary: `${headlineOf(message)}: … and ${untold} more`, message: idLine(message) },
    ...span(message.createdAt, now + testMs, now),
  }
  return [...told, rest]
}

/** What is known of a finding and not of the case as a whole. */
function annotationsOf(item: MessageItem): Texts {
  const runbook = safeLink(item.runbook)
  const known = fieldsOf(item).filter(({ value }) => value !== '')
  const facts = known
    .slice(0, limits.fields)
    .map(({ label, value }) => `${part(label, 60)}: ${part(value, 300)}`)
  const untold = countUntold(known.length, limits.fields)
  const more = untold > 0 ? [`… and ${untold} more ${untold === 1 ? 'field' : 'fields'}`] : []
  const lines = [verdictLine(item), part(item.subject, limits.text), ...facts, ...more].join('\n')
  const remedy = item.remedy === null ? '' : `\nWhat to do: ${part(item.remedy, limits.text)}`
  return {
    description: `${fitText(lines, limits.description - remedy.length)}${remedy}`,
    ...(runbook !== null && { runbook_url: runbook }),
  }
}

/** Names as Prometheus has them; others, and empty values, are left out: it would refuse or drop them. */
function toLabels(labels: Texts): Texts {
  const found = Object.entries(labels)
    .map(([name, value]) => [name, part(value, limits.label)] as const)
    .filter(([name, value]) => /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(name) && value !== '')
  return Object.fromEntries(found.slice(0, limits.labels))
}

function isSame(a: Texts, b: Texts): boolean {
  const names = Object.keys({ ...a, ...b })
  return names.every((name) => a[name] === b[name])
}

/** What was kept of a case; null where nothing was, or it cannot be read. */
function readTold(thread: string | null): Told | null {
  const kept = readJsonObject(thread)
  const labels = kept && readTexts(kept['labels'])
  return labels && { labels, annotations: readTexts(kept['annotations']) ?? {} }
}

function readTexts(value: unknown): Texts | null {
  if (!isObject(value)) return null
  const texts = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return Object.fromEntries(texts)
}
