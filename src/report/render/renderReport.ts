import type { DailyReport } from '../dailyReport.ts'
import type { RenderedReport, ReportChart } from '../../delivery/channels/message.ts'
import { renderReportCsv } from './renderReportCsv.ts'
import { renderReportHtml } from './renderReportHtml.ts'
import { verdictLabel, directionLabel, tokenLabel, windowLabel } from './reportWords.ts'
import { renderChart, toPng } from '../../lib/charts.ts'
import { part } from '../../delivery/channels/textParts.ts'
import { listReportTables, type ReportTable } from './reportTables.ts'

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

const size = { width: 640, height: 220, theme: 'light' } as const
const minuteMs = 60_000

/** The report's charts. Beyond twelve routes a chart of latencies would be a carpet; the table has them all. */
async function drawReportCharts(report: DailyReport): Promise<ReportChart[]> {
  return [...(await drawHours(report)), ...(await drawLatencies(report))]
}

async function drawHours({ hours }: DailyReport): Promise<ReportChart[]> {
  if (hours.every(({ deposits, withdrawals }) => deposits + withdrawals === 0)) return []
  const svg = await renderChart({
    ...size,
    kind: 'bar',
    stacked: true,
    unit: 'transfers',
    categories: hours.map(({ hour }) => hour),
    series: [
      { name: 'deposits', values: hours.map(({ deposits }) => deposits) },
      { name: 'withdrawals', values: hours.map(({ withdrawals }) => withdrawals) },
    ],
  })
  return [
    { name: 'hours', description: 'Transfers that began in each hour of the day', png: await toPng(svg) },
  ]
}

async function drawLatencies({ latencies }: DailyReport): Promise<ReportChart[]> {
  const lines = (latencies ?? []).filter(({ p95 }) => p95 !== null).slice(0, 12)
  if (lines.length === 0) return []
  const minutes = (ms: number | null) => (ms === null ? null : ms / minuteMs)
  const svg = await renderChart({
    ...size,
    kind: 'bar',
    unit: 'minutes',
    categories: lines.map(({ token, direction }) => `${tokenLabel(token)}\n${directionLabel(direction)}`),
    series: [
      { name: 'p95 of the day', values: lines.map(({ p95 }) => minutes(p95)) },
      { name: 'p95 of the 30 days before', values: lines.map(({ past }) => minutes(past.p95)) },
    ],
  })
  const description = 'Time from origin to destination, 95th percentile, beside the 30 days before'
  return [{ name: 'latencies', description, png: await toPng(svg) }]
}

/** The report as plain text: every row as lines of `name: value`, which no narrow window breaks. */
function renderReportText(report: DailyReport): string {
  const head = [
    verdictLabel(report),
    windowLabel(report),
    ...report.missing.map((what) => `INCOMPLETE: ${what}`),
  ]
  return `${[head.join('\n'), ...listReportTables(report).map(renderTable)].join('\n\n')}\n`
}

function renderTable({ title, note, columns, rows, none }: ReportTable): string {
  const head = [`== ${title}`, ...(note === '' ? [] : [note])]
  if (rows.length === 0) return [...head, none].join('\n')
  const width = Math.max(...columns.map(({ name }) => name.length))
  const blocks = rows.map((row) =>
    row
      .map((cell, index) => {
        const name = (columns[index]?.name ?? '').padEnd(width)
        const [first = '', ...more] = cell.split('\n').map((line) => part(line))
        return [`  ${name}  ${first}`, ...more.map((line) => `  ${' '.repeat(width)}  ${line}`)].join('\n')
      })
      .join('\n'),
  )
  return [...head, blocks.join('\n\n')].join('\n')
}
