import { caseLine } from './caseWords.ts'
import type { ItemField, Message, MessageCase, MessageItem } from './message.ts'
import {
  countUntold,
  detailsOf,
  factsOf,
  hashesOf,
  isSaidByHeadline,
  nameHash,
  noHash,
  originLine,
  part,
  safeLink,
  statusLine,
  storyLink,
  verdictLine,
  whenLine,
} from './textParts.ts'

/** Words that lead somewhere. */
export interface Link {
  readonly words: string
  readonly href: string
}

/** A transaction as it stands in a line: `main`, `0x12ab…cd34`, and where it can be looked at. */
export interface HashPart {
  readonly words: string
  readonly short: string
  readonly href: string | null
}

/** What every channel says of one finding, in its order. */
export interface ItemParts {
  /** Null where the headline says it already. */
  readonly verdict: string | null
  readonly when: string
  readonly hashes: readonly HashPart[]
  /** Null where nothing is to be done, or it is said once for all. */
  readonly remedy: string | null
  readonly facts: readonly ItemField[]
}

/** What stands at a message's end of one finding. */
export interface DetailParts {
  /** Which finding it is of, in the order in which they were told; null where there is one. */
  readonly of: string | null
  /** All in one line, of one that is told in a line itself. */
  readonly line: string | null
  readonly fields: readonly ItemField[]
  readonly origin: string
  readonly story: string | null
}

/** What stands at a message's end: all that is known, or whole hashes alone. */
export type Details = 'all' | 'hashes'

/** How long a headline a channel shows whole: a longer one is said again below. */
export interface PartOptions {
  readonly saysHeadline?: boolean
}

/** The findings that are told in full. */
export function fullItems({ items, briefFrom }: Message): readonly MessageItem[] {
  return items.slice(0, briefFrom)
}

/** Those that are told in a line each: many of one kind. */
export function briefItems({ items, briefFrom }: Message): readonly MessageItem[] {
  return briefFrom === undefined ? [] : items.slice(briefFrom)
}

/** Of some of a message's first findings those in full, and those in a line each. */
export function splitBrief(
  { briefFrom = Infinity }: Message,
  items: readonly MessageItem[],
): { readonly full: readonly MessageItem[]; readonly brief: readonly MessageItem[] } {
  return { full: items.slice(0, briefFrom), brief: items.slice(briefFrom) }
}

export function itemParts(message: Message, item: MessageItem, options: PartOptions = {}): ItemParts {
  const isSaid = (options.saysHeadline ?? true) && isSaidByHeadline(message)
  return {
    verdict: isSaid ? null : verdictLine(item),
    when: whenLine(item),
    hashes: hashParts(item),
    remedy: sharedRemedy(message) === null && item.remedy !== null ? part(item.remedy, 300) : null,
    facts: factsOf(item),
  }
}

function hashParts(item: MessageItem): HashPart[] {
  return hashesOf(item).map((field) => {
    const { words, short } = nameHash(field)
    return { words, short, href: isShortHash(short) ? safeLink(field.href) : null }
  })
}

/** What the headline says of all of them is not said of each. */
function withoutCommon({ headline }: Message, words: string): string {
  const at = words.indexOf(': ')
  return at > 0 && headline.includes(words.slice(at + 2)) ? words.slice(0, at) : words
}

/** Nothing else becomes the words of a link. */
function isShortHash(text: string): boolean {
  return /^0x[0-9a-f]{4}…[0-9a-f]{4}$/i.test(text)
}

/** One of many of a kind in a line: what it is, and its transactions. */
export function briefParts(
  message: Message,
  item: MessageItem,
): { readonly words: string; readonly hashes: readonly HashPart[] } {
  const isPlain = item.severity === message.severity && statusLine(item) === item.severity.toUpperCase()
  const words = withoutCommon(message, isPlain ? part(item.summary, 300) : verdictLine(item))
  return { words, hashes: hashParts(item).filter(({ short }) => short !== noHash) }
}

export function detailParts(
  message: Message,
  item: MessageItem,
  { index, details = 'all' }: { readonly index: number; readonly details?: Details },
): DetailParts {
  const of = message.items.length > 1 ? `Finding ${index + 1}` : null
  const isBrief = index >= (message.briefFrom ?? Infinity)
  const alert = isBrief && details === 'all' ? ` (alert #${part(item.alertId, 20)})` : ''
  return {
    of,
    line:
      isBrief || details === 'hashes' ? `${of === null ? '' : `${of}: `}${nameWhole(item)}${alert}` : null,
    fields: detailsOf(item),
    origin: originLine(item),
    story: storyLink(message, item),
  }
}

/** @example 'zone 0x…, main 0x…' */
function nameWhole(item: MessageItem): string {
  const hashes = hashesOf(item).filter(({ value }) => value !== noHash)
  const named = hashes.slice(0, 4).map((field) => `${nameHash(field).words} ${part(field.value, 100)}`)
  return named.length === 0 ? part(item.subject, 300) : named.join(', ')
}

/** One of many where there is no room for details: what it is, its hashes whole. */
export function briefWhole(message: Message, item: MessageItem): string {
  return `• ${briefParts(message, item).words}: ${nameWhole(item)}`
}

/** What to do, where it is the same for several findings: it is said once. */
export function sharedRemedy({ items }: Message): string | null {
  const remedies = new Set(items.flatMap(({ remedy }) => (remedy === null ? [] : [remedy])))
  const [only] = remedies
  return items.length > 1 && remedies.size === 1 && only !== undefined ? part(only, 300) : null
}

const mostRunbooks = 3

/** Where to go from a message: the runbook first, then its page, then the explorer. */
export function listLinks(message: Message): Link[] {
  const kinds = new Map(message.items.map((item) => [safeLink(item.runbook), part(item.kind, 60)]))
  const runbooks = [...kinds].flatMap(([href, kind]) => (href === null ? [] : [{ href, kind }]))
  const explorer = message.items.flatMap(hashParts).find(({ href }) => href !== null)?.href ?? null
  const page = pageOf(message)
  return [
    ...runbooks.slice(0, mostRunbooks).map(({ href, kind }) => ({
      words: runbooks.length > 1 && isPlainKind(kind) ? `Runbook ${kind}` : 'Runbook',
      href,
    })),
    ...(page === null ? [] : [page]),
    ...(explorer === null ? [] : [{ words: 'Explorer', href: explorer }]),
  ]
}

/** A kind's name may become words of a link; whatever else stands in its place may not. */
function isPlainKind(kind: string): boolean {
  return /^[a-z]{3,20}(\.[a-z_]{3,30})+$/.test(kind)
}

/** The page that lists all that a message is about. */
function pageOf({ case: of, pageUrl }: Message): Link | null {
  const ofCase = safeLink(of?.url ?? null)
  if (ofCase !== null) return { words: 'Case', href: ofCase }
  const href = safeLink(pageUrl)
  return href === null ? null : { words: 'Status page', href }
}

/** How many findings are not shown, and where they are; null when all are. */
export function untoldLine(message: Message, told: number): string | null {
  const untold = countUntold(message.total, told)
  if (untold === 0) return null
  const page = pageOf(message)
  const where =
    page !== null
      ? `: see the ${page.words.toLowerCase()}`
      : message.case === null
        ? ''
        : `: spanwatch cases show ${part(message.case.id, 40)}`
  return `… and ${untold} more${where}`
}

/** A case of a digest in a line, and its page. */
export interface CaseLine {
  readonly words: string
  readonly href: string | null
}

/** Of a case's title in a digest, so that its money and its name are never cut. */
const caseTitleRoom = 140

/** The cases of a digest, one line each; those beyond `most` are counted. */
export function caseLines({ cases = [], caseCount = cases.length }: Message, most = Infinity): CaseLine[] {
  const shown = cases.slice(0, most)
  const more = caseCount - shown.length
  return [
    ...shown.map((of: MessageCase, index) => ({
      // What holds of the first price holds of all.
      words: caseLine(of, { titleRoom: caseTitleRoom, saysPrice: index === 0 }),
      href: safeLink(of.url),
    })),
    ...(more > 0 ? [{ words: `… and ${more} more ${more === 1 ? 'case' : 'cases'}`, href: null }] : []),
  ]
}

/** As many of them as fit into so many characters, as a channel writes them, and the count of the others. */
export function takeCaseLines(message: Message, room: number, write: (line: CaseLine) => string): string[] {
  for (let most = message.cases?.length ?? 0; ; most -= 1) {
    const lines = caseLines(message, most).map(write)
    const length = lines.reduce((sum, line) => sum + line.length + 1, 0)
    if (length <= room || most <= 0) return lines
  }
}
