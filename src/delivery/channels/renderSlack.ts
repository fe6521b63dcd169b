import type { Message, MessageItem } from './message.ts'
import { leadLines } from './caseWords.ts'
import {
  briefItems,
  briefParts,
  caseLines,
  detailParts,
  type Details,
  fullItems,
  type HashPart,
  itemParts,
  listLinks,
  sharedRemedy,
  untoldLine,
} from './messageParts.ts'
import { headerBlocks, type SlackBlock } from './slackBlocks.ts'
import { renderText } from './renderText.ts'
import { codeSpan, link, markdown, plainText, slackCost, slackLength, toSlackText } from './slackText.ts'
import {
  countUntold,
  fieldsOf,
  headlineOf,
  idLine,
  isSaidByHeadline,
  noHash,
  part,
  safeLink,
  verdictLine,
} from './textParts.ts'

/** What stands above a message's findings, where it is not the headline alone. */
export interface SlackHead {
  readonly blocks: readonly SlackBlock[]
  /** Whether it says the headline in full, so that a single finding need not. */
  readonly saysHeadline: boolean
  /** Whether it says what stands beneath the headline of a case, and has its links. */
  readonly saysLead?: true
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
} as const

/** One section's text, with room for what JSON adds. */
const packedRoom = 2_800
/** All details of one finding. */
const detailRoom = 1_900

/**
 * A message in Block Kit, always within Slack's limits: each finding in full with all its details, then with its hashes
 * alone for details, then each in one block of shrinking size, and only then fewer of them with the true count of the rest.
 */
export function renderSlack(message: Message, head: SlackHead = headlineAlone(message)): SlackPayload {
  const body = [
    ...fullItems(message).flatMap((item, index) => fullItem(message, item, { index, head })),
    ...briefBlocks(message),
  ]
  for (const details of ['all', 'hashes'] as const) {
    const told = { told: message.items.length, details: detailBlocks(message, details) }
    const full = assemble(message, head, [...sharedBlock(message), ...body], told)
    if (fits(full)) return full
  }
  return renderCompact(message, head)
}

function renderCompact(message: Message, head: SlackHead): SlackPayload {
  // What one more compact finding costs beyond its text, and what the line `… and 312 more` does.
  const wrapping = 102
  const shared = sharedBlock(message)
  const empty = assemble(message, head, shared, { told: 0, details: [] })
  const room = slackLimits.body - JSON.stringify(empty).length - 100
  const most = Math.min(message.items.length, slackLimits.blocks - (empty.blocks?.length ?? 0) - 1)
  for (let count = most; count > 0; count -= 1) {
    const budget = Math.min(Math.floor(room / count) - wrapping, slackLimits.text)
    // Less than this cannot hold two hashes and what they are about.
    if (budget < 280 && count > 1) continue
    const items = message.items.slice(0, count).map((item, index) => compactItem(item, budget, index))
    const compact = assemble(message, head, [...shared, ...items], { told: items.length, details: [] })
    if (fits(compact)) return compact
  }
  return assemble(message, head, [], { told: 0, details: [] })
}

function headlineAlone(message: Message): SlackHead {
  const headline = `${symbolOf(message)} ${headlineOf(message)}`
  return { blocks: headerBlocks(headline), saysHeadline: isSaidByHeadline(message) }
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

function assemble(
  message: Message,
  head: SlackHead,
  body: readonly SlackBlock[],
  { told, details }: { readonly told: number; readonly details: readonly SlackBlock[] },
): SlackPayload {
  const untold = untoldLine(message, told)
  const links = (head.saysLead === true ? [] : listLinks(message)).map(({ words, href }) =>
    markdown(link(href, words)),
  )
  return {
    text: fallbackText(message),
    blocks: [
      ...head.blocks,
      ...(head.saysLead === true ? [] : leadBlocks(message)),
      ...caseBlocks(message),
      ...body,
      ...(untold === null ? [] : [{ type: 'section', text: plainText(untold, 150) } satisfies SlackBlock]),
      ...(links.length === 0 ? [] : [{ type: 'context', elements: links } satisfies SlackBlock]),
      ...details,
      { type: 'context', elements: [plainText(idLine(message), 100)] },
    ],
    ...inertOptions,
  }
}

function leadBlocks(message: Message): SlackBlock[] {
  const lines = leadLines(message)
  return lines.length === 0 ? [] : [{ type: 'section', text: plainText(lines.join('\n'), 900) }]
}

/** The cases of a digest, a line each. */
function caseBlocks(message: Message): SlackBlock[] {
  const lines = caseLines(message).map(({ words, href }) => {
    const page = href === null ? '' : ` ${link(href, 'Case')}`
    return `• ${codeSpan(words, 260)}${page}`
  })
  return packLines(lines, packedRoom).map((text): SlackBlock => ({ type: 'section', text: markdown(text) }))
}

/** Lines in as few texts as Slack's sections take. */
function packLines(lines: readonly string[], room: number): string[] {
  const packed: string[] = []
  for (const line of lines) {
    const last = packed.at(-1)
    const joined = last === undefined ? line : `${last}\n${line}`
    if (last !== undefined && slackLength(joined) <= room) packed[packed.length - 1] = joined
    else packed.push(line)
  }
  return packed
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

function fullItem(
  message: Message,
  item: MessageItem,
  { index, head }: { readonly index: number; readonly head: SlackHead },
): SlackBlock[] {
  const parts = itemParts(message, item)
  const isSaid = head.saysHeadline
  const { when, hashes, remedy, facts } = parts
  const verdict: SlackBlock[] = isSaid ? [] : [{ type: 'section', text: plainText(verdictLine(item), 1_400) }]
  const [first, ...others]: SlackBlock[] = [
    ...(index > 0 ? [{ type: 'divider' } satisfies SlackBlock] : []),
    ...verdict,
    {
      type: 'context',
      elements: [plainText(when, 200), ...hashes.slice(0, 8).map((one) => markdown(hashText(one)))],
    },
    ...(remedy === null
      ? []
      : [{ type: 'section', text: plainText(`What to do: ${remedy}`, 400) } satisfies SlackBlock]),
    ...(facts.length === 0
      ? []
      : [{ type: 'section', text: markdown(facts.map(factLine).join('\n')) } satisfies SlackBlock]),
  ]
  return first === undefined ? [] : [{ ...first, block_id: `finding-${index}` }, ...others]
}

/** Words that are ours and the short form of a hash, linked where it can be looked at. */
function hashText({ words, short, href }: HashPart): string {
  const label = toSlackText(words.replace(/[*_~`]/g, ' '), 60)
  return `${label} ${href !== null ? link(href, short) : short === noHash ? short : codeSpan(short, 120)}`
}

/** Many of one kind: a line each. */
function briefBlocks(message: Message): SlackBlock[] {
  const lines = briefItems(message).map((item) => {
    const { words, hashes } = briefParts(message, item)
    return `• ${codeSpan(words, 200)} ${hashes.slice(0, 2).map(hashText).join(' · ')}`
  })
  return packLines(lines, packedRoom).map((text): SlackBlock => ({ type: 'section', text: markdown(text) }))
}

/** All else that is known of the findings, at the message's end: whole hashes first, for copying. */
function detailBlocks(message: Message, details: Details): SlackBlock[] {
  const texts = message.items.map((item, index) => {
    const { of, line, fields, origin, story } = detailParts(message, item, { index, details })
    if (line !== null) return toSlackText(line, detailRoom)
    const lines = [
      ...(of === null ? [] : [of]),
      ...fields.map(({ label, value }) => `${part(label, 60)}: ${part(value) || '–'}`),
      origin,
      ...(story === null ? [] : [`Whole story: ${story}`]),
    ]
    return toSlackText(lines.join('\n'), detailRoom)
  })
  return packLines(texts, detailRoom).map(
    (text): SlackBlock => ({
      type: 'context',
      elements: [{ type: 'plain_text', text: text || '–', emoji: false }],
    }),
  )
}

/** Of one finding's facts, at most four. */
const factRoom = 700

/** Label and value, the value as code: data never formats, and a hash can be copied as a whole. */
function factLine(field: MessageItem['fields'][number]): string {
  const label = toSlackText(part(field.label.replace(/[*_~`]/g, ' '), 60) || 'Field', 200)
  const href = safeLink(field.href)
  const linked = href === null ? '' : ` ${link(href, 'open')}`
  const suffix = linked.length > factRoom / 2 ? '' : linked
  const room = factRoom - label.length - suffix.length
  return `*${label}:* ${codeSpan(part(field.value), room)}${suffix}`
}

/** One block for one finding: the subject, with its hashes, has the first claim on the room. */
function compactItem(item: MessageItem, budget: number, index: number): SlackBlock {
  const subject = toSlackText(part(item.subject), Math.floor(budget * 0.65))
  const summary = toSlackText(
    verdictLine(item),
    Math.max(budget - slackLength(subject) - 4, Math.floor(budget * 0.3)),
  )
  const rest = budget - slackLength(subject) - slackLength(summary) - 6
  const more = rest < 40 ? '' : toSlackText(untoldFields(item), rest)
  const text = [summary, subject, more].filter((line) => line !== '').join('\n')
  return { type: 'section', block_id: `finding-${index}`, text: { type: 'plain_text', text, emoji: false } }
}

/** What to do is said once where it is the same for all: findings of one kind. */
function sharedBlock(message: Message): SlackBlock[] {
  const remedy = sharedRemedy(message)
  return remedy === null ? [] : [{ type: 'section', text: plainText(`What to do: ${remedy}`, 400) }]
}

/** What summary and subject do not say already. */
function untoldFields(item: MessageItem): string {
  return fieldsOf(item)
    .filter((field) => !item.summary.includes(field.value) && !item.subject.includes(field.value))
    .map((field) => `${part(field.label, 60)} ${part(field.value)}`)
    .join(' · ')
}
