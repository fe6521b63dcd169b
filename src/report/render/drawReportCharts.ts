import type { DailyReport } from '../dailyReport.ts'
import { renderChart, toPng } from '../../lib/charts.ts'
import { directionLabel, tokenLabel } from './reportWords.ts'
import type { ReportChart } from '../../delivery/channels/message.ts'

const size = { width: 640, height: 220, theme: 'light' } as const
const minuteMs = 60_000

/** The report's charts. Beyond twelve routes a chart of latencies would be a carpet; the table has them all. */
export async function drawReportCharts(report: DailyReport): Promise<ReportChart[]> {
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
