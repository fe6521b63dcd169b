import type { FactValue, Finding } from '../bridge/finding.ts'
import type { Chain } from '../bridge/observation.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import { formatDuration } from '../lib/duration.ts'
import type { MessageItem } from './channels/message.ts'
import type { Detector } from '../rules/kind.ts'
import type { Rule } from '../rules/types.ts'
import type { AlertRow } from '../alerts/store/alertRows.ts'
import type { OutboxWhat } from '../alerts/store/outboxItems.ts'
import { parseLabels } from '../alerts/engineContext.ts'
import { alertIdOf } from '../alerts/fingerprint.ts'
import {
  amountOf,
  capitalize,
  correctionOf,
  nameSources,
  sayFinding,
  stateOf,
  tokenOf,
  wordsOf,
} from './kindWords.ts'

/** Where a transaction can be looked at: `https://scan.example.com/tx/{hash}`; null without an explorer. */
export type TransactionLinks = Readonly<Record<Chain, string | null>>

export interface Wording {
  readonly alert: AlertRow
  readonly what: OutboxWhat
  /** Which time of firing the item is about. */
  readonly episode: number
  readonly finding: Finding
  /** Its kind; null for one that there is no more. */
  readonly kind: Detector | null
  /** The rule as it is now; null when it is gone. */
  readonly rule: Rule | null
  readonly links: TransactionLinks
  /** By how much our clock is ahead of everybody's, ms; left out where it is not. */
  readonly clockLeadMs?: number
  /** How often it fired in the last hour. */
  readonly firings?: number
  /** An alert of the same thing that was sent to the channel, and says as much or more. */
  readonly above?: Pick<AlertRow, 'fingerprint' | 'rule' | 'kind'> | null
}

/** From so many firings in an hour on an alert is said to be flapping. */
const flappingFrom = 3

type Field = MessageItem['fields'][number]

export const statuses = {
  event: 'event',
  firing: 'firing',
  joined: 'update',
  repeat: 'repeat',
  resolved: 'resolved',
  both: 'resolved',
  correction: 'correction',
  // Shown as what happened to the case, never as an item.
  case: 'update',
} as const satisfies Record<OutboxWhat, MessageItem['status']>

/** What an item is by the time that it is sent: what it joined may be taken back, and an end may be no good one. */
function statusOf({ what, alert, above, finding }: Wording): MessageItem['status'] {
  const status = statuses[what]
  if (status === 'resolved') return isLoss(alert, finding) || above ? 'ended' : 'resolved'
  if (status !== 'event' && status !== 'firing' && status !== 'update') return status
  if (above) return 'update'
  return alert.nature === 'event' ? 'event' : 'firing'
}

function isLoss({ resolvedReason }: AlertRow, { transfer }: Finding): boolean {
  return resolvedReason !== null || transfer?.state === 'failed' || transfer?.state === 'unbacked'
}

/** Words one outbox item as of now. Pure: the same facts at the same time give the same words. */
export function toMessageItem(wording: Wording, now: UnixMs): MessageItem {
  const { alert, finding } = wording
  const status = statusOf(wording)
  const isResolved = status === 'resolved' || status === 'ended'
  const lastedMs = isResolved ? lastedOf(wording) : null
  const present = presentOf(wording, now)
  return {
    alertId: alertIdOf(alert.fingerprint),
    rule: alert.rule,
    kind: alert.kind,
    severity: alert.severity,
    status,
    summary: `${summaryOf(wording, { status, lastedMs }, present)}${(wording.firings ?? 0) >= flappingFrom ? ' (flapping)' : ''}`,
    subject: finding.title,
    fields: fieldsOf(wording, isResolved, present),
    facts: factsOf(finding),
    labels: parseLabels(alert.labels),
    remedy: isResolved || status === 'correction' ? null : (wording.kind?.remedy ?? null),
    runbook: alert.runbook,
    since: finding.since,
    at: now,
    lastedMs,
    joined: [],
  }
}

/** The present by the clock that its beginning is measured by. */
function presentOf({ alert, finding, kind, clockLeadMs = 0 }: Wording, now: UnixMs): UnixMs {
  return hasBlockTime(kind, alert, finding) ? now - clockLeadMs : now
}

/** Whether it began at a block's time. */
export function hasBlockTime(
  kind: Pick<Detector, 'beginsAtBlock'> | null,
  { nature }: Pick<AlertRow, 'nature'>,
  { transfer }: Pick<Finding, 'transfer'>,
): boolean {
  return nature === 'event' ? transfer !== null : kind?.beginsAtBlock === true
}

/**
 * From the time that the message calls its beginning, which may lie before the first evaluation that was true.
 * Unknown once the alert is in a later episode.
 */
function lastedOf({ alert, episode, finding }: Wording): number | null {
  if (alert.episode !== episode || alert.resolvedAt === null) return null
  return Math.max(alert.resolvedAt - Math.min(alert.activeAt, finding.since), 0)
}

function summaryOf(wording: Wording, of: Pick<MessageItem, 'status' | 'lastedMs'>, now: UnixMs): string {
  const { finding } = wording
  if (of.status === 'resolved' || of.status === 'ended') return endOf(wording, of)
  if (of.status === 'correction') return correctionOf(wording.kind, finding)
  return summarize(wording.rule, finding, now) ?? sayFinding(wording.kind, finding, now)
}

/** @example nameAlert(alert) // 'alert #a1b2c3d4 (transfer-unbacked)' */
export function nameAlert({ fingerprint, rule }: Pick<AlertRow, 'fingerprint' | 'rule'>): string {
  return `alert #${alertIdOf(fingerprint)} (${rule})`
}

/** A template that fails on these facts must not keep the message back. */
export function summarize(rule: Rule | null, finding: Finding, now: UnixMs): string | null {
  try {
    const summary = rule?.summarize(finding, now)?.trim()
    return summary ? summary : null
  } catch {
    return null
  }
}

function endOf(
  { alert, what, finding, above }: Wording,
  { status, lastedMs }: Pick<MessageItem, 'status' | 'lastedMs'>,
): string {
  const lasted =
    lastedMs === null
      ? ''
      : what === 'both'
        ? ` within ${formatDuration(lastedMs)}`
        : ` after ${formatDuration(lastedMs)}`
  const end = status === 'ended' ? 'ended' : 'resolved'
  const word = what === 'both' ? `Fired and ${end}` : capitalize(end)
  const reason = alert.resolvedReason === null ? '' : ` (${alert.resolvedReason})`
  const said = finding.transfer ? stateOf(finding.transfer) : `${wordsOf(finding.kind)}: ${finding.title}`
  const by = above ? `; ${nameAlert(above)} stands` : ''
  return `${word}${lasted}${reason}: ${said}${by}`
}

function fieldsOf({ finding, links, firings = 0 }: Wording, isResolved: boolean, now: UnixMs): Field[] {
  const age = isResolved ? [] : [field('Age', ageOf(finding, now))]
  const { transfer } = finding
  return [
    ...(firings >= flappingFrom ? [field('Flapping', `fired ${firings} times in the last hour`)] : []),
    ...(transfer ? amountFields(transfer) : []),
    ...age,
    ...(transfer ? transferFields(transfer, links) : []),
    ...factFields(finding, isResolved),
    ...(isResolved ? [] : evidenceFields(finding)),
  ]
}

/** @example ageOf(finding, now) // '42m, usually 4m (p99 12m)' */
function ageOf({ facts: { usualMs, p99Ms }, since }: Finding, now: UnixMs): string {
  const age = formatDuration(Math.max(now - since, 0))
  if (typeof usualMs !== 'number' || typeof p99Ms !== 'number') return age
  return `${age}, usually ${formatDuration(usualMs)} (p99 ${formatDuration(p99Ms)})`
}

/** The facts of an end are those of the time before it: what was true while it was open is not true now. */
function factFields({ facts }: Finding, isResolved: boolean): Field[] {
  return Object.entries(facts)
    .filter(([name]) => name !== 'usualMs' && name !== 'p99Ms')
    .slice(0, 12)
    .flatMap(([name, value]) => factField(name, value))
    .map((one) => (isResolved ? { ...one, label: `${one.label} (while open)` } : one))
}

function evidenceFields({ evidence }: Finding): Field[] {
  return evidence
    .slice(0, 8)
    .map(({ source, at, says }) => field(`Evidence ${nameSources(source)}`, `${says} (asked ${isoTime(at)})`))
}

function amountFields(transfer: Transfer): Field[] {
  return [
    field('Amount', amountOf(transfer)),
    field('Token', `${tokenOf(transfer)} ${transfer.token.address}`.trim()),
    field(
      'Direction',
      `${transfer.direction} (${transfer.direction === 'MainToZone' ? 'deposit' : 'withdrawal'})`,
    ),
  ]
}

function transferFields(transfer: Transfer, links: TransactionLinks): Field[] {
  return [
    legField(transfer, 'main', links),
    legField(transfer, 'zone', links),
    ...(transfer.sourceAddress === '' ? [] : [field('From', transfer.sourceAddress)]),
    ...(transfer.targetAddress === '' ? [] : [field('To', transfer.targetAddress)]),
  ]
}

function legField(transfer: Transfer, chain: Chain, links: TransactionLinks): Field {
  const hash = transfer[chain]?.hash
  const label = chain === 'main' ? 'Main transaction' : 'Zone transaction'
  return hash === undefined
    ? field(label, 'none seen')
    : { label, value: hash, href: linkTo(hash, links[chain]) }
}

/** Only a validated hash ever becomes part of an address. */
function linkTo(hash: string, template: string | null): string | null {
  if (template === null || !/^0x[0-9a-f]{64}$/i.test(hash)) return null
  return template.replaceAll('{hash}', hash)
}

/** Names give the unit: `waitedMs` is a duration, `changedAt` a time. */
function factField(name: string, value: FactValue): Field[] {
  if (value === null || value === '') return []
  const label = clearLabels[name] ?? labelOf(name)
  if (typeof value === 'boolean') return [field(label, value ? 'yes' : 'no')]
  if (typeof value === 'number' && name.endsWith('Ms'))
    return value === 0 ? [] : [field(label, formatDuration(value))]
  if (typeof value === 'number' && name.endsWith('At')) return [field(label, isoTime(value))]
  return [field(label, clearValues[name]?.[String(value)] ?? String(value))]
}

/** Where the fact's name alone says too little. */
const clearLabels: Readonly<Record<string, string>> = { whole: 'All of it', limitFrom: 'Limit taken from' }

const clearValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  limitFrom: {
    fixed: 'the rule',
    token: 'the past of this token and direction',
    direction: 'the past of this direction',
    otherwise: 'the rule, until enough was seen',
  },
}

/** @example labelOf('lastErrorAt') // 'Last error' */
function labelOf(name: string): string {
  const words = name.replace(/(Ms|At)$/, '').replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

function factsOf({ facts, transfer }: Finding): Record<string, FactValue> {
  if (!transfer) return { ...facts }
  return {
    ...facts,
    transfer: transfer.key,
    amount: transfer.amount,
    amountRaw: transfer.amountRaw?.toString() ?? null,
    token: transfer.token.address,
    mainTxHash: transfer.main?.hash ?? null,
    zoneTxHash: transfer.zone?.hash ?? null,
  }
}

function isoTime(at: UnixMs): string {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : 'an unreadable time'
}

function field(label: string, value: string): Field {
  return { label, value, href: null }
}
