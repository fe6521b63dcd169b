import { html, raw } from 'hono/html'
import type { DailyReport, ReportFlow } from '../dailyReport.ts'
import { mailFrame, type Markup } from '../../delivery/channels/mailFrame.ts'
import { mailStyles } from '../../delivery/channels/mailStyles.ts'
import { part, safeLink } from '../../delivery/channels/textParts.ts'
import type { ReportChart } from '../../delivery/channels/message.ts'
import type { ReportTable } from './reportTable.ts'
import { listReportTables } from './reportTables.ts'
import { directionLabel, sumLabel, tokenLabel, verdictLabel, windowLabel } from './reportWords.ts'

const numberStyle = 'text-align:right;font-variant-numeric:tabular-nums;'
const cell = `padding:6px 8px;font-size:13px;line-height:1.4;color:#16181d;overflow-wrap:anywhere;border-top:1px solid #e8eaee;`
const head = `padding:6px 8px;font-size:12px;line-height:1.4;color:#5b6270;text-align:left;font-weight:600;`

/** Wide tables become blocks of name and value on a narrow screen. */
const narrow = raw(`
.name { display: none; }
@media (max-width: 560px) {
  .wide thead { display: none !important; }
  .wide tr { display: block !important; padding: 8px 0 !important; border-top: 1px solid #8a909c !important; }
  .wide td { display: block !important; border: 0 !important; padding: 1px 8px !important; text-align: left !important; }
  .wide .name, .wide .name + div { display: inline !important; }
}
`)

/** The report for mail clients: tables and inline styles, its charts as images of the mail, nothing from elsewhere. */
export function renderReportHtml(
  report: DailyReport,
  charts: readonly ReportChart[],
  pageUrl: string | null,
): string {
  const [, ...tables] = listReportTables(report)
  const link = safeLink(pageUrl)
  const breaks = link && `${link.replace(/\/$/, '')}/breaks?state=all`
  return mailFrame({
    title: verdictLabel(report),
    styles: narrow,
    column: 'max-width:860px;text-align:left;',
    rows: [
      html`<tr><td style="${mailStyles.head}">
<h1 class="ink" style="${mailStyles.title}">${verdictLabel(report)}</h1>
<div class="muted" style="${mailStyles.subject}">${windowLabel(report)}</div>
</td></tr>`,
      report.missing.length === 0 ? '' : missingCard(report),
      flowCards(report.flows),
      charts.map(chartCard),
      tables.map(tableCard),
      html`<tr><td class="muted" style="${mailStyles.foot}">Amounts are exact and in token units; the attached CSV files hold them for a spreadsheet.${link === null ? '' : html` <a class="link" href="${link}" style="${mailStyles.link}">Status page</a>`}${breaks === null || report.breaks === undefined ? '' : html`, <a class="link" href="${breaks}" style="${mailStyles.link}">breaks, and what was settled by hand</a>`}</td></tr>`,
    ],
  })
}

function card(tone: 'plain' | 'warning', title: string, content: Markup): Markup {
  const edge = tone === 'plain' ? '' : mailStyles.edge[tone]
  return html`<tr><td style="${mailStyles.cardRow}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="card ${tone}" style="${mailStyles.card}${edge}">
<tr><td style="${mailStyles.cardHead}"><h2 class="ink" style="${mailStyles.summary}">${title}</h2></td></tr>
<tr><td style="padding:2px 8px 12px;">${content}</td></tr>
</table>
</td></tr>`
}

function missingCard({ missing }: DailyReport): Markup {
  const lines = missing.map(
    (what) => html`<div class="ink" style="${mailStyles.restSummary}padding:2px 8px;">${what}</div>`,
  )
  return card('warning', 'This report is incomplete', html`${lines}`)
}

const flowParts = [
  ['opening', 'In flight at the start'],
  ['started', '+ started'],
  ['completed', '− completed'],
  ['failed', '− failed'],
  ['closing', '= in flight at the end'],
] as const

function flowCards(flows: readonly ReportFlow[]): Markup {
  if (flows.length === 0) {
    return card(
      'plain',
      'Reconciliation',
      html`<div class="muted" style="${mailStyles.subject}padding:2px 8px;">No transfer was under way.</div>`,
    )
  }
  return html`${flows.map((flow) =>
    card(
      'plain',
      `${tokenLabel(flow.token)}, ${directionLabel(flow.direction)}`,
      html`<table width="100%" cellpadding="0" cellspacing="0" border="0">
<thead><tr><th scope="col" class="muted" style="${head}">By block times</th><th scope="col" class="muted" style="${head}${numberStyle}">Count</th><th scope="col" class="muted" style="${head}${numberStyle}">Amount</th></tr></thead>
<tbody>${flowParts.map(
        ([name, label]) => html`<tr>
<td class="ink line" style="${cell}${name === 'closing' ? 'font-weight:650;' : ''}">${label}</td>
<td class="ink line" style="${cell}${numberStyle}">${flow[name].count}</td>
<td class="ink line" style="${cell}${numberStyle}">${sumLabel(flow[name])}</td>
</tr>`,
      )}</tbody>
</table>`,
    ),
  )}`
}

function chartCard({ name, description }: ReportChart): Markup {
  return card(
    'plain',
    description,
    // On white in both schemes: an image cannot change its colours.
    html`<div style="background:#ffffff;border-radius:6px;padding:6px;"><img src="cid:${name}" alt="${description}" width="640" style="display:block;width:100%;height:auto;"></div>`,
  )
}

function tableCard(table: ReportTable): Markup {
  const { title, note, columns, rows, none } = table
  const text = rows.length === 0 ? [note, none].filter((line) => line !== '').join(' ') : note
  const intro =
    text === '' ? '' : html`<div class="muted" style="${mailStyles.subject}padding:0 8px 6px;">${text}</div>`
  if (rows.length === 0) return card('plain', title, html`${intro}`)
  return card(
    'plain',
    title,
    html`${intro}<table class="wide" width="100%" cellpadding="0" cellspacing="0" border="0">
<thead><tr>${columns.map(({ name, isNumber }) => html`<th scope="col" class="muted" style="${head}${isNumber ? numberStyle : ''}">${name}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((value, index) => tableCell(table, value, index))}</tr>`)}</tbody>
</table>`,
  )
}

function tableCell({ columns }: ReportTable, value: string, index: number): Markup {
  const column = columns[index]
  const lines = value.split('\n').map((line) => html`<div>${part(line)}</div>`)
  return html`<td class="ink line" valign="top" style="${cell}${column?.isNumber ? numberStyle : ''}${value.length <= 20 ? 'white-space:nowrap;' : ''}"><span class="name muted">${column?.name ?? ''}: </span>${lines}</td>`
}
