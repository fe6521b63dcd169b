import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { Direction, Status } from '../../bridge/observation.ts'
import type { Transfer, TransferState, TransferToken } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/duration.ts'
import { groupDigits } from '../../lib/groupDigits.ts'
import { shortHash } from '../../lib/shortHash.ts'
import { cleanText, inBrackets } from '../../lib/text.ts'
import type { VerdictLevel } from '../statusFacts.ts'
import type { AlertView } from '../caseTypes.ts'

/** What hono's `html` gives; everything put into it as a string is escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

export const directionWords: Readonly<Record<Direction, string>> = {
  MainToZone: 'Deposit',
  ZoneToMain: 'Withdrawal',
}

export const directionPaths: Readonly<Record<Direction, string>> = {
  MainToZone: 'main → zone',
  ZoneToMain: 'zone → main',
}

export const stateTones: Readonly<Record<TransferState, string>> = {
  pending: 'info',
  completed: 'fine',
  failed: 'critical',
  unbacked: 'critical',
}

export const statusTones: Readonly<Record<Status | 'absent', string>> = {
  success: 'fine',
  absent: 'critical',
  failed: 'critical',
  unknown: 'unknown',
}

export const severityTones = { critical: 'critical', warning: 'attention', info: 'info' } as const

export const verdictWords: Readonly<Record<VerdictLevel, string>> = {
  fine: 'No problem found',
  attention: 'Needs attention',
  critical: 'Critical',
  unknown: 'Cannot tell',
}

/** `2026-03-08 10:31:05 UTC`, or the number itself when it is beyond what a date can say. */
export function formatTime(at: UnixMs): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return String(at)
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** A moment as its distance from now, with the full time as its title. */
export function renderAgo(at: UnixMs | null, now: UnixMs): Html {
  if (at === null) return html`<span class="tone-unknown">never</span>`
  const words = at > now ? `in ${formatAge(at - now)}` : `${formatAge(now - at)} ago`
  return html`<time datetime="${toIso(at)}" title="${formatTime(at)}">${words}</time>`
}

export function renderTime(at: UnixMs | null): Html {
  if (at === null) return html`<span class="muted">time unknown</span>`
  return html`<time class="at" datetime="${toIso(at)}">${formatTime(at)}</time>`
}

/** Whole seconds and above: the page is not redrawn every millisecond. */
export function formatAge(ms: number): string {
  return ms < 1_000 ? '0s' : formatDuration(ms)
}

/** For a line that is read in one look; every hash stands in full close by. */
export function shortenHashes(text: string): string {
  return text.replace(/0x[0-9a-f]{20,}/gi, shortHash)
}

export function renderTag(tone: string, word: string): Html {
  return html`<span class="tag tone-${tone}">${word}</span>`
}

/** A verdict for a row: the colour never stands without its word. */
export function renderState(tone: string, word: string): Html {
  return html`<span class="state tone-${tone}">${word}</span>`
}

/** Amount and token in full. The listed symbol stands alone; a name from the chain stands in brackets, for it proves nothing. */
export function formatAmount({ amount, amountRaw, token }: Transfer): string {
  if (amount !== null) return `${groupDigits(amount)} ${formatToken(token)}`
  if (amountRaw !== null) return `${amountRaw.toString()} base units of ${formatToken(token)}`
  return `unknown amount of ${formatToken(token)}`
}

export function formatToken({ symbol, name, address, id }: TransferToken): string {
  const shown = symbol ?? (name === '' && address !== '' ? address : inBrackets(name))
  return id === '' ? cleanText(shown, 80) : `${cleanText(shown, 80)} #${cleanText(id, 80)}`
}

export function toTransferPath(key: string): string {
  return `/transfers/${encodeURIComponent(key)}`
}

export function toAlertPath(id: string): string {
  return `/alerts/${encodeURIComponent(id)}`
}

export function toCasePath(id: string): string {
  return `/cases/${encodeURIComponent(id)}`
}

export function alertTone({
  state,
  severity,
  endedBadly,
}: Pick<AlertView, 'state' | 'severity' | 'endedBadly'>): string {
  if (state !== 'resolved') return severityTones[severity]
  return endedBadly ? 'plain' : 'fine'
}

/** Only http and https: a rule's link must not become a script. */
export function toSafeHref(link: string | null): string | null {
  if (link === null || !URL.canParse(link)) return null
  return ['http:', 'https:'].includes(new URL(link).protocol) ? link : null
}

function toIso(at: UnixMs): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
