import { leadLines } from './caseWords.ts'
import type { ItemField, Message, MessageItem } from './message.ts'
import {
  briefItems,
  briefParts,
  caseLines,
  detailParts,
  fullItems,
  type HashPart,
  itemParts,
  listLinks,
  sharedRemedy,
  untoldLine,
} from './messageParts.ts'
import { headlineOf, idLine, part, safeLink } from './textParts.ts'

/** A message as lines of plain text: nothing invisible in it, nothing cut but over-long single strings. */
export interface TextBlocks {
  readonly head: readonly string[]
  /** One block of lines for each finding: what is to be read of it. */
  readonly items: readonly (readonly string[])[]
  /** Where to go, and how many are not shown. */
  readonly links: readonly string[]
  /** All else that is known of the same findings, in the same order. */
  readonly details: readonly (readonly string[])[]
  readonly foot: readonly string[]
}

export interface TextOptions {
  /** Whether the findings that only the mail and the webhook list are listed too. */
  readonly withRest: boolean
}

/** The one wording of a message that mail, console and the plain form for Slack share. */
export function renderText(message: Message, options: TextOptions): TextBlocks {
  const rest = options.withRest ? message.rest : []
  const remedy = sharedRemedy(message)
  const briefs = [...briefItems(message), ...rest]
  const untold = untoldLine(message, message.items.length + rest.length)
  return {
    head: [
      headlineOf(message),
      ...leadLines(message),
      ...caseLines(message).map(({ words, href }) => `- ${words}${linkSuffix(href)}`),
      ...(remedy === null ? [] : [`What to do: ${remedy}`]),
    ],
    items: [
      ...fullItems(message).map((item) => itemLines(item, message)),
      ...briefs.map((item) => [briefLine(item, message)]),
    ],
    links: [
      ...(untold === null ? [] : [untold]),
      // The explorer stands beside each hash.
      ...listLinks(message)
        .filter(({ words }) => words !== 'Explorer')
        .map(({ words, href }) => `${words}: ${href}`),
    ],
    details: [...message.items, ...rest].map((item, index) => detailLines(item, message, index)),
    foot: [idLine(message)],
  }
}

/** Everything in one string: what is to be read, then where to go, then the details. */
export function joinText({ head, items, links, details, foot }: TextBlocks): string {
  const blocks = [head, ...joinBriefs(items), links]
  const known = details.filter((lines) => lines.length > 0)
  const lines = known.filter(({ length }) => length === 1).flat()
  const below = [...known.filter(({ length }) => length > 1), ...(lines.length > 0 ? [lines] : [])]
  const [first, ...others] = below
  return [...blocks, ...(first ? [['details:', ...first], ...others] : []), foot]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

/** Findings of a line each stand together. */
function joinBriefs(items: TextBlocks['items']): (readonly string[])[] {
  const isBrief = ([first = '']: readonly string[]) => first.startsWith('- ')
  const briefs = items.filter(isBrief).flat()
  return [...items.filter((lines) => !isBrief(lines)), ...(briefs.length > 0 ? [briefs] : [])]
}

function itemLines(item: MessageItem, message: Message): string[] {
  const { verdict, when, hashes, remedy, facts } = itemParts(message, item)
  return [
    ...(verdict === null ? [] : [verdict]),
    `  ${[when, ...hashes.map(hashText)].join(' · ')}`,
    ...(remedy === null ? [] : [`  What to do: ${remedy}`]),
    ...facts.map((field) => `  ${fieldText(field)}`),
  ]
}

function briefLine(item: MessageItem, message: Message): string {
  const { words, hashes } = briefParts(message, item)
  return `- ${[words, ...hashes.map(({ words: chain, short }) => `${chain} ${short}`)].join(' · ')}`
}

function hashText({ words, short, href }: HashPart): string {
  return `${words} ${short}${linkSuffix(href)}`
}

function detailLines(item: MessageItem, message: Message, index: number): string[] {
  const { of, line, fields, origin, story } = detailParts(message, item, { index })
  if (line !== null) return [`  ${line}`]
  return [
    ...(of === null ? [] : [of]),
    ...fields.map(
      (field) => `  ${fieldText({ ...field, href: field.place === 'hash' ? null : field.href })}`,
    ),
    `  ${origin}`,
    ...(story === null ? [] : [`  Whole story: ${story}`]),
  ]
}

function fieldText({ label, value, href }: ItemField): string {
  return `${part(label, 60)}: ${part(value) || '–'}${linkSuffix(href)}`
}

function linkSuffix(href: string | null): string {
  const link = safeLink(href)
  return link === null ? '' : ` <${link}>`
}
