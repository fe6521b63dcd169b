import type { Message, MessageItem } from './message.ts'
import {
  countUntold,
  fieldsOf,
  headlineOf,
  idLine,
  isSaidByHeadline,
  originLine,
  part,
  safeLink,
  storyLink,
  verdictLine,
} from './textParts.ts'

/** A message as lines of plain text: nothing invisible in it, nothing cut but over-long single strings. */
export interface TextBlocks {
  readonly head: readonly string[]
  /** One block of lines for each finding. */
  readonly items: readonly (readonly string[])[]
  readonly foot: readonly string[]
}

export interface TextOptions {
  /** Whether the findings that only the mail and the webhook list are listed too. */
  readonly withRest: boolean
}

/** The one wording of a message that mail, console and the plain form for Slack share. */
export function renderText(message: Message, options: TextOptions): TextBlocks {
  const told = options.withRest ? [...message.items, ...message.rest] : message.items
  const page = safeLink(message.pageUrl)
  const untold = countUntold(message.total, told.length)
  return {
    head: [headlineOf(message)],
    items: told.map((item) => itemLines(item, message)),
    foot: [
      ...(untold > 0 ? [`… and ${untold} more`] : []),
      ...(page === null ? [] : [`Status page: ${page}`]),
      idLine(message),
    ],
  }
}

/** Everything in one string, with an empty line between findings. */
export function joinText(blocks: TextBlocks): string {
  return [blocks.head, ...blocks.items, blocks.foot].map((lines) => lines.join('\n')).join('\n\n')
}

function itemLines(item: MessageItem, message: Message): string[] {
  const runbook = safeLink(item.runbook)
  const story = storyLink(message, item)
  return [
    ...(isSaidByHeadline(message) ? [] : [verdictLine(item)]),
    `  ${part(item.subject)}`,
    ...fieldsOf(item).map(
      (field) => `  ${part(field.label, 60)}: ${part(field.value) || '–'}${linkSuffix(field.href)}`,
    ),
    ...(item.remedy === null ? [] : [`  What to do: ${part(item.remedy, 300)}`]),
    ...(runbook === null ? [] : [`  Runbook: ${runbook}`]),
    ...(story === null ? [] : [`  Whole story: ${story}`]),
    `  ${originLine(item)}`,
  ]
}

function linkSuffix(href: string | null): string {
  const link = safeLink(href)
  return link === null ? '' : ` <${link}>`
}
