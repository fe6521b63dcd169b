import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { createLocator, type Locate, type SourceProblem, type SourceText } from './sourceProblem.ts'

export interface ParsedYaml {
  readonly document: Document
  readonly locate: Locate
  /** The file's content as plain values; null when the file cannot be read as one document. */
  readonly value: unknown
  readonly problems: readonly SourceProblem[]
}

/** Reads one YAML document strictly: no repeated keys, no surprises with numbers, every problem with its place. */
export function parseYaml(source: SourceText): ParsedYaml {
  const lines = new LineCounter()
  const document = parseDocument(source.text, {
    lineCounter: lines,
    prettyErrors: false,
    strict: true,
    uniqueKeys: true,
    stringKeys: true,
    intAsBigInt: true,
    version: '1.2',
  })
  const locate = createLocator(source, lines)
  const errors = [...document.errors, ...document.warnings].map((error) =>
    locate(error.pos[0], error.code === 'DUPLICATE_KEY' ? 'this key is here twice' : error.message),
  )
  if (errors.length > 0) return { document, locate, value: null, problems: errors }
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    const problems = [locate(0, "the file is empty; expected 'rules:' with a list of rules")]
    return { document, locate, value: null, problems }
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: 50 })
    return { document, locate, value: withPlainNumbers(value), problems: findOddNumbers(document, locate) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { document, locate, value: null, problems: [locate(0, message)] }
  }
}

/** Whole numbers were read as bigint, so that none is rounded unseen; those that fit are numbers after all. */
function withPlainNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value
  }
  if (Array.isArray(value)) return value.map(withPlainNumbers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withPlainNumbers(one)]))
}

/** An address without quotes is a number to YAML, and no number of ours is infinite. */
function findOddNumbers(document: Document, locate: Locate): SourceProblem[] {
  const problems: SourceProblem[] = []
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value !== 'number' && typeof node.value !== 'bigint') return
      const written = node.source ?? ''
      const at = node.range?.[0] ?? 0
      if (/^[-+]?0x/i.test(written)) {
        problems.push(
          locate(at, `quote this address: "${written.slice(0, 70)}" is a number to YAML without quotes`),
        )
      } else if (typeof node.value === 'number' && !Number.isFinite(node.value)) {
        problems.push(locate(at, `expected a number, got ${written}`))
      }
    },
  })
  return problems
}
