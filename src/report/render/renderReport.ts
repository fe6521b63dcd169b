import type { DailyReport } from '../dailyReport.ts'
import { drawReportCharts, type ReportChart } from './drawReportCharts.ts'
import { type CsvFile, renderReportCsv } from './renderReportCsv.ts'
import { renderReportHtml } from './renderReportHtml.ts'
import { renderReportText } from './renderReportText.ts'
import { verdictLabel } from './reportWords.ts'

/** A report in every form that a mail or a folder needs. */
export interface RenderedReport {
  readonly day: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly charts: readonly ReportChart[]
  readonly csv: readonly CsvFile[]
}

export async function renderReport(report: DailyReport, pageUrl: string | null): Promise<RenderedReport> {
  const charts = await drawReportCharts(report)
  return {
    day: report.window.day,
    subject: `[spanwatch] ${verdictLabel(report)}`,
    text: renderReportText(report),
    html: renderReportHtml(report, charts, pageUrl),
    charts,
    csv: renderReportCsv(report),
  }
}
