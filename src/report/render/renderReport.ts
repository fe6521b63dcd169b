import type { DailyReport } from '../dailyReport.ts'
import { drawReportCharts } from './drawReportCharts.ts'
import { type RenderedReport } from '../../delivery/channels/message.ts'
import { renderReportCsv } from './renderReportCsv.ts'
import { renderReportHtml } from './renderReportHtml.ts'
import { renderReportText } from './renderReportText.ts'
import { verdictLabel } from './reportWords.ts'

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
