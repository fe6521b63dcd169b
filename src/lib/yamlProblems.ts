import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml'
import { errorText } from './errors.ts'
import { maskSecrets, rangeOf, type YamlMask } from './maskSecrets.ts'

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
  /** As written, but with literal secrets masked: the only text that may be shown. */
  readonly shownLines: readonly string[]
}

export interface YamlPosition {
  readonly line: number
  readonly column: number
  readonly width: number
}

export interface YamlInput {
  /** As the operator named it. */
  readonly path: string
  readonly text: string
  readonly maxBytes?: number
  readonly mask?: YamlMask
}

/**
 * Reads one YAML 1.2 document of the core schema as plain data. `doc` is null when the text is no YAML at all; other
 * problems leave `doc` and `data` in place, so that the caller can look for more and report them together. Data
 * must be used only when `problems` is empty.
 */
export function parseYamlDocument(input: YamlInput): {
  readonly doc: YamlDoc | null
  readonly data: unknown
  readonly problems: readonly YamlProblem[]
} {
  const maxBytes = input.maxBytes ?? 1_048_576
  if (Buffer.byteLength(input.text) > maxBytes) {
    return fail(input.path, `the file is larger than ${maxBytes} bytes`)
  }
  const text = input.text.replace(/^\uFEFF/, '')
  const lineCounter = new LineCounter()
  let document: Document.Parsed
  try {
    document = parseDocument(text, { ...parseOptions, lineCounter })
  } catch (error) {
    // Nesting thousands of levels deep overflows the parser's stack.
    return fail(input.path, `this cannot be read as YAML: ${errorText(error)}`)
  }
  const shownLines = (input.mask ? maskSecrets(text, document, input.mask) : text).split(/\r?\n/)
  const doc = { path: input.path, document, lineCounter, shownLines }
  const syntax = [...document.errors, ...document.warnings].map((error) =>
    problemAtOffset(doc, error.pos, describeSyntax(error.code, error.message)),
  )
  if (document.errors.length > 0) return { doc: null, data: null, problems: firstPerLine(syntax) }
  const values = checkValues(doc)
  try {
    return { doc, data: document.toJS({ maxAliasCount: 50 }), problems: [...syntax, ...values] }
  } catch (error) {
    return {
      doc: null,
      data: null,
      problems: [...syntax, ...values, ...fail(input.path, errorText(error)).problems],
    }
  }
}

const parseOptions = {
  version: '1.2',
  schema: 'core',
  strict: true,
  uniqueKeys: true,
  stringKeys: true,
  intAsBigInt: true,
  resolveKnownTags: false,
  merge: false,
  prettyErrors: false,
  logLevel: 'error',
} as const

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

/** For texts inside a scalar, such as an expression: the value's position, moved by `offset` where that is exact. */
export function problemInside(doc: YamlDoc, path: YamlPath, offset: number, message: string): YamlProblem {
  const node = doc.document.getIn(path, true)
  const range = rangeOf(node)
  const isOneLine = isScalar(node) && node.type !== 'BLOCK_FOLDED' && node.type !== 'BLOCK_LITERAL'
  if (!isOneLine || range === null || offset < 0 || offset > range[1] - range[0])
    return problemAt(doc, path, message)
  const quote = node.type === 'PLAIN' ? 0 : 1
  return problemAtOffset(doc, [range[0] + quote + offset, range[0] + quote + offset + 1], message)
}

/**
 * @example
 * spanwatch.yaml:12:3: unknown key `pase`, did you mean `pace`?
 *    12 |   pase: 4
 *       |   ^^^^
 */
export function renderProblem(problem: YamlProblem): string {
  const head = `${problem.file}:${problem.line}:${problem.column}: ${problem.message}`
  if (problem.sourceLine === null) return head
  const number = String(problem.line).padStart(5)
  // A window around the caret: one line of a hostile file can be a megabyte long.
  const from = Math.max(0, problem.column - 81)
  const shown = problem.sourceLine.slice(from, from + 120)
  const indent = shown.slice(0, problem.column - 1 - from).replace(/[^\t]/g, ' ')
  const room = Math.max(1, shown.length - indent.length)
  return `${head}\n${number} | ${shown}\n      | ${indent}${'^'.repeat(Math.min(problem.width, room))}`
}

/** Problems by position, one below the other; beyond `limit` only how many more there are. */
export function renderProblems(problems: readonly YamlProblem[], limit = 50): string {
  const sorted = [...problems].sort(
    (a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column,
  )
  const rest = sorted.length - limit
  const shown = sorted.slice(0, limit).map(renderProblem)
  return [...shown, ...(rest > 0 ? [`… and ${rest} more`] : [])].join('\n')
}

/** A problem with a file as a whole, such as one that cannot be opened. */
export function fileProblem(file: string, message: string): YamlProblem {
  return { file, line: 1, column: 1, message, sourceLine: null, width: 1 }
}

/** All of them, but of those at one position only the first: what stands there was refused once already. */
export function firstPerPosition(problems: readonly YamlProblem[]): YamlProblem[] {
  return firstBy(problems, (problem) => `${problem.line}:${problem.column}`)
}

/** A parser that has lost its way says more about one line than helps. */
function firstPerLine(problems: readonly YamlProblem[]): YamlProblem[] {
  return firstBy(problems, (problem) => String(problem.line))
}

function firstBy(problems: readonly YamlProblem[], keyOf: (problem: YamlProblem) => string): YamlProblem[] {
  const seen = new Set<string>()
  return problems.filter((problem) => {
    const isNew = !seen.has(keyOf(problem))
    seen.add(keyOf(problem))
    return isNew
  })
}

function fail(path: string, message: string) {
  return { doc: null, data: null, problems: [fileProblem(path, message)] }
}

/** Refuses what YAML reads as something else than the writer meant, and turns whole numbers into plain ones. */
function checkValues(doc: YamlDoc): YamlProblem[] {
  const problems: YamlProblem[] = []
  const report = (node: Node, message: string) =>
    problems.push(problemAtOffset(doc, rangeOf(node) ?? [0, 0], message))
  visit(doc.document, {
    Pair(_, pair) {
      if (!isScalar(pair.key)) return
      if (pair.key.value === '<<') report(pair.key, 'merge keys (<<) are not supported: write the keys out')
      if (pair.key.value === '__proto__') report(pair.key, 'this key is not allowed')
    },
    Scalar(key, scalar) {
      if (key === 'key') return
      const { value, source = '' } = scalar
      if (typeof value === 'bigint') {
        if (/^0x/i.test(source)) {
          report(scalar, `quote this address: without quotes YAML reads ${shorten(source)} as a number`)
          scalar.value = source
        } else if (/^[-+]?0o/.test(source)) {
          report(scalar, `quote this text or write a decimal number: ${shorten(source)} is octal`)
        } else if (BigInt(Number(value)) === value && Number.isSafeInteger(Number(value))) {
          scalar.value = Number(value)
        }
      } else if (typeof value === 'number' && !Number.isFinite(value)) {
        report(scalar, `${shorten(source)} is not a number that means anything here`)
      }
    },
  })
  return problems
}

function shorten(text: string): string {
  return text.length > 50 ? `${text.slice(0, 49)}…` : text
}

function describeSyntax(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS') return 'expected one YAML document: remove what follows `---`'
  if (code === 'TAB_AS_INDENT') return 'tabs cannot indent YAML: use spaces'
  if (code === 'DUPLICATE_KEY') return 'this key was given before'
  return message
}

function positionAt(doc: YamlDoc, range: readonly [number, number]): YamlPosition {
  const { line, col } = doc.lineCounter.linePos(range[0])
  return { line: Math.max(line, 1), column: Math.max(col, 1), width: Math.max(1, range[1] - range[0]) }
}

function problemAtOffset(doc: YamlDoc, range: readonly [number, number], message: string): YamlProblem {
  return toProblem(doc, positionAt(doc, range), message)
}

function toProblem(doc: YamlDoc, position: YamlPosition, message: string): YamlProblem {
  return { file: doc.path, ...position, message, sourceLine: doc.shownLines[position.line - 1] ?? null }
}
