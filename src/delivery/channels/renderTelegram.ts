import { leadLines } from './caseWords.ts'
import { compactLines, fitMessage } from './fitMessage.ts'
import type { ItemField, Message, MessageItem } from './message.ts'
import {
  briefItems,
  briefParts,
  briefWhole,
  type DetailParts,
  detailParts,
  type Details,
  fullItems as listFull,
  type HashPart,
  itemParts,
  listLinks,
  sharedRemedy,
  splitBrief,
  takeCaseLines,
  untoldLine,
} from './messageParts.ts'
import { countUntold, fitText, headlineOf, idLine, part } from './textParts.ts'

/** Telegram's own limits: characters once the tags are read, and tags. */
const limits = { text: 4_096, entities: 100, bytes: 30_000 } as const
const lineRoom = 500
/** All cases of a digest, tags included. */
const casesRoom = 1_500

/** A message as Telegram's HTML, always within its limits. */
export function renderTelegram(message: Message): string {
  return fitMessage({
    message,
    full: (details) =>
      frame(message, {
        body: fullItems(message),
        details: detailItems(message, details),
        told: message.items.length,
      }),
    compact: (items, room) =>
      frame(message, { body: compactItems(message, items, room), details: [], told: items.length }),
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

interface Told {
  readonly body: readonly string[]
  readonly details: readonly string[]
  readonly told: number
}

function frame(message: Message, { body, details, told }: Told): string {
  const untold = untoldLine(message, told)
  const remedy = sharedRemedy(message)
  const links = listLinks(message).map(({ words, href }) => link(text(words), href))
  const blocks = [
    [
      bold(fitText(headlineOf(message), lineRoom)),
      ...leadLines(message).map((line) => text(fitText(line, lineRoom))),
      ...takeCaseLines(
        message,
        casesRoom,
        ({ words, href }) => `• ${text(fitText(words, 300))}${href === null ? '' : ` ${link('Case', href)}`}`,
      ),
      ...(remedy === null ? [] : [text(`What to do: ${remedy}`)]),
    ].join('\n'),
    ...body,
    ...(untold === null ? [] : [bold(untold)]),
    ...(links.length === 0 ? [] : [links.join(' · ')]),
    ...details,
    text(idLine(message)),
  ]
  return blocks.join('\n\n')
}

function fullItems(message: Message): string[] {
  const briefs = briefItems(message).map((item) => briefItem(message, item))
  return [
    ...listFull(message).map((item) => fullItem(message, item)),
    ...(briefs.length > 0 ? [briefs.join('\n')] : []),
  ]
}

function fullItem(message: Message, item: MessageItem): string {
  const saysHeadline = headlineOf(message).length <= lineRoom
  const { verdict, when, hashes, remedy, facts } = itemParts(message, item, { saysHeadline })
  return [
    ...(verdict === null ? [] : [bold(verdict)]),
    [text(when), ...hashes.map(hashText)].join(' · '),
    ...(remedy === null ? [] : [text(`What to do: ${remedy}`)]),
    ...facts.map(fieldText),
  ].join('\n')
}

function hashText({ words, short, href }: HashPart): string {
  return `${text(words)} ${href === null ? text(short) : link(text(short), href)}`
}

function fieldText({ label, value }: ItemField): string {
  return `${text(part(label, 60))}: ${code(part(value))}`
}

function briefItem(message: Message, item: MessageItem): string {
  const { words, hashes } = briefParts(message, item)
  return `• ${[text(words), ...hashes.map(hashText)].join(' · ')}`
}

/** Whole hashes to copy, addresses, evidence. Findings of a line each stand together. */
function detailItems(message: Message, details: Details): string[] {
  const parts = message.items.map((item, index) => detailParts(message, item, { index, details }))
  const lines = parts.flatMap(({ line }) => (line === null ? [] : [text(line)]))
  return [
    ...parts.filter(({ line }) => line === null).map(detailItem),
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
  ]
}

function detailItem({ of, fields, origin, story }: DetailParts): string {
  return [
    ...(of === null ? [] : [text(of)]),
    ...fields.map(fieldText),
    `${text(origin)}${story === null ? '' : ` · ${link('Whole story', story)}`}`,
  ].join('\n')
}

function compactItems(message: Message, items: readonly MessageItem[], room: number): string[] {
  const { full, brief } = splitBrief(message, items)
  const lines = brief.map((item) => text(fitText(briefWhole(message, item), room)))
  return [...full.map((item) => compactItem(item, room)), ...(lines.length === 0 ? [] : [lines.join('\n')])]
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
