import { leadLines } from './caseWords.ts'
import { compactLines, fitMessage } from './fitMessage.ts'
import type { ItemField, Message, MessageItem } from './message.ts'
import {
  briefItems,
  briefParts,
  briefWhole,
  caseLines,
  type DetailParts,
  detailParts,
  type Details,
  fullItems as listFull,
  type HashPart,
  itemParts,
  listLinks,
  sharedRemedy,
  splitBrief,
  untoldLine,
} from './messageParts.ts'
import { countUntold, fitText, headlineOf, idLine, part, safeLink } from './textParts.ts'

interface OpenUrl {
  readonly type: 'Action.OpenUrl'
  readonly title?: string
  readonly url: string
}

/** Text as it is: unlike every other element of a card it knows no Markdown, so that no text can format or link. */
interface TextRun {
  readonly type: 'TextRun'
  readonly text: string
  readonly weight?: 'Bolder'
  readonly size?: 'Large' | 'Small'
  readonly color?: 'Attention' | 'Warning' | 'Accent' | 'Good'
  readonly isSubtle?: true
  readonly fontType?: 'Monospace'
  readonly selectAction?: OpenUrl
}

interface RichTextBlock {
  readonly type: 'RichTextBlock'
  readonly separator?: true
  readonly inlines: readonly TextRun[]
}

interface AdaptiveCard {
  readonly $schema: 'http://adaptivecards.io/schemas/adaptive-card.json'
  readonly type: 'AdaptiveCard'
  readonly version: '1.4'
  /** For clients that show no cards. */
  readonly fallbackText: string
  readonly msteams: { readonly width: 'Full' }
  readonly body: readonly RichTextBlock[]
  readonly actions?: readonly OpenUrl[]
}

/** The body of one request. */
interface TeamsMessage {
  readonly type: 'message'
  readonly attachments: readonly [
    {
      readonly contentType: 'application/vnd.microsoft.card.adaptive'
      readonly contentUrl: null
      readonly content: AdaptiveCard
    },
  ]
}

/**
 * Teams takes 28 kB, of which we leave some; some ways to it count each character as two bytes, so the whole has to be
 * within the limit by either count.
 */
const mostBytes = 27_000
const limits = { headline: 300, plain: 3_000, field: 500 } as const

/** A message as an adaptive card, always within the size that Teams takes. */
export function renderTeams(message: Message): TeamsMessage {
  return fitMessage({
    message,
    full: (details) => frame(message, fullItems(message, details), message.items.length),
    compact: (items, room) => frame(message, compactItems(message, items, room), items.length),
    fits: (rendered) => {
      const text = JSON.stringify(rendered)
      return text.length * 2 <= mostBytes && Buffer.byteLength(text) <= mostBytes
    },
  })
}

/** The plain form: after a refused message, a card of text alone. */
export function renderTeamsPlain(message: Message): TeamsMessage {
  const [first] = message.items
  const lines = first === undefined ? [] : compactLines(first, limits.plain)
  const untold = countUntold(message.total, first === undefined ? 0 : 1)
  const text = [
    fitText(headlineOf(message), limits.headline),
    ...lines,
    ...(untold > 0 ? [`… and ${untold} more`] : []),
    idLine(message),
  ]
  return toMessage(
    message,
    text.map((line) => block(run(line))),
  )
}

function toMessage(
  message: Message,
  body: readonly RichTextBlock[],
  actions: readonly OpenUrl[] = [],
): TeamsMessage {
  const content: AdaptiveCard = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: inert(fitText(headlineOf(message), limits.headline)),
    msteams: { width: 'Full' },
    body,
    ...(actions.length > 0 && { actions }),
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
}

function frame(message: Message, body: readonly RichTextBlock[], told: number): TeamsMessage {
  const untold = untoldLine(message, told)
  const remedy = sharedRemedy(message)
  const head = run(fitText(headlineOf(message), limits.headline), {
    weight: 'Bolder',
    size: 'Large',
    color: colorOf(message),
  })
  return toMessage(
    message,
    [
      block(head),
      ...leadLines(message).map((line) => block(run(fitText(line, limits.field)))),
      ...caseLines(message).map(({ words, href }) => block(run(fitText(words, limits.field), linked(href)))),
      ...(remedy === null ? [] : [block(run(`What to do: ${remedy}`))]),
      ...body,
      ...(untold === null ? [] : [block(run(untold, { weight: 'Bolder' }))]),
      block(run(idLine(message), { isSubtle: true })),
    ],
    listLinks(message).map(({ words, href }) => open(words, href)),
  )
}

function linked(href: string | null): Pick<TextRun, 'selectAction'> {
  return href === null ? {} : { selectAction: { type: 'Action.OpenUrl', url: href } }
}

const colors = { critical: 'Attention', warning: 'Warning', info: 'Accent' } as const

function colorOf({ items, severity }: Message): NonNullable<TextRun['color']> {
  const isWell = items.length > 0 && items.every(({ status }) => status === 'resolved')
  return isWell ? 'Good' : colors[severity]
}

function open(title: string, url: string): OpenUrl {
  return { type: 'Action.OpenUrl', title, url }
}

/** All findings and, below all of them, their details. */
function fullItems(message: Message, details: Details): RichTextBlock[] {
  const briefs = briefItems(message).flatMap((item) => briefRuns(message, item))
  return [
    ...listFull(message).map((item) => fullItem(message, item)),
    ...(briefs.length === 0 ? [] : [{ ...block(...briefs), separator: true as const }]),
    ...detailBlocks(message, details),
  ]
}

function fullItem(message: Message, item: MessageItem): RichTextBlock {
  const saysHeadline = headlineOf(message).length <= limits.headline
  const { verdict, when, hashes, remedy, facts } = itemParts(message, item, { saysHeadline })
  return {
    ...block(
      ...(verdict === null ? [] : [run(`${verdict}\n`, { weight: 'Bolder' })]),
      run(when, { isSubtle: true }),
      ...hashes.flatMap(hashRuns),
      ...(remedy === null ? [] : [run(`\nWhat to do: ${remedy}`)]),
      ...facts.flatMap(fieldRuns),
    ),
    separator: true,
  }
}

const subtle = { isSubtle: true } as const

function hashRuns({ words, short, href }: HashPart): TextRun[] {
  return [
    run(` · ${words} `, subtle),
    run(short, href === null ? subtle : { fontType: 'Monospace', ...linked(href) }),
  ]
}

function fieldRuns({ label, value, href }: ItemField): TextRun[] {
  const text = part(value, limits.field) || '–'
  return [
    run(`\n${part(label, 60) || 'Field'}: `, { weight: 'Bolder' }),
    run(text, { ...(isHex(text) && { fontType: 'Monospace' }), ...linked(safeLink(href)) }),
  ]
}

function isHex(text: string): boolean {
  return /^0x[0-9a-f]{8,}$/i.test(text)
}

function briefRuns(message: Message, item: MessageItem): TextRun[] {
  const { words, hashes } = briefParts(message, item)
  return [run(`• ${words}`), ...hashes.flatMap(hashRuns), run('\n')]
}

const small = { isSubtle: true, size: 'Small' } as const

/** Small, at the card's end: whole hashes to copy, addresses, evidence. Findings of a line each stand together. */
function detailBlocks(message: Message, details: Details): RichTextBlock[] {
  const parts = message.items.map((item, index) => detailParts(message, item, { index, details }))
  const lines = parts.flatMap(({ line }) => (line === null ? [] : [line]))
  return [
    ...parts.filter(({ line }) => line === null).map(detailBlock),
    ...(lines.length === 0 ? [] : [{ ...block(run(lines.join('\n'), small)), separator: true as const }]),
  ]
}

function detailBlock({ of, fields, origin, story }: DetailParts): RichTextBlock {
  const lines = [
    ...(of === null ? [] : [of]),
    ...fields.map(({ label, value }) => `${part(label, 60)}: ${part(value, limits.field) || '–'}`),
  ]
  return {
    ...block(
      ...(lines.length === 0 ? [] : [run(`${lines.join('\n')}\n`, small)]),
      run(origin, { ...small, ...linked(story) }),
    ),
    separator: true,
  }
}

function compactItems(message: Message, items: readonly MessageItem[], room: number): RichTextBlock[] {
  const { full, brief } = splitBrief(message, items)
  const lines = brief.map((item) => fitText(briefWhole(message, item), room))
  return [
    ...full.map((item) => compactItem(item, room)),
    ...(lines.length === 0 ? [] : [{ ...block(run(lines.join('\n'))), separator: true as const }]),
  ]
}

function compactItem(item: MessageItem, room: number): RichTextBlock {
  const [verdict = '', ...lines] = compactLines(item, room)
  return {
    ...block(run(verdict, { weight: 'Bolder' }), ...lines.map((line) => run(`\n${line}`))),
    separator: true,
  }
}

function block(...inlines: readonly TextRun[]): RichTextBlock {
  return { type: 'RichTextBlock', inlines }
}

function run(text: string, style: Omit<TextRun, 'type' | 'text'> = {}): TextRun {
  return { type: 'TextRun', text: inert(text), ...style }
}

/** Cards put a date in the place of `{{DATE(…)}}`, and Teams a person in that of `<at>`. */
function inert(text: string): string {
  return text.replace(/\{(?=\{)/g, '{ ').replace(/<(?=\/?at\b)/gi, '‹')
}
