import type { CsvFile, RenderedReport, ReportChart } from '../../delivery/channels/message.ts'
import { part } from '../../delivery/channels/textParts.ts'
import { renderChart, toPng } from '../../lib/charts.ts'
import { toCsvLine } from '../../lib/csv.ts'
import { errorText } from '../../lib/errors.ts'
import { cleanText } from '../../lib/text.ts'
import type { DailyReport, ReportSum, ReportToken } from '../dailyReport.ts'
import { renderBreakCsv } from './breakTables.ts'
import { renderReportHtml } from './renderReportHtml.ts'
import type { ReportTable } from './reportTable.ts'
import { listReportTables } from './reportTables.ts'
import { directionLabel, tokenLabel, verdictLabel, windowLabel } from './reportWords.ts'

const parts = ['opening', 'started', 'completed', 'failed', 'closing'] as const

const tokenNames = ['token', 'symbol', 'name_on_chain', 'decimals'] as const

/**
 * A report in all its forms. Charts that cannot be drawn, as where the native part of their library is missing, cost
 * nothing but the charts, and it says so.
 */
export async function renderReport(
  complete: DailyReport,
  pageUrl: string | null,
  draw: (report: DailyReport) => Promise<ReportChart[]> = drawReportCharts,
): Promise<RenderedReport> {
  const { report, charts } = await withCharts(complete, draw)
  return {
    day: report.window.day,
    subject: `[spanwatch] ${verdictLabel(report)}`,
    text: renderReportText(report),
    html: renderReportHtml(report, charts, pageUrl),
    charts,
    csv: renderReportCsv(report),
  }
}

async function withCharts(
  report: DailyReport,
  draw: (report: DailyReport) => Promise<ReportChart[]>,
): Promise<{ readonly report: DailyReport; readonly charts: ReportChart[] }> {
  try {
    return { report, charts: await draw(report) }
  } catch (error) {
    const missing = `its charts, which could not be drawn (${cleanText(errorText(error), 200)}); every number stands in the tables`
    return { report: { ...report, missing: [...report.missing, missing] }, charts: [] }
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

/** The numbers as tables for a spreadsheet: amounts exact and plain, one file for each kind of row. */
function renderReportCsv(report: DailyReport): CsvFile[] {
  const { day } = report.window
  return [
    { name: `reconciliation-${day}.csv`, content: flowLines(report) },
    { name: `findings-${day}.csv`, content: findingLines(report) },
    { name: `in-flight-${day}.csv`, content: oldestLines(report) },
    ...(report.breaks === undefined ? [] : renderBreakCsv(day, report.breaks)),
    { name: `coverage-${day}.csv`, content: coverageLines(report) },
  ]
}

function flowLines({ flows, window }: DailyReport): string {
  const sumNames = parts.flatMap((name) => [
    `${name}_count`,
    `${name}_raw`,
    `${name}_amount`,
    `${name}_unknown_amounts`,
  ])
  const cellsOf = ({ count, raw, amount, unknown }: ReportSum) => [count, raw, amount, unknown]
  return toLines(
    ['day', 'zone', ...tokenNames, 'direction', ...sumNames],
    flows.map((flow) => [
      window.day,
      window.zone,
      ...tokenCells(flow.token),
      flow.direction,
      ...parts.flatMap((name) => cellsOf(flow[name])),
    ]),
  )
}

function findingLines({ findings }: DailyReport): string {
  return toLines(
    ['severity', 'kind', 'count', 'time', 'transfer', 'example'],
    findings.flatMap(({ severity, kind, count, examples }) =>
      examples.map(({ title, at, key }) => [severity, kind, count, new Date(at).toISOString(), key, title]),
    ),
  )
}

function oldestLines({ oldest }: DailyReport): string {
  return toLines(
    ['transfer', 'since', 'direction', 'amount', ...tokenNames, 'main_hash', 'zone_hash'],
    oldest.map((line) => [
      line.key,
      new Date(line.originAt).toISOString(),
      line.direction,
      line.amount,
      ...tokenCells(line.token),
      line.mainHash,
      line.zoneHash,
    ]),
  )
}

function coverageLines({ coverage }: DailyReport): string {
  return toLines(
    ['source', 'share', 'note', 'gap_from', 'gap_until'],
    (coverage ?? []).flatMap(({ source, share, note, gaps }) => {
      if (gaps.length === 0) return [[source, String(share), note, null, null]]
      return gaps.map(({ from, until }) => [
        source,
        String(share),
        note,
        new Date(from).toISOString(),
        new Date(until).toISOString(),
      ])
    }),
  )
}

function tokenCells({ address, symbol, name, decimals }: ReportToken) {
  return [address, symbol, name, decimals]
}

function toLines(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return [head, ...rows].map(toCsvLine).join('')
}
