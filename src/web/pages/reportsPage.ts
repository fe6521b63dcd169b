import { html } from 'hono/html'
import type { UnixMs } from '../../lib/clock.ts'
import { cleanText } from '../../lib/text.ts'
import { dayOf, dueAt, shiftDay, windowOf } from '../../report/reportDay.ts'
import type { ReportRow } from '../../report/store.ts'
import type { DailyReportSettings } from '../viewTypes.ts'
import type { KeptReport } from '../../report/readKeptReport.ts'
import { renderLayout } from './layout.ts'
import { type Html, renderState, renderTime } from './words.ts'

const stateWords = {
  queued: ['attention', 'waits for its channel'],
  sent: ['fine', 'sent'],
  dead: ['critical', 'not delivered'],
} as const

/** The daily reports that are kept, the newest first; and the newest reported day, null before the first start. */
export function renderReportsPage(
  reports: readonly ReportRow[],
  of: { readonly daily: DailyReportSettings | null; readonly lastDay: string | null },
  now: UnixMs,
): Html {
  return renderLayout({
    title: 'Reports',
    active: 'reports',
    live: false,
    main: html`<section class="card" aria-labelledby="reports-title">
<h1 id="reports-title">Reports</h1>
${
  reports.length === 0
    ? renderNone(of, now)
    : html`<table class="stack" role="table">
<thead role="rowgroup"><tr role="row">${['Day', 'State', 'Built'].map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${reports.map(renderRow)}</tbody>
</table>`
}
</section>`,
  })
}

function renderNone({ daily, lastDay }: Parameters<typeof renderReportsPage>[1], now: UnixMs): Html {
  const none =
    daily === null
      ? html`No daily report is kept. <code>reports.daily</code> in the configuration turns them on;`
      : html`No daily report is kept yet: the first one is due ${renderTime(firstDueAt(daily, lastDay, now))} (<code>${daily.cron}</code> in ${daily.timezone}) and goes to ${daily.channel};`
  return html`<p class="empty">${none} <code>spanwatch report --date yesterday</code> prints one at any time.</p>`
}

/** The first report is of a whole day, and due after its end. */
function firstDueAt(daily: DailyReportSettings, lastDay: string | null, now: UnixMs): UnixMs {
  const day = lastDay === null ? dayOf(now, daily.timezone) : shiftDay(lastDay, 1)
  return dueAt(daily, windowOf(day, daily.timezone) ?? { until: now })
}

function renderRow({ day, zone, builtAt, state, sentAt, lastError }: ReportRow): Html {
  const [tone, word] = stateWords[state]
  const error = state === 'sent' ? null : lastError
  return html`<tr role="row">
<th scope="row" role="rowheader"><a href="/reports/${day}">${day}</a> <span class="muted">${cleanText(zone)}</span></th>
<td role="cell" data-label="State"><span>${renderState(tone, word)}${sentAt === null ? '' : html` <span class="muted">${renderTime(sentAt)}</span>`}${error === null ? '' : html`<span class="detail">${cleanText(error, 200)}</span>`}</span></td>
<td role="cell" data-label="Built">${renderTime(builtAt)}</td>
</tr>`
}

/** One kept report, as it was sent. */
export function renderReportPage({ report, subject, text, csv }: KeptReport): Html {
  const { day } = report.window
  return renderLayout({
    title: `Report of ${day}`,
    active: 'reports',
    live: false,
    main: html`<section class="card" aria-labelledby="report-title">
<p class="overline">Built ${renderTime(report.builtAt)}</p>
<h1 id="report-title">${cleanText(subject.replace('[spanwatch] ', ''), 300)}</h1>
<p class="links"><a href="/reports/${day}/mail">As mailed, with charts</a>${csv.map(({ name }) => html` <a href="/reports/${day}/${name}" download>${name}</a>`)} <a href="/api/reports/${day}">As JSON</a></p>
</section>
<section class="card" aria-labelledby="text-title"><h2 id="text-title">Text</h2><pre class="report">${text}</pre></section>`,
  })
}
