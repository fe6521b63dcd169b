import type { ChartDrawer } from '../lib/drawChart.ts'
import { drawReportCharts, renderReport } from './render/renderReport.ts'
import type { Database } from '../store/database.ts'
import { createReportStore } from './store.ts'
import type { DailyReport } from './dailyReport.ts'

/** A report as it was sent, its charts inside the page instead of beside it; null when none is kept of that day. */
export async function readKeptReport(
  db: Database,
  day: string,
  drawer: ChartDrawer,
): Promise<KeptReport | null> {
  const report = createReportStore(db).find(day)
  if (report === null) return null
  const { subject, text, html, charts, csv } = await renderReport(report, null, (one) =>
    drawReportCharts(one, drawer),
  )
  const page = charts.reduce(
    (markup, { name, png }) =>
      markup.replaceAll(`src="cid:${name}"`, `src="data:image/png;base64,${png.toString('base64')}"`),
    html,
  )
  return { report, subject, text, html: page, csv }
}

/** A kept daily report: its numbers, and what was sent of it. */
export interface KeptReport {
  readonly report: DailyReport
  readonly subject: string
  readonly text: string
  /** A whole page of its own, its images inside. */
  readonly html: string
  readonly csv: readonly { readonly name: string; readonly content: string }[]
}
