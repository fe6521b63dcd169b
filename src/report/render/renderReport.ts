import type { EscrowAccounts } from '../../checks/escrow/accounts/accountUnits.ts'
import type { CsvFile, RenderedReport, ReportChart } from '../../delivery/channels/message.ts'
import { type ChartDrawer, createChartDrawer } from '../../lib/drawChart.ts'
import { toCsvLine } from '../../lib/csv.ts'
import { errorText } from '../../lib/errors.ts'
import { cleanText } from '../../lib/text.ts'
import type { BookSum } from '../book.ts'
import type { DailyReport, ReportSum } from '../dailyReport.ts'
import type { ReportToken } from '../reportToken.ts'
import { periodOf } from '../reportDay.ts'
import { renderBreakCsv } from './breakTables.ts'
import { renderReportHtml } from './renderReportHtml.ts'
import { renderReportText } from './renderReportText.ts'
import { bookOf } from './reportTables.ts'
import { verdictLabel } from './reportWords.ts'

const parts = ['opening', 'started', 'completed', 'failed', 'closing'] as const

const tokenNames = ['token', 'symbol', 'name_on_chain', 'decimals'] as const

/**
 * A report in all its forms. Charts that cannot be drawn, as where the native part of their library is missing, cost
 * nothing but the charts, and it says so.
 */
export async function renderReport(
  complete: DailyReport,
  pageUrl: string | null,
  draw: (report: DailyReport) => Promise<ReportChart[]> = (report) =>
    drawReportCharts(report, createChartDrawer()),
): Promise<RenderedReport> {
  const { report, charts } = await withCharts(complete, draw)
  return {
    day: report.window.day,
    id: `${report.window.day}.${report.builtAt}`,
    subject: `[spanwatch] ${verdictLabel(report)}`,
    text: renderReportText(report, pageUrl),
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

const size = { width: 640, height: 160, theme: 'light' } as const

export async function drawReportCharts(
  { hours, window }: DailyReport,
  charts: ChartDrawer,
): Promise<ReportChart[]> {
  if (hours.every(({ deposits, withdrawals }) => deposits + withdrawals === 0)) return []
  const png = await charts.png({
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
    {
      name: 'hours',
      description:
        periodOf(window.day) === 'day'
          ? 'Transfers that began in each hour of the day'
          : 'Transfers that began on each day',
      png,
    },
  ]
}

/** The numbers as tables for a spreadsheet: amounts exact and plain, one file for each kind of row. */
function renderReportCsv(report: DailyReport): CsvFile[] {
  const { day } = report.window
  return [
    { name: `reconciliation-${day}.csv`, content: flowLines(report) },
    { name: `book-${day}.csv`, content: bookLines(report) },
    { name: `escrow-${day}.csv`, content: escrowLines(report) },
    { name: `findings-${day}.csv`, content: findingLines(report) },
    { name: `in-flight-${day}.csv`, content: oldestLines(report) },
    ...(report.breaks === undefined ? [] : renderBreakCsv(day, report.breaks)),
    { name: `latency-${day}.csv`, content: latencyLines(report) },
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

function bookLines(report: DailyReport): string {
  const { window } = report
  const sums = ['deposits', 'withdrawals', 'in_flight', 'failed', 'unbacked']
  const cellsOf = (sum: BookSum | null) => [sum?.count ?? null, sum?.amount ?? null, sum?.unknown ?? null]
  return toLines(
    [
      'day',
      'zone',
      ...tokenNames,
      ...sums.flatMap((name) => [`${name}_count`, `${name}_amount`, `${name}_unknown_amounts`]),
      'net',
      'unexplained',
      'escrow_change',
      'difference',
      'refunded_count',
      'refunded_amount',
      'gas',
    ],
    bookOf(report).map((line) => [
      window.day,
      window.zone,
      ...tokenCells(line.token),
      ...[line.deposits, line.withdrawals, line.inFlight, line.failed, line.unbacked].flatMap(cellsOf),
      line.net,
      line.unexplained,
      line.escrowChange,
      line.difference,
      line.refunded?.count ?? null,
      line.refunded?.amount ?? null,
      line.gas ?? '0',
    ]),
  )
}

const escrowNames =
  'opening change closing owed net difference as_of claims to_zone to_main fees being_judged unexplained gas'.split(
    ' ',
  )

function escrowLines(report: DailyReport): string {
  const { window, escrows } = report
  const lines = bookOf(report)
  return toLines(
    ['day', 'zone', ...tokenNames, ...escrowNames],
    (escrows ?? []).map(({ token, opening, change, closing, owed, at, accounts = null }) => {
      const line = lines.find((one) => one.token.address === token.address)
      return [
        window.day,
        window.zone,
        ...tokenCells(token),
        opening,
        change,
        closing,
        owed,
        line?.net ?? null,
        line?.difference ?? null,
        at === null ? null : new Date(at).toISOString(),
        ...accountCells(accounts),
      ]
    }),
  )
}

function accountCells(accounts: EscrowAccounts | null): (string | null)[] {
  if (accounts === null) return [null, null, null, null, null, null, null]
  const { claims, toZone, toMain, fees, gas = null, open, unexplained } = accounts
  return [claims, toZone, toMain, fees, open, unexplained, gas]
}

function latencyLines({ latencies, window }: DailyReport): string {
  const ranks = ['p50', 'p95', 'p99'] as const
  return toLines(
    [
      'day',
      ...tokenNames,
      'direction',
      'samples',
      ...ranks.map((rank) => `${rank}_ms`),
      'past_samples',
      ...ranks.map((rank) => `past_${rank}_ms`),
    ],
    (latencies ?? []).map(({ token, direction, samples, past, ...day }) => [
      window.day,
      ...tokenCells(token),
      direction,
      samples,
      ...ranks.map((rank) => day[rank]),
      past.samples,
      ...ranks.map((rank) => past[rank]),
    ]),
  )
}

function findingLines({ findings }: DailyReport): string {
  return toLines(
    ['severity', 'kind', 'count', 'time', 'transfer', 'alert', 'amount', 'token', 'symbol', 'example'],
    findings.flatMap(({ severity, kind, count, examples }) =>
      examples.map(({ title, at, key, alertId, amount, token }) => [
        severity,
        kind,
        count,
        new Date(at).toISOString(),
        key,
        // Of digits alone, or with an e among them, a spreadsheet would make a number of it.
        alertId === undefined ? null : `#${alertId.replace(/^#/, '')}`,
        amount ?? null,
        token?.address ?? null,
        token?.symbol ?? null,
        title,
      ]),
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
