import { leadLines } from './caseWords.ts'
import { compactLines, fitMessage } from './fitMessage.ts'
import type { ItemField, Message, MessageItem } from './message.ts'
import {
  briefItems,
  briefParts,
  briefWhole,
  type CaseLine,
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
import { countUntold, fitText, headlineOf, idLine, isoInstant, part } from './textParts.ts'

interface Embed {
  readonly description?: string
  readonly color: number
  readonly fields?: readonly EmbedField[]
  readonly footer?: { readonly text: string }
  readonly timestamp?: string
}

interface EmbedField {
  readonly name: string
  readonly value: string
  readonly inline: false
}

/** The body of one request. */
interface DiscordMessage {
  readonly content: string
  readonly embeds?: readonly Embed[]
  /** Nobody is called, whatever a text says. */
  readonly allowed_mentions: { readonly parse: readonly never[] }
}

/** Discord's own limits, in UTF-16 units, which are never fewer than its characters. */
const limits = {
  content: 2_000,
  embeds: 10,
  /** All texts of all embeds together. */
  embedTexts: 6_000,
  description: 4_096,
  fields: 25,
  fieldName: 256,
  fieldValue: 1_024,
} as const
/** Ours: a verdict of more lines is none. */
const lineRoom = 500

const noMentions = { parse: [] } as const

/** A message with embeds, always within Discord's limits. */
export function renderDiscord(message: Message): DiscordMessage {
  return fitMessage({
    message,
    full: (details) =>
      frame(message, {
        body: fullEmbeds(message),
        details: detailEmbeds(message, details),
        told: message.items.length,
      }),
    compact: (items, room) =>
      frame(message, { body: compactEmbeds(message, items, room), details: [], told: items.length }),
    fits,
  })
}

/** The plain form: after a refused message, text alone. */
export function renderDiscordPlain(message: Message): DiscordMessage {
  const [first] = message.items
  const untold = countUntold(message.total, first === undefined ? 0 : 1)
  const lines = [
    escapeTo(headlineOf(message), lineRoom),
    ...(first === undefined ? [] : compactLines(first, 1_000).map((line) => escapeTo(line, 400))),
    ...(untold > 0 ? [`… and ${untold} more`] : []),
    escapeTo(idLine(message), 100),
  ]
  return { content: lines.join('\n'), allowed_mentions: noMentions }
}

function fits({ embeds = [], content }: DiscordMessage): boolean {
  const texts = embeds.map(lengthOf).reduce((sum, length) => sum + length, 0)
  return (
    content.length <= limits.content &&
    embeds.length <= limits.embeds &&
    texts <= limits.embedTexts &&
    embeds.every(
      ({ description = '', fields = [] }) =>
        description.length <= limits.description && fields.length <= limits.fields,
    )
  )
}

function lengthOf({ description = '', fields = [], footer }: Embed): number {
  const named = fields.map(({ name, value }) => name.length + value.length)
  return [description.length, footer?.text.length ?? 0, ...named].reduce((sum, length) => sum + length, 0)
}

interface Told {
  readonly body: readonly Embed[]
  readonly details: readonly Embed[]
  readonly told: number
}

function frame(message: Message, { body, details, told }: Told): DiscordMessage {
  const untold = untoldLine(message, told)
  const timestamp = isoInstant(message.createdAt)
  const color = colorOf(message)
  const links = listLinks(message).map(({ words, href }) => link(escapeTo(words, 100), href))
  const lines = [
    ...(untold === null ? [] : [`**${escapeTo(untold, 200)}**`]),
    ...(links.length === 0 ? [] : [links.join(' · ')]),
  ]
  const where: Embed[] = lines.length === 0 ? [] : [{ description: lines.join('\n'), color }]
  const shown = [...body, ...where, ...details]
  const foot: Embed = {
    ...(shown.at(-1) ?? { color }),
    footer: { text: fitText(idLine(message), 100) },
    ...(timestamp !== null && { timestamp }),
  }
  return {
    content: contentOf(message),
    embeds: [...shown.slice(0, -1), foot],
    allowed_mentions: noMentions,
  }
}

/** Headline, what the case is, the cases of a digest, and what to do where it is the same for all. */
function contentOf(message: Message): string {
  const remedy = sharedRemedy(message)
  const lines = [
    `**${escapeTo(headlineOf(message), lineRoom)}**`,
    ...leadLines(message).map((line) => escapeTo(line, lineRoom)),
    ...(remedy === null ? [] : [`What to do: ${escapeTo(remedy, 400)}`]),
  ]
  const room = limits.content - lines.join('\n').length - 1
  return [...lines, ...takeCaseLines(message, room, caseText)].join('\n')
}

function caseText({ words, href }: CaseLine): string {
  const page = href === null ? '' : ` ${link('Case', href)}`
  return `• ${escapeTo(words, 300)}${page.length > 300 ? '' : page}`
}

const colors = {
  critical: 0xd32f2f,
  warning: 0xed6c02,
  info: 0x0288d1,
  well: 0x2e7d32,
  over: 0x757575,
} as const

function colorOf({ items, severity }: Pick<Message, 'items' | 'severity'>): number {
  const all = (...words: readonly MessageItem['status'][]) =>
    items.length > 0 && items.every(({ status }) => words.includes(status))
  if (all('resolved')) return colors.well
  return all('resolved', 'ended') ? colors.over : colors[severity]
}

function fullEmbeds(message: Message): Embed[] {
  return [
    ...listFull(message).map((item) => fullItem(message, item)),
    ...packEmbeds(
      message,
      briefItems(message).map((item) => briefText(message, item)),
      '\n',
    ),
  ]
}

function fullItem(message: Message, item: MessageItem): Embed {
  const saysHeadline = headlineOf(message).length <= lineRoom / 2
  const { verdict, when, hashes, remedy, facts } = itemParts(message, item, { saysHeadline })
  const lines = [
    ...(verdict === null ? [] : [`**${escapeTo(verdict, 1_000)}**`]),
    [escapeTo(when, 200), ...hashes.slice(0, 6).map(hashText)].join(' · '),
    ...(remedy === null ? [] : [`What to do: ${escapeTo(remedy, 600)}`]),
  ]
  return {
    description: lines.join('\n'),
    color: colorOf({ items: [item], severity: item.severity }),
    fields: facts.map(fieldOf),
  }
}

/** A link's words must not be code, or Discord shows its address. */
function hashText({ words, short, href }: HashPart): string {
  const name = escapeTo(words, 60)
  return href === null ? `${name} ${escapeTo(short, 120)}` : `${name} ${link(escapeTo(short, 120), href)}`
}

function briefText(message: Message, item: MessageItem): string {
  const { words, hashes } = briefParts(message, item)
  return `• ${[escapeTo(words, 300), ...hashes.slice(0, 2).map(hashText)].join(' · ')}`
}

/** Whole hashes to copy, addresses, evidence. Findings of a line each stand together. */
function detailEmbeds(message: Message, details: Details): Embed[] {
  const parts = message.items.map((item, index) => detailParts(message, item, { index, details }))
  const texts = parts.filter(({ line }) => line === null).map(detailText)
  const brief = parts.flatMap(({ line }) => (line === null ? [] : [escapeTo(line, 500)]))
  return [...packEmbeds(message, texts, '\n\n'), ...packEmbeds(message, brief, '\n')]
}

function detailText({ of, fields, origin, story }: DetailParts): string {
  const lines = [
    ...(of === null ? [] : [`**${escapeTo(of, 300)}**`]),
    ...fields.map(({ label, value }) => `${escapeTo(part(label, 60), 120)}: ${code(part(value), 500)}`),
    `${escapeTo(origin, 600)}${story === null ? '' : ` · ${link('Whole story', story)}`}`,
  ]
  return lines.join('\n')
}

/** The value as code: nothing formats there, and a hash can be copied as a whole. */
function fieldOf({ label, value }: ItemField): EmbedField {
  const name = escapeTo(part(label, 60), limits.fieldName) || '–'
  return { name, value: code(part(value), limits.fieldValue - 2), inline: false }
}

function code(value: string, room: number): string {
  const inside = value.replaceAll('`', "'").trim()
  return `\`${fitText(inside === '' ? '–' : inside, room)}\``
}

/** Several findings an embed, as many as its description takes. */
function compactEmbeds(message: Message, items: readonly MessageItem[], room: number): Embed[] {
  const { full, brief } = splitBrief(message, items)
  const texts = full.map((item) => {
    const [verdict = '', ...lines] = compactLines(item, room)
    return [`**${escapeTo(verdict, room * 2)}**`, ...lines.map((line) => escapeTo(line, room * 2))].join('\n')
  })
  const lines = brief.map((item) => escapeTo(fitText(briefWhole(message, item), room), room * 2))
  return [...packEmbeds(message, texts, '\n\n'), ...packEmbeds(message, lines, '\n')]
}

/** Texts in as few embeds as their descriptions take. */
function packEmbeds(message: Message, texts: readonly string[], between: string): Embed[] {
  const descriptions: string[] = []
  for (const text of texts) {
    const last = descriptions.at(-1)
    const joined = last === undefined ? text : `${last}${between}${text}`
    if (last !== undefined && joined.length <= limits.description)
      descriptions[descriptions.length - 1] = joined
    else descriptions.push(text)
  }
  return descriptions.map((description) => ({ description, color: colorOf(message) }))
}

/** The address went through `safeLink`, the words are ours. */
function link(words: string, href: string): string {
  return `[${words}](<${href.replaceAll('(', '%28').replaceAll(')', '%29')}>)`
}

/** All that formats, mentions, links or draws somewhere in a line; behind a backslash it is a character like others. */
const marks = /[\\`*_~|<>[\]()#@:+-]/

/**
 * Escapes text from outside for Discord's Markdown within so many UTF-16 units, cut at a character's boundary and never
 * inside an escape. Addresses are escaped too: without a colon they are no links.
 * @example escapeTo('<@1> *x*', 100) // '\\<\\@1\\> \\*x\\*'
 */
export function escapeTo(text: string, room: number): string {
  let escaped = ''
  for (const char of part(text)) {
    const next = marks.test(char) ? `\\${char}` : char
    if (escaped.length + next.length > room - 1) return `${escaped}…`
    escaped += next
  }
  return escaped
}
