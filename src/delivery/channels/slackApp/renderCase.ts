import { formatDuration } from '../../../lib/duration.ts'
import { isObject } from '../../../lib/isObject.ts'
import { leadLine } from '../caseWords.ts'
import type { CaseChange, CaseNote, Message, MessageCase } from '../message.ts'
import {
  fallbackText,
  inertOptions,
  renderSlack,
  renderSlackPlain,
  type SlackHead,
  type SlackPayload,
  symbolOf,
  symbols,
} from '../renderSlack.ts'
import { headerBlocks, type SlackBlock, type SlackButton } from '../slackBlocks.ts'
import { plainText, toSlackText, unescapeSlack } from '../slackText.ts'
import { headlineOf, part, safeLink, verdictLine } from '../textParts.ts'

/** The blocks that say how a case stands are named so, and replaced when it changes; all others stay. */
const ownBlock = /^case-/
/** What buttons are called in what Slack says of a press. */
export const actionIds = { ack: 'case-ack', silence: 'case-silence', handle: 'case-handle' } as const

/** What a first message keeps while its case changes. */
export interface RootParts {
  /** The findings that it told. */
  readonly details: readonly SlackBlock[]
  /** What the one of them says, where the title says it in its place; null where it stands among the details. */
  readonly said: string | null
  /** Runbook, explorer and page. */
  readonly links: readonly SlackButton[]
}

export interface RootOptions {
  /** Whether somebody listens for presses. */
  readonly hasButtons: boolean
}

/** The first message of a case: how it stands, what can be done, and the findings that opened it. */
export function renderRoot(
  message: Message,
  of: MessageCase,
  options: RootOptions,
): { readonly payload: SlackPayload; readonly parts: RootParts } {
  const links = listLinks(message, of)
  const said = saidByTitle(message, headerText(of))
  const head: SlackHead = {
    blocks: [...headBlocks(of, links, options), ...sayMany(message, of)],
    saysHeadline: said !== null,
    saysLead: true,
  }
  const payload = renderSlack(message, head)
  const details = (payload.blocks ?? []).filter((block) => !isOwn(block))
  return { payload, parts: { details, said, links } }
}

/** The case's title is its worst finding: what is said of many together stands below it. */
function sayMany(message: Message, of: MessageCase): SlackBlock[] {
  const headline = headlineOf(message)
  if (message.total < 2 || headline === titleOf(of)) return []
  return [{ type: 'section', text: plainText(headline, 1_500) }]
}

/** The same message as its case stands now. */
export function renderRootAgain(of: MessageCase, parts: RootParts, options: RootOptions): SlackPayload {
  const blocks = [...headBlocks(of, parts.links, options), ...sayOne(of, parts), ...parts.details]
  return { text: toSlackText(titleOf(of), 600), blocks, ...inertOptions }
}

/** Facts beneath another finding's title would be read as that one's. */
function sayOne(of: MessageCase, { said }: RootParts): SlackBlock[] {
  if (said === null || headerText(of).includes(said)) return []
  return [{ type: 'section', text: plainText(said, 1_400) }]
}

/** What came of a case since: what was done with it, and new findings. */
export function renderReply(message: Message, of: MessageCase): SlackPayload {
  const lines = changeLines(message, of)
  const told: SlackBlock[] =
    lines.length === 0 ? [] : [{ type: 'section', text: plainText(lines.join('\n'), 2_800) }]
  if (message.items.length === 0) {
    const text = lines.length === 0 ? titleOf(of) : lines.join('\n')
    const blocks: SlackBlock[] = told.length > 0 ? told : [{ type: 'section', text: plainText(text, 1_500) }]
    return {
      ...renderSlack(message, { blocks, saysHeadline: true, saysLead: true }),
      text: toSlackText(text, 600),
    }
  }
  const header = `${symbolOf(message)} ${headlineOf(message)}`
  const saysHeadline = saidByTitle(message, header) !== null
  const blocks: SlackBlock[] = [...told, ...headerBlocks(header)]
  const text = [...lines.map((line) => toSlackText(line, 200)), fallbackText(message)].join('\n')
  return { ...renderSlack(message, { blocks, saysHeadline, saysLead: true }), text }
}

/** The plain form of either: after a refused message. */
export function renderCasePlain(message: Message, of: MessageCase): SlackPayload {
  const lines = changeLines(message, of)
    .map((line) => toSlackText(line, 300))
    .slice(0, 3)
  const payload = renderSlackPlain(message)
  return { ...payload, text: [...lines, payload.text].join('\n\n') }
}

/** All of it, with what was written; the words alone where that is not known any more. */
function changeLines({ changes, notes = [] }: Message, of: MessageCase): string[] {
  return changes.flatMap((change) => {
    const own = notes.filter(({ what }) => what === change)
    return own.length === 0 ? [changeLine(change, of)] : own.map(noteLine)
  })
}

const noteWords = {
  noted: '📝 Note',
  matched: '🧾 A break was matched',
  'written off': '🧾 A break was written off',
  'taken back': '🧾 An entry was taken back',
} as const satisfies Record<CaseNote['what'], string>

function noteLine({ what, by, text }: CaseNote): string {
  return `${noteWords[what]}${by === null ? '' : ` by ${part(by, 100)}`}: ${part(text)}`
}

/**
 * What happened to a case as a whole, in one line.
 * @example changeLine('acknowledged', of) // '👀 Acknowledged by ann'
 */
export function changeLine(change: CaseChange, of: MessageCase): string {
  const by = of.by === null ? '' : ` by ${part(of.by, 100)}`
  const why = of.reason === null ? '' : `: ${part(of.reason, 500)}`
  switch (change) {
    case 'acknowledged':
      return `👀 Acknowledged${by}${why}`
    case 'assigned':
      return of.assignee === null ? 'Assigned to nobody' : `👤 Assigned to ${part(of.assignee, 100)}`
    case 'noted':
      return '📝 A note was added'
    case 'matched':
    case 'written off':
    case 'taken back':
      return noteWords[change]
    case 'handled':
      return `✅ Handled${by}${why}`
    case 'closed':
      return `⚪ Closed${lasted(of)}`
    case 'opened again':
      return `${symbols[of.severity]} Opened again: ${titleOf(of)}`
    case 'merged':
      return `🔀 Went into ${of.mergedInto === null ? 'another case' : `case ${part(of.mergedInto, 40)}`}: what follows is told there`
  }
}

function lasted({ openedAt, closedAt }: MessageCase): string {
  return closedAt === null ? '' : ` after ${formatDuration(Math.max(closedAt - openedAt, 0))}`
}

/** A first message as Slack gives it back, when it is no longer known here; null where it is none of ours. */
export function readRootParts(given: unknown): RootParts | null {
  const blocks = Array.isArray(given) ? given.filter(isBlock) : []
  if (!blocks.some(isOwn)) return null
  const elements = blocks.flatMap((block) =>
    block.type === 'actions' && isOwn(block) && Array.isArray(block.elements) ? block.elements : [],
  )
  const details = blocks.filter((block) => !isOwn(block))
  return {
    details,
    // A finding that begins with when it was is said by the title.
    said: details[0]?.type === 'context' && details[0].block_id === 'finding-0' ? readTitle(blocks) : null,
    links: elements.filter((element) => isObject(element) && element.url !== undefined),
  }
}

/** The title without its symbol, put together again where a header could not hold it. */
function readTitle(blocks: readonly SlackBlock[]): string | null {
  const texts = blocks.flatMap((block) =>
    block.block_id?.startsWith('case-title') === true &&
    'text' in block &&
    typeof block.text?.text === 'string'
      ? [unescapeSlack(block.text.text)]
      : [],
  )
  const title = texts.join(' ').replace(' … … ', ' ')
  return title === '' ? null : title.slice(title.indexOf(' ') + 1)
}

/** It was sent from here, and goes back as it came: no more of it is looked at. */
function isBlock(value: unknown): value is SlackBlock {
  return isObject(value) && typeof value['type'] === 'string'
}

function isOwn({ block_id }: SlackBlock): boolean {
  return typeof block_id === 'string' && ownBlock.test(block_id)
}

function titleOf(of: MessageCase): string {
  return headlineOf({ headline: of.title, severity: of.severity })
}

/** What the one finding of a message says, where a title says it already. */
function saidByTitle(message: Message, title: string): string | null {
  const [item] = message.items
  if (item === undefined || message.total !== 1) return null
  const verdict = verdictLine(item)
  return title.includes(verdict) ? verdict : null
}

const stateSymbols = { acknowledged: '👀', handled: '✅', closed: '⚪' } as const

function headerText(of: MessageCase): string {
  const symbol = of.state === 'open' ? symbols[of.severity] : stateSymbols[of.state]
  return `${symbol} ${titleOf(of)}`
}

function headBlocks(of: MessageCase, links: readonly SlackButton[], options: RootOptions): SlackBlock[] {
  const elements = [...(options.hasButtons ? listButtons(of) : []), ...links]
  return [
    ...headerBlocks(headerText(of), 'case-title'),
    { type: 'section', block_id: 'case-facts', text: plainText(stateLine(of), 900) },
    ...(elements.length === 0
      ? []
      : [{ type: 'actions', block_id: 'case-actions', elements } satisfies SlackBlock]),
  ]
}

/** @example 'At risk: 1,250,000.5 USDC · 3 findings · case c42 · acknowledged by ann' */
function stateLine(of: MessageCase): string {
  return of.state === 'closed' && of.mergedInto === null ? `${leadLine(of)}${lasted(of)}` : leadLine(of)
}

/** What is left to do with a case in its state. */
function listButtons({ id, turn, state, transferKey }: MessageCase): SlackButton[] {
  if (state === 'handled' || state === 'closed') return []
  // As it is shown: a press on what opened again since is refused.
  const seen = `${id}-${turn}`
  const silence = button(actionIds.silence, 'Silence this transfer', seen)
  return [
    ...(state === 'open'
      ? [{ ...button(actionIds.ack, 'Acknowledge', seen), style: 'primary' } satisfies SlackButton]
      : []),
    ...(transferKey === null ? [] : [silence]),
    button(actionIds.handle, 'Handled', seen),
  ]
}

function button(actionId: string, words: string, value: string): SlackButton {
  return { type: 'button', action_id: actionId, text: plainText(words, 75), value }
}

function listLinks({ items }: Message, of: MessageCase): SlackButton[] {
  const runbook = firstLink(items.map((item) => item.runbook))
  const explorer = firstLink(items.flatMap((item) => item.fields.map(({ href }) => href)))
  const page = safeLink(of.url)
  return [
    ...(runbook === null ? [] : [linkButton('link-runbook', 'Runbook', runbook)]),
    ...(explorer === null ? [] : [linkButton('link-explorer', 'Explorer', explorer)]),
    ...(page === null ? [] : [linkButton('link-case', 'Case', page)]),
  ]
}

function firstLink(hrefs: readonly (string | null)[]): string | null {
  return hrefs.map(safeLink).find((href) => href !== null) ?? null
}

function linkButton(actionId: string, words: string, url: string): SlackButton {
  return { type: 'button', action_id: actionId, text: plainText(words, 75), url }
}
