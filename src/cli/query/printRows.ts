import { toCsvLine } from '../../lib/csv.ts'
import { cleanText } from '../../lib/text.ts'
import { toJson } from '../../lib/toJson.ts'

export type Format = 'table' | 'json' | 'json-lines' | 'csv'

/** Prints records as they come. */
export interface RowPrinter {
  add(rows: readonly unknown[]): void
  end(): void
}

type Row = Readonly<Record<string, unknown>>

/** Hashes are shown whole: they are there to be copied. */
const maxCell = 80

/**
 * @param goesOn whether the rows are added to what an earlier run printed: without a heading
 */
export function createRowPrinter(
  out: (text: string) => void,
  format: Format,
  goesOn: boolean = false,
): RowPrinter {
  switch (format) {
    case 'json':
      return createJsonPrinter(out)
    case 'json-lines':
      return { add: (rows) => rows.forEach((row) => out(`${toJson(toRow(row))}\n`)), end: () => undefined }
    case 'csv':
      return createCsvPrinter(out, goesOn)
    case 'table':
      return createTablePrinter(out)
  }
}

function createJsonPrinter(out: (text: string) => void): RowPrinter {
  let separator = '[\n'
  return {
    add(rows) {
      for (const row of rows) {
        out(`${separator}  ${toJson(toRow(row))}`)
        separator = ',\n'
      }
    },
    end: () => out(separator === '[\n' ? '[]\n' : '\n]\n'),
  }
}

function createCsvPrinter(out: (text: string) => void, goesOn: boolean): RowPrinter {
  let columns: readonly string[] | null = null
  return {
    add(rows) {
      for (const row of rows.map(toRow)) {
        if (columns === null) {
          columns = Object.keys(row)
          if (!goesOn) out(toCsvLine(columns))
        }
        out(toCsvLine(columns.map((column) => toText(column, row[column]))))
      }
    },
    end: () => undefined,
  }
}

/** Widths depend on all rows, so they are printed at the end; one row alone stands upright. */
function createTablePrinter(out: (text: string) => void): RowPrinter {
  const table: Row[] = []
  return {
    add: (rows) => void table.push(...rows.map(toRow)),
    end() {
      const [first] = table
      if (first === undefined) return
      const columns = Object.keys(first).filter((column) => table.some((row) => cellOf(row, column) !== ''))
      out(table.length === 1 ? upright(first, columns) : flat(table, columns))
    },
  }
}

function upright(row: Row, columns: readonly string[]): string {
  const width = Math.max(...columns.map((column) => column.length))
  return columns.map((column) => `${column.padEnd(width)}  ${cellOf(row, column)}\n`).join('')
}

function flat(rows: readonly Row[], columns: readonly string[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => cellOf(row, column)))]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function cellOf(row: Row, column: string): string {
  return cleanText(toText(column, row[column]), maxCell)
}

/** Rows with what their list says beside them. */
export function withList(rows: readonly unknown[], list: Row): readonly unknown[] {
  return Object.keys(list).length === 0 ? rows : rows.map((row) => ({ ...toRow(row), ...list }))
}

/** When it was asked says nothing about what was found, and makes equal answers differ. */
function toRow(record: unknown): Row {
  if (typeof record !== 'object' || record === null) return { value: record }
  const { requestedAt: _, ...row } = record as Row
  return row
}

function toText(column: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  // Times are known by their names alone: the records hold them as numbers, like heights.
  if (typeof value === 'number' && /time$/i.test(column)) return new Date(value).toISOString()
  if (typeof value === 'string') return value
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean') return `${value}`
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(' ')
  return toJson(toRow(value))
}
