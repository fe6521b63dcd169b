import type { UnixMs } from '../../lib/clock.ts'
import { sayDuration, sayInstant } from '../../lib/sayTime.ts'
import { shortHash } from '../../lib/shortHash.ts'
import { cleanText } from '../../lib/text.ts'
import type { ItemField, Message, MessageItem } from './message.ts'

/** Longest string that any renderer takes from a message's field; a page of text helps nobody at night. */
const maxPart = 2_000

const statusWords = {
  event: '',
  firing: '',
  update: 'update',
  resolved: 'resolved',
  ended: 'ended',
  correction: 'correction',
  repeat: 'still firing',
} as const satisfies Record<MessageItem['status'], string>

/** One line without anything invisible. Every renderer passes every string of a message through it. */
export function part(text: string, maxLength = maxPart): string {
  return cleanText(text, maxLength)
}

/** Whether there is still something to be looked at, as a pager has to know. */
export function isStanding({ status, isTakenBack = false }: MessageItem): boolean {
  return status !== 'resolved' && status !== 'ended' && !isTakenBack
}

/**
 * What kind of news an item is, severity as a word first.
 * @example statusLine(item) // 'CRITICAL, resolved'
 */
export function statusLine(item: Pick<MessageItem, 'severity' | 'status'>): string {
  const word = statusWords[item.status]
  return word === '' ? item.severity.toUpperCase() : `${item.severity.toUpperCase()}, ${word}`
}

/**
 * What kind of news an item is, and its verdict.
 * @example verdictLine(item) // 'CRITICAL, resolved after 21s: Withdrawal of 1.5 USDC has arrived'
 */
export function verdictLine(item: Pick<MessageItem, 'severity' | 'status' | 'summary'>): string {
  const summary = part(item.summary)
  const word = statusWords[item.status]
  // Ends and corrections say themselves what they are.
  const isSaid = word !== '' && new RegExp(`^(fired and )?${word}\\b`, 'i').test(summary)
  if (!isSaid) return `${statusLine(item)}: ${summary}`
  return `${item.severity.toUpperCase()}, ${summary.slice(0, 1).toLowerCase()}${summary.slice(1)}`
}

/** So many facts of a finding are read; the others stand with the details. */
const mostFacts = 4

/** What is to be read of a finding, at most four: first what other rules find of the same thing. */
export function factsOf(item: MessageItem): ItemField[] {
  return listFacts(item).slice(0, mostFacts)
}

function listFacts({ joined, fields }: MessageItem): ItemField[] {
  const also = joined.map(({ summary, rule, alertId }) => ({
    label: 'Also',
    value: `${part(summary)} (alert #${alertId}, rule ${part(rule, 100)})`,
    href: null,
  }))
  const facts = fields.filter(
    ({ place }, index) => (place ?? (index < mostFacts ? 'fact' : 'detail')) === 'fact',
  )
  return [...also, ...facts]
}

/** The transactions of a finding: short beneath its headline, whole among its details. */
export function hashesOf({ fields }: MessageItem): ItemField[] {
  return fields.filter(({ place }) => place === 'hash')
}

/** What stands in the place of a transaction that is not there. */
export const noHash = 'none seen'

/** All else that is known of a finding: what it is about, whole hashes, addresses, evidence. */
export function detailsOf(item: MessageItem): ItemField[] {
  const { fields, summary } = item
  const names = item.subject.match(/0x[0-9a-f]{40,64}/gi) ?? []
  const shown = fields.filter(({ place }) => place !== 'said').map(({ value }) => value)
  const isCovered = names.length > 0 && names.every((name) => shown.some((value) => value.includes(name)))
  // A transaction with a line of its own is not named again.
  const subject = item.subject.replace(/,? ?\b(?:main|zone) (0x[0-9a-f]{64})\b/gi, (whole, hash: string) =>
    shown.includes(hash) ? '' : whole,
  )
  const about =
    isCovered || subject === '' || summary.includes(item.subject)
      ? []
      : [{ label: 'About', value: subject, href: null }]
  const others = fields.filter(
    ({ place }, index) => (place ?? (index < mostFacts ? 'fact' : 'detail')) === 'detail',
  )
  const hashes = hashesOf(item).filter(({ value }) => value !== noHash)
  return [...about, ...hashes, ...listFacts(item).slice(mostFacts), ...others]
}

/** Label and value of all that an item says, each once. */
export function fieldsOf(item: MessageItem): ItemField[] {
  return [...factsOf(item), ...detailsOf(item)]
}

/** @example nameHash(field) // 'main 0x12ab…cd34' */
export function nameHash({ label, value }: ItemField): { readonly words: string; readonly short: string } {
  return {
    words: part(label, 60)
      .replace(/ transaction$/, '')
      .toLowerCase(),
    short: shortHash(part(value, 100)),
  }
}

/**
 * When it was, as it stands beneath the headline of a finding.
 * @example whenLine(item) // 'since 14:03:07 UTC (42 min ago)'
 */
export function whenLine({ status, since, at, lastedMs }: MessageItem): string {
  const began = sayInstant(since, at)
  if (status === 'firing' || status === 'repeat') return `since ${began}`
  if (status === 'resolved' || status === 'ended')
    return lastedMs === null ? `began ${began}` : `began ${began}, lasted ${sayDuration(lastedMs)}`
  return `happened ${began}`
}

/** One finding whose words are the headline need not be said a second time below it. */
export function isSaidByHeadline(message: Message): boolean {
  const [item] = message.items
  return item !== undefined && message.total === 1 && headlineOf(message).includes(verdictLine(item))
}

/** Tests, reports and news past the outbox are no alerts, and have no page. */
function isAlert({ alertId }: MessageItem): boolean {
  return /^[0-9a-f]{8}$/.test(alertId) && alertId !== '00000000'
}

/** The alert's own page: its decisions, evidence and messages; null where no address is configured. */
export function storyLink({ pageUrl }: Pick<Message, 'pageUrl'>, item: MessageItem): string | null {
  if (pageUrl === null || !isAlert(item)) return null
  return safeLink(`${pageUrl.replace(/\/+$/, '')}/alerts/${item.alertId}`)
}

/** Alert, rule and kind of an item and when it was sent, in one line of fixed form. */
export function originLine(item: MessageItem): string {
  const alert = isAlert(item) ? `alert #${item.alertId}, ` : ''
  return `${alert}rule ${part(item.rule, 100)} (${part(item.kind, 60)}), sent ${formatInstant(item.at)}`
}

/** For programs; null where Date cannot follow. */
export function isoInstant(at: UnixMs): string | null {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

function formatInstant(at: UnixMs): string {
  const date = new Date(at)
  // A time from outside may lie where Date cannot follow; the message must go out all the same.
  return Number.isNaN(date.getTime())
    ? 'an unreadable time'
    : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** `message #a1b2c3`, and from the second attempt on the number, so that a reader can see a possible duplicate. */
export function idLine(message: { readonly id: string; readonly attempt: number }): string {
  const id = `message #${part(message.id, 40)}`
  return message.attempt > 1 ? `${id} · attempt ${message.attempt}` : id
}

/** A message's id as it may stand in a header or a Message-ID. */
export function headerId(id: string): string {
  return id.replace(/[^\w.-]/g, '').slice(0, 64) || 'unnamed'
}

/** The headline with the severity as a word, which is put before it when its author left it out. */
export function headlineOf(message: { readonly headline: string; readonly severity: string }): string {
  const headline = part(message.headline)
  const word = message.severity.toUpperCase()
  return headline.toUpperCase().includes(word) ? headline : `${word}: ${headline}`
}

/**
 * What fits into `room` UTF-16 units, which is how services count, cut at a character's boundary.
 * @example fitText('abcdef', 4) // 'abc…'
 */
export function fitText(text: string, room: number): string {
  if (text.length <= room) return text
  const kept = text.slice(0, Math.max(room - 1, 0))
  // The first half of a pair alone is no character.
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`.slice(0, Math.max(room, 0))
}

/** How many findings a message counts without showing them. */
export function countUntold(total: number, told: number): number {
  return Math.max(total - told, 0)
}

/** An address that may become a link: http(s), without credentials, short enough; in its canonical spelling. */
export function safeLink(href: string | null): string | null {
  if (href === null || href.length > 1_000 || !URL.canParse(href)) return null
  const url = new URL(href)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null
  if (url.username !== '' || url.password !== '') return null
  return url.href.replace(/[|'"<>`\\]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}
