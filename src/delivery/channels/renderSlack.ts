import type { Message, MessageItem } from './message.ts'
import { renderText } from './renderText.ts'
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

type SlackText = PlainText | MarkdownText

/** A button: one with `url` opens that, any other one is told to the app by its `action_id` and `value`. */
export interface SlackButton {
  readonly type: 'button'
  readonly action_id: string
  readonly text: PlainText
  readonly url?: string
  readonly value?: string
  readonly style?: 'primary' | 'danger'
}

export type SlackBlock = { readonly block_id?: string } & (
  | { readonly type: 'header'; readonly text: PlainText }
  | { readonly type: 'section'; readonly text?: SlackText; readonly fields?: SlackText[] }
  | { readonly type: 'context'; readonly elements: SlackText[] }
  | { readonly type: 'actions'; readonly elements: SlackButton[] }
  | { readonly type: 'divider' }
)

/** What stands above a message's findings, where it is not the headline alone. */
export interface SlackHead {
  readonly blocks: readonly SlackBlock[]
  /** Whether it says the headline in full, so that a single finding need not. */
  readonly saysHeadline: boolean
}

/** The body of one incoming-webhook request. */
export interface SlackPayload {
  /** For notifications and screen readers; the whole message in the plain form. */
  readonly text: string
  readonly blocks?: SlackBlock[]
  readonly mrkdwn: false
  readonly link_names: false
  readonly unfurl_links: false
  readonly unfurl_media: false
}

export const inertOptions = {
  mrkdwn: false,
  link_names: false,
  unfurl_links: false,
  unfurl_media: false,
} as const

export const symbols = { critical: '🔴', warning: '🟠', info: '🔵' } as const

/** What Slack takes of one message; its own limits, and ours where they are lower. */
const slackLimits = {
  /** The whole request body, in characters. */
  body: 13_000,
  blocks: 45,
  text: 3_000,
  fields: 10,
  field: 2_000,
  header: 150,
} as const

export interface PlainText {
  readonly type: 'plain_text'
  readonly text: string
  /** False: `:name:` in data stays what it is. */
  readonly emoji: false
}

interface MarkdownText {
  readonly type: 'mrkdwn'
  readonly text: string
  /** True: Slack links no names and addresses by itself. */
  readonly verbatim: true
}

// Characters that JSON or Slack's escaping makes longer, with what one of them costs in the request body.
const costs: Readonly<Record<string, number>> = { '&': 5, '<': 4, '>': 4, '"': 2, '\\': 2, '\n': 2 }

/**
 * A message in Block Kit, always within Slack's limits: each finding in full while all of them fit, then each in one
 * block of shrinking size, and only then fewer of them with the true count of the rest.
 */
export function renderSlack(message: Message, head: SlackHead = headlineAlone(message)): SlackPayload {
  const full = assemble(
    message,
    head,
    message.items.flatMap((item) => fullItem(message, item, head.saysHeadline)),
    message.items.length,
  )
  if (fits(full)) return full
  // What one more compact finding costs beyond its text, and what the line `… and 312 more` does.
  const wrapping = 76
  const shared = sharedRemedy(message)
  const room = slackLimits.body - JSON.stringify(assemble(message, head, shared)).length - 100
  const most = Math.min(message.items.length, slackLimits.blocks - 2 - head.blocks.length - shared.length)
  for (let count = most; count > 0; count -= 1) {
    const budget = Math.min(Math.floor(room / count) - wrapping, slackLimits.text)
    // Less than this cannot hold two hashes and what they are about.
    if (budget < 280 && count > 1) continue
    const items = message.items.slice(0, count).map((item) => compactItem(item, budget))
    const compact = assemble(message, head, [...shared, ...items], items.length)
    if (fits(compact)) return compact
  }
  return assemble(message, head, [])
}

function headlineAlone(message: Message): SlackHead {
  const text = plainText(`${symbolOf(message)} ${headlineOf(message)}`, slackLimits.header)
  return { blocks: [{ type: 'header', text }], saysHeadline: isSaidByHeader(message) }
}

/** The plain form: after a refused message, text alone and at most 3,000 characters of it. */
export function renderSlackPlain(message: Message): SlackPayload {
  const blocks = renderText(message, { withRest: false })
  const head = toSlackText(blocks.head.join('\n'), 600)
  const foot = toSlackText(idLine(message), 100)
  const told: string[] = []
  // 40 for the line that counts what is left out.
  let left = slackLimits.text - head.length - foot.length - 40
  for (const lines of blocks.items) {
    const text = toSlackText(lines.join('\n'), Math.max(left - 2, 0))
    if (told.length > 0 && slackCost(lines.join('\n')) > left - 2) break
    told.push(text)
    left -= text.length + 2
  }
  const untold = countUntold(message.total, told.length)
  const more = untold > 0 ? [`… and ${untold} more`] : []
  return { text: [head, ...told, ...more, foot].join('\n\n'), ...inertOptions }
}

function fits(payload: SlackPayload): boolean {
  return (
    (payload.blocks?.length ?? 0) <= slackLimits.blocks && JSON.stringify(payload).length <= slackLimits.body
  )
}

function assemble(message: Message, head: SlackHead, body: readonly SlackBlock[], told = 0): SlackPayload {
  const untold = countUntold(message.total, told)
  const page = safeLink(message.pageUrl)
  const foot: SlackText[] = [plainText(idLine(message), 100)]
  if (page !== null) foot.push(markdown(link(page, 'Status page')))
  return {
    text: fallbackText(message),
    blocks: [
      ...head.blocks,
      ...body,
      ...(untold > 0
        ? [{ type: 'section', text: plainText(`… and ${untold} more`, 100) } satisfies SlackBlock]
        : []),
      { type: 'context', elements: foot },
    ],
    ...inertOptions,
  }
}

export function symbolOf(message: Message): string {
  const all = (...words: readonly MessageItem['status'][]) =>
    message.items.length > 0 && message.items.every(({ status }) => words.includes(status))
  if (all('resolved')) return '🟢'
  // Over, and not well: neither good news nor a new accusation.
  return all('resolved', 'ended') ? '⚪' : symbols[message.severity]
}

export function fallbackText(message: Message): string {
  const lines = isSaidByHeadline(message)
    ? message.items.map((item) => part(item.subject, 200))
    : message.items.slice(0, 3).map((item) => `• ${part(item.summary, 120)}`)
  return toSlackText([headlineOf(message), ...lines].join('\n'), 600)
}

/** The header is short: what does not fit there is said in full below it. */
function isSaidByHeader(message: Message): boolean {
  return isSaidByHeadline(message) && slackCost(headlineOf(message)) + 4 <= slackLimits.header
}

function fullItem(message: Message, item: MessageItem, isSaid: boolean): SlackBlock[] {
  const summary = isSaid ? '' : `${toSlackText(verdictLine(item), 1_400)}\n`
  const subject = toSlackText(part(item.subject), 1_100)
  const remedy = item.remedy === null ? '' : `\nWhat to do: ${toSlackText(part(item.remedy, 300), 400)}`
  const text: PlainText = { type: 'plain_text', text: `${summary}${subject}${remedy}`, emoji: false }
  const fields = fieldsOf(item).map(fieldText)
  const origin: SlackText[] = [plainText(originLine(item), 400)]
  const runbook = safeLink(item.runbook)
  if (runbook !== null) origin.push(markdown(link(runbook, 'Runbook')))
  const story = storyLink(message, item)
  if (story !== null) origin.push(markdown(link(story, 'Whole story')))
  return [
    { type: 'divider' },
    { type: 'section', text, ...(fields.length > 0 ? { fields: fields.slice(0, slackLimits.fields) } : {}) },
    ...chunks(fields.slice(slackLimits.fields), slackLimits.fields).map(
      (some): SlackBlock => ({ type: 'section', fields: some }),
    ),
    { type: 'context', elements: origin },
  ]
}

/** Label and value, the value as code: data never formats, and a hash can be copied as a whole. */
function fieldText(field: MessageItem['fields'][number]): SlackText {
  const label = toSlackText(part(field.label.replace(/[*_~`]/g, ' '), 60) || 'Field', 200)
  const href = safeLink(field.href)
  const suffix = href === null ? '' : `\n${link(href, 'open')}`
  const room = slackLimits.field - label.length - suffix.length - 10
  return markdown(`*${label}*\n${codeSpan(part(field.value), Math.min(room, 1_000))}${suffix}`)
}

/** One block for one finding: the subject, with its hashes, has the first claim on the room. */
function compactItem(item: MessageItem, budget: number): SlackBlock {
  const subject = toSlackText(part(item.subject), Math.floor(budget * 0.65))
  const summary = toSlackText(
    verdictLine(item),
    Math.max(budget - slackLength(subject) - 4, Math.floor(budget * 0.3)),
  )
  const rest = budget - slackLength(subject) - slackLength(summary) - 6
  const more = rest < 40 ? '' : toSlackText(untoldFields(item), rest)
  const text = [summary, subject, more].filter((line) => line !== '').join('\n')
  return { type: 'section', text: { type: 'plain_text', text, emoji: false } }
}

/** What to do is said once where it is the same for all: findings of one kind. */
function sharedRemedy({ items }: Message): SlackBlock[] {
  const remedies = [...new Set(items.flatMap(({ remedy }) => (remedy === null ? [] : [remedy])))]
  const [only] = remedies
  return only === undefined || remedies.length > 1
    ? []
    : [{ type: 'section', text: plainText(`What to do: ${only}`, 400) }]
}

/** What summary and subject do not say already. */
function untoldFields(item: MessageItem): string {
  return fieldsOf(item)
    .filter((field) => !item.summary.includes(field.value) && !item.subject.includes(field.value))
    .map((field) => `${part(field.label, 60)} ${part(field.value)}`)
    .join(' · ')
}

/** The room that text takes once it is escaped for Slack: JSON still doubles quotes and backslashes. */
function slackLength(escaped: string): number {
  return JSON.stringify(escaped).length - 2
}

/** An active link: the address went through `safeLink`, the words are ours. */
function link(href: string, words: string): string {
  return `<${escapeSlack(href)}|${words}>`
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  )
}

/** How many characters of the request body a text takes once it is escaped. */
export function slackCost(text: string): number {
  let cost = 0
  for (const char of text) cost += costs[char] ?? char.length
  return cost
}

/**
 * Escapes text from outside for Slack and cuts it so that it costs at most `maxCost`, at a character's boundary and
 * never inside an escape. Mentions, channels and links exist only between real angle brackets: none are left.
 * @example toSlackText('<!channel> & co', 100) // '&lt;!channel&gt; &amp; co'
 */
export function toSlackText(text: string, maxCost: number): string {
  return escapeSlack(slackCost(text) <= maxCost ? text : cutByCost(text, maxCost))
}

/** `&` first, or the entities of the other two would be escaped again. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Text from outside where Slack formats nothing. */
export function plainText(text: string, maxCost: number): PlainText {
  return { type: 'plain_text', text: toSlackText(text === '' ? '–' : text, maxCost), emoji: false }
}

export function markdown(text: string): MarkdownText {
  return { type: 'mrkdwn', text, verbatim: true }
}

/** A value as code: nothing formats inside it, and no backtick of the value ends it. */
export function codeSpan(value: string, maxCost: number): string {
  const inert = value.replaceAll('`', "'").trim()
  return `\`${toSlackText(inert === '' ? '–' : inert, maxCost - 2)}\``
}

function cutByCost(text: string, maxCost: number): string {
  let kept = ''
  let cost = 1 // the ellipsis
  for (const char of text) {
    cost += costs[char] ?? char.length
    if (cost > maxCost) break
    kept += char
  }
  return `${kept}…`
}
