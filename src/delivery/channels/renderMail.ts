import { html } from 'hono/html'
import { mailFrame, type Markup } from './mailFrame.ts'
import { mailStyles } from './mailStyles.ts'
import type { Message, MessageItem } from './message.ts'
import { joinText, renderText } from './renderText.ts'
import {
  countUntold,
  fieldsOf,
  headlineOf,
  idLine,
  originLine,
  part,
  safeLink,
  statusLine,
  storyLink,
  verdictLine,
} from './textParts.ts'

/** What a mail says; who gets it is the channel's. */
export interface Mail {
  readonly subject: string
  readonly text: string
  readonly html?: string
}

/**
 * A message as a mail: the same content as text and as HTML, with all findings, also those that other channels only
 * count. No remote content; tables and inline styles, because mail clients drop the rest.
 */
export function renderMail(message: Message): Mail {
  return { ...renderPlainMail(message), html: page(message) }
}

/** The text part alone: for a mail that could not be rendered. */
export function renderPlainMail(message: Message): Mail {
  return { subject: subjectOf(message), text: `${joinText(renderText(message, { withRest: true }))}\n` }
}

/** What every mail server takes. */
const shortLength = 100_000

/** For a mail that was refused: text alone, as many findings as fit, and the true count of the others. */
export function renderShortMail(message: Message): Mail {
  const { head, items, foot } = renderText(message, { withRest: true })
  let left = shortLength
  const told = items.filter((lines, index) => {
    left -= lines.join('\n').length + 2
    return index === 0 || left > 0
  })
  const more = countUntold(message.total, told.length)
  const counted = more > 0 ? [`… and ${more} more: this mail was too large as it was`] : []
  const own = foot.filter((line) => !line.startsWith('… and '))
  return {
    subject: subjectOf(message),
    text: `${joinText({ head, items: told, foot: told.length < items.length ? [...counted, ...own] : foot })}\n`,
  }
}

/** @example '[spanwatch] CRITICAL: 2 findings: a withdrawal has waited 2h (case c42)' */
function subjectOf(message: Message): string {
  const of = message.case === null ? '' : ` (case ${part(message.case.id, 40)})`
  return `[spanwatch] ${part(headlineOf(message), 120)}${of}`
}

function page(message: Message): string {
  const untold = countUntold(message.total, message.items.length + message.rest.length)
  const link = safeLink(message.pageUrl)
  return mailFrame({
    title: subjectOf(message),
    column: mailStyles.column,
    rows: [
      html`<tr><td style="${mailStyles.head}"><h1 class="ink" style="${mailStyles.title}">${headlineOf(message)}</h1></td></tr>`,
      message.items.map((item) => itemCard(item, message)),
      message.rest.length > 0 ? restTable(message.rest) : '',
      untold > 0 ? html`<tr><td class="muted" style="${mailStyles.foot}">… and ${untold} more</td></tr>` : '',
      html`<tr><td class="muted" style="${mailStyles.foot}">${idLine(message)}${link === null ? '' : html` · <a class="link" href="${link}" style="${mailStyles.link}">Status page</a>`}</td></tr>`,
    ],
  })
}

function itemCard(item: MessageItem, message: Message): Markup {
  const tone = item.status === 'resolved' || item.status === 'ended' ? item.status : item.severity
  const runbook = safeLink(item.runbook)
  const story = storyLink(message, item)
  return html`<tr><td style="${mailStyles.cardRow}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="card ${tone}" style="${mailStyles.card}${mailStyles.edge[tone]}">
<tr><td style="${mailStyles.cardHead}">
<div class="${tone}-text" style="${mailStyles.status}${mailStyles.ink[tone]}">${statusLine(item)}</div>
<div class="ink" style="${mailStyles.summary}">${part(item.summary)}</div>
<div class="muted" style="${mailStyles.subject}">${part(item.subject)}</div>
</td></tr>
${remedyRow(item)}
<tr><td style="${mailStyles.cardBody}"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
${fieldsOf(item).map(fieldRow)}
</table></td></tr>
<tr><td class="muted" style="${mailStyles.origin}">${originLine(item)}${runbook === null ? '' : html` · <a class="link" href="${runbook}" style="${mailStyles.link}">Runbook</a>`}${story === null ? '' : html` · <a class="link" href="${story}" style="${mailStyles.link}">Whole story</a>`}</td></tr>
</table>
</td></tr>`
}

function remedyRow({ remedy }: MessageItem): Markup | '' {
  if (remedy === null) return ''
  return html`<tr><td style="${mailStyles.remedyCell}"><div class="ink remedy" style="${mailStyles.remedy}"><strong>What to do:</strong> ${part(remedy, 300)}</div></td></tr>`
}

function fieldRow(field: MessageItem['fields'][number]): Markup {
  const link = safeLink(field.href)
  const value = part(field.value) || '–'
  return html`<tr>
<td class="muted" valign="top" style="${mailStyles.label}">${part(field.label, 60)}</td>
<td class="ink" valign="top" style="${isHex(value) ? mailStyles.hash : mailStyles.value}">${link === null ? value : html`<a class="link" href="${link}" style="${mailStyles.link}">${value}</a>`}</td>
</tr>`
}

function restTable(rest: readonly MessageItem[]): Markup {
  return html`<tr><td style="${mailStyles.cardRow}">
<table width="100%" cellpadding="0" cellspacing="0" border="0" class="card plain" style="${mailStyles.card}">
<tr><td style="${mailStyles.cardHead}"><div class="ink" style="${mailStyles.summary}">And ${rest.length} more</div></td></tr>
${rest.map(
  (item) => html`<tr><td class="line" style="${mailStyles.restRow}">
<div class="ink" style="${mailStyles.restSummary}">${verdictLine(item)}</div>
<div class="muted" style="${mailStyles.subject}">${part(item.subject)}</div>
</td></tr>`,
)}
</table>
</td></tr>`
}

function isHex(value: string): boolean {
  return /^0x[0-9a-f]{8,}$/i.test(value)
}
