import { html } from 'hono/html'
import { mailFrame, type Markup } from './mailFrame.ts'
import { mailStyles } from './mailStyles.ts'
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
import { joinText, renderText } from './renderText.ts'
import { countUntold, headlineOf, idLine, originLine, part, safeLink, statusLine } from './textParts.ts'

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
  const { head, items, links, details, foot } = renderText(message, { withRest: true })
  let left = shortLength
  const told = items.filter((lines, index) => {
    left -= [...lines, ...(details[index] ?? [])].join('\n').length + 4
    return index === 0 || left > 0
  })
  const more = countUntold(message.total, told.length)
  const counted = more > 0 ? [`… and ${more} more: this mail was too large as it was`] : []
  const own = links.filter((line) => !line.startsWith('… and '))
  const kept = told.length < items.length ? [...counted, ...own] : links
  const shown = { head, items: told, links: kept, details: details.slice(0, told.length), foot }
  return { subject: subjectOf(message), text: `${joinText(shown)}\n` }
}

const mostBare = 500

/** For a mail whose content was refused: not a word of others, such as a token's name, and no link. */
export function renderBareMail(message: Message): Mail {
  const { severity, total } = message
  const items = [...message.items, ...message.rest].slice(0, mostBare)
  const more = countUntold(total, items.length)
  const lines = [
    `The mail server refused this message for what it says. Without names and texts of others:`,
    ...items.map((item) =>
      [statusLine(item), originLine(item), ...item.fields.flatMap(bareHash)].join(' · '),
    ),
    ...(more > 0 ? [`… and ${more} more`] : []),
    idLine(message),
  ]
  const counted = `${total} finding${total === 1 ? '' : 's'}`
  return { subject: `[spanwatch] ${severity.toUpperCase()}: ${counted}`, text: `${lines.join('\n')}\n` }
}

function bareHash({ place, label, value }: ItemField): string[] {
  return place === 'hash' && isHex(value) ? [`${label} ${value}`] : []
}

/** @example '[spanwatch] CRITICAL: 2 findings: a withdrawal has waited 2h (case c42)' */
function subjectOf(message: Message): string {
  const of = message.case === null ? '' : ` (case ${part(message.case.id, 40)})`
  return `[spanwatch] ${part(headlineOf(message), 120)}${of}`
}

function page(message: Message): string {
  const untold = untoldLine(message, message.items.length + message.rest.length)
  const lead = leadLines(message)
  return mailFrame({
    title: subjectOf(message),
    column: mailStyles.column,
    rows: [
      html`<tr><td style="${mailStyles.head}"><h1 class="ink" style="${mailStyles.title}">${headlineOf(message)}</h1>${lead.map((line) => html`<div class="ink" style="${mailStyles.lead}">${line}</div>`)}</td></tr>`,
      lineTable(
        caseLines(message).map(
          ({ words, href }) => html`${words}${href === null ? '' : html` · ${anchor(href, 'Case')}`}`,
        ),
      ),
      remedyCard(sharedRemedy(message)),
      fullItems(message).map((item) => itemCard(item, message)),
      lineTable([...briefItems(message), ...message.rest].map((item) => briefRow(item, message))),
      untold === null ? '' : html`<tr><td class="muted" style="${mailStyles.foot}">${untold}</td></tr>`,
      linkRow(message),
      detailTable(message),
      html`<tr><td class="muted" style="${mailStyles.foot}">${idLine(message)}</td></tr>`,
    ],
  })
}

function linkRow(message: Message): Markup | '' {
  const links = listLinks(message)
  if (links.length === 0) return ''
  const shown = links.map(({ words, href }, index) => html`${index === 0 ? '' : ' · '}${anchor(href, words)}`)
  return html`<tr><td class="ink" style="${mailStyles.links}">${shown}</td></tr>`
}

function anchor(href: string, words: string): Markup {
  return html`<a class="link" href="${href}" style="${mailStyles.link}">${words}</a>`
}

function itemCard(item: MessageItem, message: Message): Markup {
  const tone = item.status === 'resolved' || item.status === 'ended' ? item.status : item.severity
  const { verdict, when, hashes, remedy, facts } = itemParts(message, item)
  return html`<tr><td style="${mailStyles.cardRow}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="card ${tone}" style="${mailStyles.card}${mailStyles.edge[tone]}">
<tr><td style="${mailStyles.cardHead}">
${verdict === null ? '' : html`<div class="${tone}-text" style="${mailStyles.status}${mailStyles.ink[tone]}">${statusLine(item)}</div><div class="ink" style="${mailStyles.summary}">${part(item.summary)}</div>`}
<div class="muted" style="${mailStyles.subject}">${when}${hashes.map(hashMarkup)}</div>
</td></tr>
${remedyRow(remedy)}
${
  facts.length === 0
    ? ''
    : html`<tr><td style="${mailStyles.cardBody}"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
${facts.map(fieldRow)}
</table></td></tr>`
}
<tr><td style="${mailStyles.cardEnd}"></td></tr>
</table>
</td></tr>`
}

function hashMarkup({ words, short, href }: HashPart): Markup {
  return html` · ${words} ${href === null ? short : anchor(href, short)}`
}

function remedyRow(remedy: string | null): Markup | '' {
  if (remedy === null) return ''
  return html`<tr><td style="${mailStyles.remedyCell}"><div class="ink remedy" style="${mailStyles.remedy}"><strong>What to do:</strong> ${remedy}</div></td></tr>`
}

/** What to do, said once for all. */
function remedyCard(remedy: string | null): Markup | '' {
  if (remedy === null) return ''
  return html`<tr><td style="${mailStyles.cardRow}"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="card plain" style="${mailStyles.card}">${remedyRow(remedy)}<tr><td style="${mailStyles.cardEnd}"></td></tr></table></td></tr>`
}

function fieldRow(field: ItemField): Markup {
  const link = safeLink(field.href)
  const value = part(field.value) || '–'
  return html`<tr>
<td class="muted" valign="top" style="${mailStyles.label}">${part(field.label, 60)}</td>
<td class="ink" valign="top" style="${isHex(value) ? mailStyles.hash : mailStyles.value}">${link === null ? value : anchor(link, value)}</td>
</tr>`
}

function briefRow(item: MessageItem, message: Message): Markup {
  const { words, hashes } = briefParts(message, item)
  return html`${words}${hashes.map(hashMarkup)}`
}

function lineTable(lines: readonly Markup[]): Markup | '' {
  if (lines.length === 0) return ''
  return html`<tr><td style="${mailStyles.cardRow}">
<table width="100%" cellpadding="0" cellspacing="0" border="0" class="card plain" style="${mailStyles.card}">
${lines.map((line) => html`<tr><td class="line ink" style="${mailStyles.restRow}${mailStyles.restSummary}">${line}</td></tr>`)}
</table>
</td></tr>`
}

/** All else that is known, in small: whole hashes to copy, addresses, evidence. */
function detailTable(message: Message): Markup | '' {
  const items = [...message.items, ...message.rest]
  if (items.length === 0) return ''
  return html`<tr><td style="${mailStyles.cardRow}">
<table width="100%" cellpadding="0" cellspacing="0" border="0" class="card plain" style="${mailStyles.card}">
<tr><td class="muted" colspan="2" style="${mailStyles.detailHead}">Details</td></tr>
${items.map((item, index) => detailRows(item, message, index))}
</table>
</td></tr>`
}

function detailRows(item: MessageItem, message: Message, index: number): Markup {
  const { of, line, fields, origin, story } = detailParts(message, item, { index })
  if (line !== null)
    return html`<tr><td class="muted" colspan="2" style="${mailStyles.origin}">${line}</td></tr>`
  return html`${of === null ? '' : html`<tr><td class="muted line" colspan="2" style="${mailStyles.detailOf}">${of}</td></tr>`}
${fields.map(detailRow)}
<tr><td class="muted" colspan="2" style="${mailStyles.origin}">${origin}${story === null ? '' : html` · ${anchor(story, 'Whole story')}`}</td></tr>`
}

function detailRow({ label, value }: ItemField): Markup {
  const text = part(value) || '–'
  return html`<tr>
<td class="muted detail" valign="top" style="${mailStyles.detailLabel}">${part(label, 60)}</td>
<td class="muted detail" valign="top" style="${isHex(text) ? mailStyles.detailHash : mailStyles.detailValue}">${text}</td>
</tr>`
}

function isHex(value: string): boolean {
  return /^0x[0-9a-f]{8,}$/i.test(value)
}
