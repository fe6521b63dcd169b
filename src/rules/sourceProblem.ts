import { isAlias, isPair, isScalar, type Document, LineCounter, type Node } from 'yaml'

/** One text with its name, as read from a file. */
export interface SourceText {
  readonly path: string
  readonly text: string
}

/** What is wrong in a file, where, and the line it is in. Line and column count from 1. */
export interface SourceProblem {
  readonly path: string
  readonly line: number
  readonly column: number
  readonly message: string
  readonly sourceLine: string
}

/** Turns offsets of one text into problems. */
export function createLocator(source: SourceText, lines: LineCounter) {
  const allLines = source.text.split(/\r?\n/)
  return (offset: number, message: string): SourceProblem => {
    const { line, col } = lines.linePos(Math.max(0, Math.min(offset, source.text.length)))
    const at = Math.max(line, 1)
    return {
      path: source.path,
      line: at,
      column: Math.max(col, 1),
      message,
      sourceLine: allLines[at - 1] ?? '',
    }
  }
}

export type Locate = ReturnType<typeof createLocator>

/**
 * A problem as people read it: file, line and column, the message, the line itself with a caret.
 * @example formatProblem(problem) // "rules/a.yaml:3:5: unknown key 'serverity', did you mean 'severity'?\n…"
 */
export function formatProblem(problem: SourceProblem): string {
  const head = `${problem.path}:${problem.line}:${problem.column}: ${problem.message}`
  if (problem.sourceLine.trim() === '') return head
  // A very long line is shown around the place.
  const from = problem.column > 100 ? problem.column - 60 : 0
  const shown = problem.sourceLine.slice(from, from + 140).replaceAll('\t', ' ')
  const number = String(problem.line).padStart(4)
  return `${head}\n${number} | ${shown}\n     | ${' '.repeat(Math.max(problem.column - 1 - from, 0))}^`
}

/**
 * Where a path of keys and indexes begins in the text: the value, or its key when `onKey`; where the path goes on
 * beyond the document, the deepest thing that is there.
 */
export function offsetOf(document: Document, path: readonly PropertyKey[], onKey = false): number {
  for (let length = path.length; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true)
    const last = path[length - 1]
    const pair = itemsOf(parent).find((item) => isPair(item) && isScalar(item.key) && item.key.value === last)
    const isWhole = length === path.length
    if (pair && isPair(pair) && isScalar(pair.key) && ((isWhole && onKey) || !startOf(pair.value))) {
      return pair.key.range?.[0] ?? 0
    }
    const start = startOf(document.getIn(path.slice(0, length), true))
    if (start !== null) return start
  }
  return startOf(document.contents) ?? 0
}

/**
 * Where a place inside a scalar's value stands in the file. Exact where the value stands there as it is or, in a block,
 * line by line; the scalar's beginning where quoting or folding changed it.
 */
export function offsetInScalar(source: string, node: unknown, offset: number): number {
  if (!isScalar(node) || !node.range || typeof node.value !== 'string') return startOf(node) ?? 0
  const [start, end] = node.range
  const written = source.slice(start, end)
  const whole = written.indexOf(node.value)
  if (whole !== -1) return start + whole + offset
  const lineStart = node.value.lastIndexOf('\n', offset - 1) + 1
  const line = node.value.slice(lineStart).split('\n')[0] ?? ''
  const found = line === '' ? -1 : written.indexOf(line)
  return found === -1 ? start : start + found + offset - lineStart
}

function itemsOf(node: unknown): readonly unknown[] {
  return typeof node === 'object' && node !== null && 'items' in node && Array.isArray(node.items)
    ? node.items
    : []
}

function startOf(node: unknown): number | null {
  if (typeof node !== 'object' || node === null || isAlias(node)) return null
  const range = (node as Node).range
  return range ? range[0] : null
}
