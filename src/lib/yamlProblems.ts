import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter } from 'yaml'
import { rangeOf } from './maskSecrets.ts'

export type YamlPath = readonly (string | number)[]

/** One thing wrong with a YAML file, and where. */
export interface YamlProblem {
  readonly file: string
  /** Both count from 1. */
  readonly line: number
  readonly column: number
  readonly message: string
  /** The line as written, with secrets masked; null when there is none to show. */
  readonly sourceLine: string | null
  /** How many characters the caret underlines. */
  readonly width: number
}

/** A parsed file that remembers where everything stood. */
export interface YamlDoc {
  readonly path: string
  readonly document: Document.Parsed
  readonly lineCounter: LineCounter
  /** As written, secrets and all: only to find places in. */
  readonly text: string
  /** As written, but with literal secrets masked: the only text that may be shown. */
  readonly shownLines: readonly string[]
}

export interface YamlPosition {
  readonly line: number
  readonly column: number
  readonly width: number
}

/** A problem with a file as a whole, such as one that cannot be opened. */
export function fileProblem(file: string, message: string): YamlProblem {
  return { file, line: 1, column: 1, message, sourceLine: null, width: 1 }
}

/** Where the value (or the key) at a path stands; of a path that does not exist, its nearest parent. */
export function positionOf(doc: YamlDoc, path: YamlPath, part: 'key' | 'value' = 'value'): YamlPosition {
  let node: unknown = doc.document.contents
  let range = rangeOf(node)
  for (const [index, step] of path.entries()) {
    const container: unknown = isAlias(node) ? node.resolve(doc.document) : node
    const pair = isMap(container)
      ? container.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step))
      : undefined
    const next: unknown = isSeq(container) ? container.items[Number(step)] : pair?.value
    const key = rangeOf(pair?.key)
    if (next === undefined && key === null) break
    const isLast = index === path.length - 1
    range = (isLast && part === 'key' ? key : null) ?? rangeOf(next) ?? key ?? range
    node = next
  }
  return positionAt(doc, range ?? [0, 0])
}

export function problemAt(
  doc: YamlDoc,
  path: YamlPath,
  message: string,
  part?: 'key' | 'value',
): YamlProblem {
  return toProblem(doc, positionOf(doc, path, part), message)
}

/**
 * For texts inside a scalar, such as an expression: the place `offset` characters into its value. Exact where the value
 * stands in the file as it is or, in a block, line by line; the scalar's beginning where quoting or folding changed it.
 */
export function problemInside(doc: YamlDoc, path: YamlPath, offset: number, message: string): YamlProblem {
  const node = doc.document.getIn(path, true)
  const range = rangeOf(node)
  if (!isScalar(node) || typeof node.value !== 'string' || range === null) {
    return problemAt(doc, path, message)
  }
  const within = findWithin(doc.text.slice(...range), node.value, offset)
  if (within === null) return problemAt(doc, path, message)
  const start = range[0] + within
  return problemAtOffset(doc, [start, start + 1], message)
}

function findWithin(written: string, value: string, offset: number): number | null {
  if (offset < 0 || offset > value.length) return null
  const whole = written.indexOf(value)
  if (whole !== -1) return whole + offset
  const lineStart = offset === 0 ? 0 : value.lastIndexOf('\n', offset - 1) + 1
  const line = value.slice(lineStart).split('\n')[0] ?? ''
  const found = line === '' ? -1 : written.indexOf(line)
  return found === -1 ? null : found + offset - lineStart
}

/** What of `later` says something new: where a value was refused already, whatever else is against it is an echo. */
export function withoutEchoes(
  earlier: readonly YamlProblem[],
  later: readonly YamlProblem[],
): readonly YamlProblem[] {
  const place = ({ file, line, column }: YamlProblem) => `${file}:${line}:${column}`
  const taken = new Set(earlier.map(place))
  return later.filter((problem) => !taken.has(place(problem)))
}
function positionAt(doc: YamlDoc, range: readonly [number, number]): YamlPosition {
  const { line, col } = doc.lineCounter.linePos(range[0])
  return { line: Math.max(line, 1), column: Math.max(col, 1), width: Math.max(1, range[1] - range[0]) }
}

/** For what has a place and no path. */
export function problemAtOffset(
  doc: YamlDoc,
  range: readonly [number, number],
  message: string,
): YamlProblem {
  return toProblem(doc, positionAt(doc, range), message)
}

function toProblem(doc: YamlDoc, position: YamlPosition, message: string): YamlProblem {
  return { file: doc.path, ...position, message, sourceLine: doc.shownLines[position.line - 1] ?? null }
}
