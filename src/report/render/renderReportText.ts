import type { DailyReport } from '../dailyReport.ts'
import { part } from '../../delivery/channels/textParts.ts'
import { listReportTables, type ReportTable } from './reportTables.ts'
import { verdictLabel, windowLabel } from './reportWords.ts'

/** The report as plain text: every row as lines of `name: value`, which no narrow window breaks. */
export function renderReportText(report: DailyReport): string {
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
