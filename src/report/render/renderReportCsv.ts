import type { DailyReport, ReportSum, ReportToken } from '../dailyReport.ts'
import { toCsvLine } from '../../lib/csv.ts'
import type { CsvFile } from '../../delivery/channels/message.ts'

const parts = ['opening', 'started', 'completed', 'failed', 'closing'] as const

/** The numbers as tables for a spreadsheet: amounts exact and plain, one file for each kind of row. */
export function renderReportCsv(report: DailyReport): CsvFile[] {
  const { day } = report.window
  return [
    { name: `reconciliation-${day}.csv`, content: flowLines(report) },
    { name: `findings-${day}.csv`, content: findingLines(report) },
    { name: `in-flight-${day}.csv`, content: oldestLines(report) },
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

const tokenNames = ['token', 'symbol', 'name_on_chain', 'decimals'] as const

function tokenCells({ address, symbol, name, decimals }: ReportToken) {
  return [address, symbol, name, decimals]
}

function toLines(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return [head, ...rows].map(toCsvLine).join('')
}
