import { handLine, moneyLine } from './caseWords.ts'
import { compactLines, fitMessage } from './fitMessage.ts'
import type { Message, MessageItem } from './message.ts'
import {
  countUntold,
  fieldsOf,
  fitText,
  headlineOf,
  idLine,
  isSaidByHeadline,
  originLine,
  part,
  safeLink,
  storyLink,
  verdictLine,
} from './textParts.ts'

/** Telegram's own limits: characters once the tags are read, and tags. */
const limits = { text: 4_096, entities: 100, bytes: 30_000 } as const
const lineRoom = 500

/** A message as Telegram's HTML, always within its limits. */
export function renderTelegram(message: Message): string {
  return fitMessage({
    message,
    full: () =>
      frame(
        message,
        message.items.map((item) => fullItem(message, item)),
        message.items.length,
      ),
    compact: (items, room) =>
      frame(
        message,
        items.map((item) => compactItem(item, room)),
        items.length,
      ),
    fits: (html) => {
      const { length, entities } = measureTelegram(html)
      return length <= limits.text && entities <= limits.entities && Buffer.byteLength(html) <= limits.bytes
    },
  })
}

/** The plain form: after a refused message, text without tags. */
export function renderTelegramPlain(message: Message): string {
  const [first] = message.items
  const untold = countUntold(message.total, first === undefined ? 0 : 1)
  const lines = [
    fitText(headlineOf(message), lineRoom),
    ...(first === undefined ? [] : compactLines(first, 1_500)),
    ...(untold > 0 ? [`… and ${untold} more`] : []),
    idLine(message),
  ]
  return fitText(lines.map(inert).join('\n'), limits.text)
}

/** How long a text of ours is once its tags are read, and how many they are. No attribute holds a real bracket. */
export function measureTelegram(html: string): { readonly length: number; readonly entities: number } {
  const text = html.replace(/<[^>]*>/g, '').replace(/&(?:lt|gt|amp|quot);/g, '.')
  return { length: text.length, entities: html.match(/<[a-z]/g)?.length ?? 0 }
}

function frame(message: Message, items: readonly string[], told: number): string {
  const untold = countUntold(message.total, told)
  const blocks = [
    [bold(fitText(headlineOf(message), lineRoom)), ...caseLines(message)].join('\n'),
    ...items,
    ...(untold > 0 ? [bold(`… and ${untold} more`)] : []),
    [...listLinks(message), text(idLine(message))].join(' · '),
  ]
  return blocks.join('\n\n')
}

function caseLines({ case: of }: Message): string[] {
  if (of === null) return []
  const money = moneyLine(of.money)
  const hand = handLine(of)
  return [
    ...(money === '' ? [] : [text(fitText(`At risk: ${money}`, lineRoom))]),
    text(fitText(`Case ${part(of.id, 40)}: ${part(of.title)}`, lineRoom)),
    ...(hand === null ? [] : [text(fitText(hand, lineRoom))]),
  ]
}

function listLinks(message: Message): string[] {
  const page = safeLink(message.case?.url ?? message.pageUrl)
  const runbook = message.items.map((item) => safeLink(item.runbook)).find((href) => href !== null)
  return [
    ...(page === null ? [] : [link(message.case?.url ? 'Case' : 'Status page', page)]),
    ...(runbook === undefined || runbook === null ? [] : [link('Runbook', runbook)]),
  ]
}

function fullItem(message: Message, item: MessageItem): string {
  const isSaid = isSaidByHeadline(message) && headlineOf(message).length <= lineRoom
  const story = storyLink(message, item)
  const facts = fieldsOf(item).map(({ label, value, href }) => {
    const safe = safeLink(href)
    const open = safe === null ? '' : ` ${link('open', safe)}`
    return `${text(part(label, 60))}: ${code(part(value))}${open}`
  })
  return [
    ...(isSaid ? [] : [bold(verdictLine(item))]),
    text(part(item.subject)),
    ...facts,
    ...(item.remedy === null ? [] : [text(`What to do: ${part(item.remedy, 300)}`)]),
    `${text(originLine(item))}${story === null ? '' : ` · ${link('Whole story', story)}`}`,
  ].join('\n')
}

function compactItem(item: MessageItem, room: number): string {
  const [verdict = '', ...lines] = compactLines(item, room)
  return [bold(verdict), ...lines.map(text)].join('\n')
}

function bold(data: string): string {
  return `<b>${text(data)}</b>`
}

/** Telegram looks for no names and addresses within code, and a hash in it can be copied with one touch. */
function code(data: string): string {
  return `<code>${escapeHtml(data === '' ? '–' : data)}</code>`
}

function link(words: string, href: string): string {
  return `<a href="${escapeHtml(href)}">${words}</a>`
}

function text(data: string): string {
  return escapeHtml(inert(data))
}

/** `&` first, or the entities of the others would be escaped again. */
function escapeHtml(data: string): string {
  return data
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/**
 * Telegram makes names, tags, commands and addresses of a plain text active by itself, and calls the people behind the
 * names. A word joiner, which cannot be seen, keeps each apart from its sign.
 */
function inert(data: string): string {
  return data.replace(/[@#/$]|\.(?=\p{L})/gu, (sign) => `${sign}\u2060`)
}
