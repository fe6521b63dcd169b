import { html, raw } from 'hono/html'
import type { DailyReport } from '../dailyReport.ts'
import { mailFrame, type Markup } from '../../delivery/channels/mailFrame.ts'
import { mailStyles } from '../../delivery/channels/mailStyles.ts'
import { part } from '../../delivery/channels/textParts.ts'
import type { ReportChart } from '../../delivery/channels/message.ts'
import { pageLink } from './pageLink.ts'
import { type Cell, type Line, linesOf, type ReportTable } from './reportTable.ts'
import { listReportTables, sayCoverage, sayPreconf } from './reportTables.ts'
import { verdictLabel, windowLabel } from './reportWords.ts'

const numberStyle = 'text-align:right;font-variant-numeric:tabular-nums;'
const cell = `padding:4px 8px;font-size:13px;line-height:1.35;color:#16181d;overflow-wrap:anywhere;border-top:1px solid #e8eaee;`
const head = `padding:4px 8px;font-size:12px;line-height:1.35;color:#5b6270;text-align:left;font-weight:600;`

/**
 * Wide tables become pairs of name and value, beside each other as they fit, where the book's columns do not: in the pane
 * of a mail program, too, its last ones say most.
 */
export const narrow = raw(`
.name, .narrow { display: none; }
@media (max-width: 640px) {
  .detail { display: none !important; }
  .narrow { display: inline !important; }
}
@media (max-width: 1140px) {
  .wide, .wide tbody { display: block !important; }
  .wide thead { display: none !important; }
  .wide tr { display: block !important; padding: 6px 0 !important; border-top: 1px solid #8a909c !important; }
  .wide td { display: block !important; border: 0 !important; padding: 1px 8px !important; text-align: left !important; }
  .wide td.short { display: inline-block !important; }
  .wide td.short div { display: inline !important; }
  .wide .name { display: inline !important; }
  .wide .name + div { display: inline !important; }
}
`)

/** The report for mail clients: tables and inline styles, its charts as images of the mail, nothing from elsewhere. */
export function renderReportHtml(
  report: DailyReport,
  charts: readonly ReportChart[],
  pageUrl: string | null,
): string {
  const link = pageLink(pageUrl)
  const [book, ...tables] = listReportTables(report, link)
  return mailFrame({
    title: verdictLabel(report),
    styles: narrow,
    column: 'max-width:1060px;text-align:left;',
    rows: [
      html`<tr><td style="${mailStyles.head}">
<h1 class="ink" style="${mailStyles.title}">${verdictLabel(report)}</h1>
<div class="muted" style="${mailStyles.subject}">${windowLabel(report)}. ${sayCoverage(report)}</div>
</td></tr>`,
      report.missing.length === 0 ? '' : missingCard(report),
      book === undefined ? '' : tableCard(book),
      tables.map(tableCard),
      charts.map(chartCard),
      footRow(report, link, tables),
    ],
  })
}

function footRow(
  report: DailyReport,
  link: (path: string) => string | null,
  tables: readonly ReportTable[],
): Markup {
  const [status, breaks] = [link('/'), link('/breaks?state=all')]
  const to = (href: string, words: string) =>
    html` <a class="link" href="${href}" style="${mailStyles.link}">${words}</a>`
  return html`<tr><td class="muted" style="${mailStyles.foot}">${sayPreconf(report)} What ends in … was cut; the attached CSV files hold every digit.<span class="narrow"> ${sayLeftOut(tables)}</span>${status === null ? '' : to(status, 'Status page')}${breaks === null || report.breaks === undefined ? '' : html`,${to(breaks, 'breaks, and what was settled by hand')}`}</td></tr>`
}

/** What a narrow screen does not show. */
function sayLeftOut(tables: readonly ReportTable[]): string {
  const left = tables.flatMap(({ file, title, rows }) =>
    file === undefined || rows.length === 0 ? [] : [`${title}: file ${file}.`],
  )
  return left.join(' ')
}

function card(tone: 'plain' | 'warning', title: string, content: Markup, isDetail = false): Markup {
  const edge = tone === 'plain' ? '' : mailStyles.edge[tone]
  return html`<tr class="${isDetail ? 'detail' : ''}"><td style="${mailStyles.cardRow}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="card ${tone}" style="${mailStyles.card}${edge}">
<tr><td style="${mailStyles.cardHead}"><h2 class="ink" style="${mailStyles.summary}">${title}</h2></td></tr>
<tr><td style="padding:0 8px 8px;">${content}</td></tr>
</table>
</td></tr>`
}

function missingCard({ missing }: DailyReport): Markup {
  const lines = missing.map(
    (what) => html`<div class="ink" style="${mailStyles.restSummary}padding:2px 8px;">${what}</div>`,
  )
  return card('warning', 'This report is incomplete', html`${lines}`)
}

function chartCard({ name, description }: ReportChart): Markup {
  return card(
    'plain',
    description,
    // On white in both schemes: an image cannot change its colours.
    html`<div style="background:#ffffff;border-radius:6px;padding:6px;"><img src="cid:${name}" alt="${description}" width="640" style="display:block;width:100%;max-width:640px;height:auto;"></div>`,
  )
}

export function tableCard(table: ReportTable): Markup {
  const { title, note, columns, rows, none } = table
  const text = rows.length === 0 ? [note, none].filter((line) => line !== '').join(' ') : note
  const intro =
    text === '' ? '' : html`<div class="muted" style="${mailStyles.subject}padding:0 8px 4px;">${text}</div>`
  if (rows.length === 0) return card('plain', title, html`${intro}`)
  return card(
    'plain',
    title,
    html`${intro}<table class="wide" width="100%" cellpadding="0" cellspacing="0" border="0">
<thead><tr>${columns.map(({ name, isNumber }) => html`<th scope="col" class="muted" style="${head}${isNumber ? numberStyle : ''}">${name}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((value, index) => tableCell(table, value, index))}</tr>`)}</tbody>
</table>`,
    table.file !== undefined,
  )
}

const shortCell = 24

function tableCell({ columns }: ReportTable, value: Cell, index: number): Markup {
  const column = columns[index]
  const lines = linesOf(value)
  const isShort = lines.every(({ text }) => text.length <= shortCell)
  return html`<td class="ink line${isShort ? ' short' : ''}" valign="top" style="${cell}${column?.isNumber ? numberStyle : ''}${isShort ? 'white-space:nowrap;' : ''}"><span class="name muted">${column?.name ?? ''}: </span>${lines.map(lineOf)}</td>`
}

function lineOf({ text, href }: Line): Markup {
  const words = part(text)
  return href === null
    ? html`<div>${words}</div> `
    : html`<div><a class="link" href="${href}" style="${mailStyles.link}">${words}</a></div> `
}
