import { type Document, isCollection, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { errorText } from './errors.ts'
import { maskSecrets, rangeOf, type YamlMask } from './maskSecrets.ts'
import { findOddKey, toMistake, unknownAlias, type YamlMistake } from './yamlMistakes.ts'
import { fileProblem, problemAtOffset, type YamlDoc, type YamlProblem } from './yamlProblems.ts'

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
  const doc = { path: input.path, document, lineCounter, text, shownLines }
  const syntax = listMistakes(doc).map(({ range, message }) => problemAtOffset(doc, range, message))
  if (document.errors.length > 0) return { doc: null, data: null, problems: firstPerLine(syntax) }
  const aliases = findBadAliases(doc)
  if (aliases.length > 0) return { doc: null, data: null, problems: [...syntax, ...aliases] }
  const values = checkValues(doc)
  try {
    return { doc, data: document.toJS({ maxAliasCount: 50 }), problems: [...syntax, ...values] }
  } catch {
    // Everything else was looked for before.
    const { problems } = fail(input.path, 'the aliases (*name) of this file stand for too much: write it out')
    return { doc: null, data: null, problems: [...syntax, ...values, ...problems] }
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

/** What is wrong with the syntax; behind something that stays open nothing more can be said. */
function listMistakes(doc: YamlDoc): readonly YamlMistake[] {
  const { errors, warnings } = doc.document
  const places = new Map([...errors, ...warnings].toReversed().map((error) => [error.pos[0], error]))
  const mistakes = [...places.values()].reverse().map((error) => toMistake(doc, error))
  const open = mistakes.find(({ hidesRest }) => hidesRest)
  if (open === undefined) return mistakes
  return [...mistakes.filter(({ range }) => range[0] < open.range[0]), open]
}

/** A parser that has lost its way says more about one line than helps. */
function firstPerLine(problems: readonly YamlProblem[]): YamlProblem[] {
  const byLine = new Map(problems.toReversed().map((problem) => [problem.line, problem]))
  return [...byLine.values()].reverse()
}

function fail(path: string, message: string) {
  return { doc: null, data: null, problems: [fileProblem(path, message)] }
}

/** An alias of nothing, or inside what it stands for: read as data it would contain itself, and whoever walks it never ends. */
function findBadAliases(doc: YamlDoc): YamlProblem[] {
  const problems: YamlProblem[] = []
  visit(doc.document, {
    Alias(_, alias, path) {
      const isInside = path.some((node) => isCollection(node) && node.anchor === alias.source)
      if (!isInside && alias.resolve(doc.document) !== undefined) return
      const message = isInside
        ? `*${shorten(alias.source)} stands inside of what it stands for: write out what is meant`
        : unknownAlias
      problems.push(problemAtOffset(doc, rangeOf(alias) ?? [0, 0], message))
    },
  })
  return problems
}

/** Refuses what YAML reads as something else than the writer meant, and turns whole numbers into plain ones. */
function checkValues(doc: YamlDoc): YamlProblem[] {
  const problems: YamlProblem[] = []
  const report = (node: Node, message: string) =>
    problems.push(problemAtOffset(doc, rangeOf(node) ?? [0, 0], message))
  visit(doc.document, {
    Pair(_, pair) {
      if (!isScalar(pair.key)) return
      const odd = findOddKey(pair)
      if (odd !== null) report(pair.key, odd)
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
