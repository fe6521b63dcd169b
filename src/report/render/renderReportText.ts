import { part } from '../../delivery/channels/textParts.ts'
import { pageLink } from './pageLink.ts'
import type { DailyReport } from '../dailyReport.ts'
import { linesOf, type ReportTable } from './reportTable.ts'
import { bookColumnsOf, bookNote, bookOf, listReportTables, sayCoverage, sayPreconf } from './reportTables.ts'
import { verdictLabel, windowLabel } from './reportWords.ts'
import { tokenLabel } from './tokenLabel.ts'

const width = 80

/** The report as plain text within 80 columns, but for what has no place to break. */
export function renderReportText(report: DailyReport, pageUrl: string | null): string {
  const [, ...tables] = listReportTables(report, pageLink(pageUrl))
  const head = [
    ...wrap(verdictLabel(report), 0),
    windowLabel(report),
    ...report.missing.flatMap((what) => wrap(`INCOMPLETE: ${what}`, 2)),
  ]
  const foot = [sayCoverage(report), sayPreconf(report)]
    .filter((one) => one !== '')
    .flatMap((one) => wrap(one, 2))
  return `${[head.join('\n'), renderBook(report), ...tables.map(renderTable), foot.join('\n')].join('\n\n')}\n`
}

const tokensBeside = 2
const labelWidth = 16

/** A column a token: rows of nine numbers would be wider than any terminal. */
function renderBook(report: DailyReport): string {
  const lines = bookOf(report)
  const head = ['== Reconciliation', ...wrap(bookNote, 0)]
  if (lines.length === 0) return [...head, 'No transfer was under way.'].join('\n')
  const groups = Array.from({ length: Math.ceil(lines.length / tokensBeside) }, (_, index) =>
    lines.slice(index * tokensBeside, (index + 1) * tokensBeside),
  )
  const columnWidth = Math.floor((width - labelWidth) / tokensBeside)
  const row = (label: string, cells: readonly string[]) =>
    `${label.padEnd(labelWidth)}${cells.map((cell) => cell.padStart(columnWidth)).join('')}`.trimEnd()
  const blocks = groups.map((group) => [
    row(
      '',
      group.map(({ token }) => fit(tokenLabel(token), columnWidth - 2)),
    ),
    ...bookColumnsOf(lines).map(({ name, of }) =>
      row(
        name,
        group.map((line) => of(line).replace('\n', ' ')),
      ),
    ),
  ])
  return [...head, ...blocks.flatMap((block) => ['', ...block])].join('\n')
}

function fit(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`
}

export function renderTable({ title, note, columns, rows, none }: ReportTable): string {
  const head = [`== ${title}`, ...(note === '' ? [] : wrap(note, 0))]
  if (rows.length === 0) return [...head, none].join('\n')
  const cells = rows.map((row) => row.map((cell) => linesOf(cell).map(({ text }) => part(text))))
  const widths = columns.map(({ name }, index) =>
    Math.max(
      name.length,
      ...cells.map((row) => Math.max(...(row[index] ?? ['']).map(({ length }) => length))),
    ),
  )
  const isNarrow = widths.reduce((sum, one) => sum + one + 2, 0) <= width
  return [...head, ...(isNarrow ? renderColumns(columns, cells, widths) : renderBlocks(columns, cells))].join(
    '\n',
  )
}

type Cells = readonly (readonly (readonly string[])[])[]

function renderColumns(columns: ReportTable['columns'], cells: Cells, widths: readonly number[]): string[] {
  const line = (parts: readonly string[]) =>
    parts
      .map((text, index) =>
        columns[index]?.isNumber ? text.padStart(widths[index] ?? 0) : text.padEnd(widths[index] ?? 0),
      )
      .join('  ')
      .trimEnd()
  return [
    line(columns.map(({ name }) => name)),
    ...cells.flatMap((row) => {
      const height = Math.max(...row.map(({ length }) => length))
      return Array.from({ length: height }, (_, at) => line(row.map((lines) => lines[at] ?? '')))
    }),
  ]
}

/** Rows that are wider than a terminal, as lines of `name  value`. */
function renderBlocks(columns: ReportTable['columns'], cells: Cells): string[] {
  const names = Math.max(...columns.map(({ name }) => name.length))
  return cells.flatMap((row, at) => [
    ...(at === 0 ? [] : ['']),
    ...row.flatMap((lines, index) =>
      lines.flatMap((text, line) => {
        const name = line === 0 ? (columns[index]?.name ?? '') : ''
        return wrap(`  ${name.padEnd(names)}  ${text}`, names + 4)
      }),
    ),
  ])
}

/** Broken at spaces; what has none stays whole. */
function wrap(text: string, indent: number): string[] {
  const lines: string[] = []
  let rest = text
  while (rest.length > width) {
    const at = rest.lastIndexOf(' ', width)
    const cut =
      at > indent && rest.slice(0, at).trim() !== '' ? at : rest.indexOf(' ', Math.max(width, indent + 1))
    if (cut <= 0) break
    lines.push(rest.slice(0, cut).trimEnd())
    rest = `${' '.repeat(indent)}${rest.slice(cut + 1).trimStart()}`
    if (rest.trim() === '') return lines
  }
  return [...lines, rest]
}
