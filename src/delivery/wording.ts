import type { FactValue, Finding } from '../bridge/finding.ts'
import type { UnixMs } from '../lib/clock.ts'
import { sayDuration, sayTime } from '../lib/sayTime.ts'
import type { MessageItem } from './channels/message.ts'
import type { Detector } from '../rules/kind.ts'
import type { Rule } from '../rules/types.ts'
import type { AlertRow } from '../alerts/store/alertRows.ts'
import type { OutboxWhat } from '../alerts/store/outboxItems.ts'
import { parseLabels } from '../alerts/engineContext.ts'
import { stands } from '../alerts/joining.ts'
import { readMaterial } from '../alerts/material.ts'
import { runbookLink } from './runbookLink.ts'
import { alertIdOf } from '../alerts/fingerprint.ts'
import { capitalize, correctionOf, remedyOf, sayFinding, stateOf, wordsOf } from './kindWords.ts'
import { toFields, type TransactionLinks } from './itemFields.ts'

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
  /** Base address of the status page; left out where it has none. */
  readonly pageUrl?: string | null
  /** By how much our clock is ahead of everybody's, ms; left out where it is not. */
  readonly clockLeadMs?: number
  /** How often it fired in the last hour. */
  readonly firings?: number
  /** An alert of the same thing that was sent to the channel, and says as much or more. */
  readonly above?: Pick<AlertRow, 'fingerprint' | 'rule' | 'kind'> | null
}

/** From so many firings in an hour on an alert is said to be flapping. */
const flappingFrom = 3

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
function statusOf(wording: Wording): MessageItem['status'] {
  const { what, alert, above, finding } = wording
  const status = statuses[what]
  if (isTakenBack(wording)) return 'correction'
  if (status === 'resolved') return isLoss(alert, finding) || above ? 'ended' : 'resolved'
  if (status !== 'event' && status !== 'firing' && status !== 'update') return status
  if (above) return 'update'
  return alert.nature === 'event' ? 'event' : 'firing'
}

/** An event that waited to be sent, and is disproved by now: it accuses nobody any more. */
function isTakenBack({ what, alert, finding, kind }: Wording): boolean {
  return alert.nature === 'event' && (what === 'event' || what === 'joined') && !stands({ finding, kind })
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
  const isFlapping = (wording.firings ?? 0) >= flappingFrom
  const said = summaryOf(wording, { status, lastedMs }, present)
  const runbook = alert.runbook ?? runbookLink(alert.kind, wording.pageUrl ?? null)
  return {
    alertId: alertIdOf(alert.fingerprint),
    rule: alert.rule,
    kind: alert.kind,
    severity: alert.severity,
    status,
    summary: `${said}${isFlapping ? ' (flapping)' : ''}`,
    subject: finding.title,
    fields: toFields(
      {
        finding,
        links: wording.links,
        rule: alert.rule,
        flapping: isFlapping ? (wording.firings ?? 0) : null,
        isResolved,
        isEvent: alert.nature === 'event',
        summary: said,
      },
      present,
    ),
    facts: factsOf(finding),
    labels: parseLabels(alert.labels),
    remedy: isResolved || status === 'correction' ? null : sayRemedy(wording, runbook),
    runbook,
    since: finding.since,
    at: now,
    lastedMs,
    ...(status === 'correction' && !stands(wording) && { isTakenBack: true }),
    joined: [],
  }
}

/** What to do, and where no address leads to the runbook, where it stands. */
function sayRemedy({ kind, finding }: Wording, runbook: string | null): string | null {
  if (kind === null) return null
  const remedy = remedyOf(kind, finding)
  return runbook === null ? `${remedy} Runbook: docs/runbooks.md, ${kind.kind}` : remedy
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
function lastedOf(wording: Wording): number | null {
  const { alert, finding } = wording
  const end = endOfEpisode(wording)
  return end === null ? null : Math.max(end - Math.min(alert.activeAt, finding.since), 0)
}

/** What is over by the time that its beginning is sent, as by a slow mail server, lasts no longer. */
function endOfEpisode({ alert, episode }: Wording): UnixMs | null {
  return alert.episode === episode ? alert.resolvedAt : null
}

function summaryOf(wording: Wording, of: Pick<MessageItem, 'status' | 'lastedMs'>, now: UnixMs): string {
  const { finding } = wording
  if (of.status === 'resolved' || of.status === 'ended') return endOf(wording, of, now)
  const isCorrection = of.status === 'correction'
  // A comparison that still finds a difference says which one it is by now.
  const isOtherwise = isCorrection && !(wording.kind?.isComparison === true && stands(wording))
  if (isOtherwise) return correctionOf(wording.kind, finding, isTakenBack(wording))
  const at = Math.min(endOfEpisode(wording) ?? now, now)
  const said = summarize(wording.rule, finding, at) ?? sayFinding(wording.kind, finding, at)
  return isCorrection ? `Correction: ${said}` : said
}

/** @example nameAlert(alert) // 'alert #a1b2c3d4 (transfer-unbacked)' */
export function nameAlert({ fingerprint, rule }: Pick<AlertRow, 'fingerprint' | 'rule'>): string {
  return `alert #${alertIdOf(fingerprint)} (${rule})`
}

type Said = Pick<Wording, 'finding' | 'kind'> & { readonly alert: Pick<AlertRow, 'material' | 'nature'> }

/** Whether an event is not so, or of another weight than it was found with: then its correction says what is true. */
export function isCorrected({ alert, finding, kind }: Said): boolean {
  if (alert.nature !== 'event') return false
  if (!stands({ finding, kind })) return true
  const told = readMaterial(alert.material)
  // What was corrected and holds after all is as it was found.
  return told.at(0) !== told.at(-1) && typeof kind?.words?.corrected?.(finding) === 'string'
}

/** What an alert says in one line, as of now. */
export function sayAlert(said: Said & Pick<Wording, 'rule'>, now: UnixMs): string {
  const { finding, kind, rule } = said
  if (isCorrected(said)) return correctionOf(kind, finding)
  return summarize(rule, finding, now) ?? sayFinding(kind, finding, now)
}

/** A template that fails on these facts must not keep the message back. */
function summarize(rule: Rule | null, finding: Finding, now: UnixMs): string | null {
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
  now: UnixMs,
): string {
  const at = lastedMs === null || alert.resolvedAt === null ? '' : ` at ${sayTime(alert.resolvedAt, now)}`
  const lasted =
    lastedMs === null ? '' : `${at} ${what === 'both' ? 'within' : 'after'} ${sayDuration(lastedMs)}`
  const end = status === 'ended' ? 'ended' : 'resolved'
  const word = what === 'both' ? `Fired and ${end}` : capitalize(end)
  const reason = alert.resolvedReason === null ? '' : ` (${alert.resolvedReason})`
  const said = finding.transfer ? stateOf(finding.transfer) : `${wordsOf(finding.kind)}: ${finding.title}`
  const by = above ? `; ${nameAlert(above)} stands` : ''
  return `${word}${lasted}${reason}: ${said}${by}`
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
