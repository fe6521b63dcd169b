import { isCollection, isScalar, type Pair, visit, type YAMLError } from 'yaml'
import { rangeOf } from './maskSecrets.ts'
import type { YamlDoc } from './yamlProblems.ts'

export interface YamlMistake {
  readonly range: readonly [number, number]
  readonly message: string
  /** Something is open to the end of the file: what is said of the rest of it says nothing. */
  readonly hidesRest?: true
}

/**
 * What the writer of a file did wrong, where it was done. The parser says where it could not go on, in the words of the
 * YAML specification: of a quote that is not closed that is the end of the file.
 */
export function toMistake(doc: YamlDoc, error: YAMLError): YamlMistake {
  const of = { doc, error, at: error.pos[0] }
  return said[error.code]?.(of) ?? { range: error.pos, message: error.message }
}

interface Of {
  readonly doc: YamlDoc
  readonly error: YAMLError
  readonly at: number
}

type Say = (of: Of) => YamlMistake | null

const said: Partial<Record<YAMLError['code'], Say>> = {
  MULTIPLE_DOCS: ({ error }) => ({
    range: error.pos,
    message: 'expected one YAML document: remove what follows `---`',
  }),
  TAB_AS_INDENT: ({ error }) => ({ range: error.pos, message: 'tabs cannot indent YAML: use spaces' }),
  DUPLICATE_KEY: sayDuplicate,
  MISSING_CHAR: (of) => sayOpenQuote(of) ?? sayBracket(of) ?? sayNoColon(of) ?? sayNoDash(of),
  BAD_INDENT: (of) => sayBracket(of) ?? sayIndent(of),
  UNEXPECTED_TOKEN: (of) =>
    sayOpenQuote(of) ??
    sayQuoteEnd(of) ??
    sayClosesNothing(of) ??
    sayFlowInText(of) ??
    sayBlockHead(of) ??
    sayNoDash(of),
  BLOCK_AS_IMPLICIT_KEY: (of) => sayDeeper(of) ?? sayColonInText(of),
  MULTILINE_IMPLICIT_KEY: (of) => sayNoColon(of),
  BLOCK_IN_FLOW: ({ error }) => ({
    range: error.pos,
    message: 'expected a comma between what stands inside of { } or [ ]',
  }),
  BAD_SCALAR_START: ({ doc, at }) => quoteIt(at, doc.text.slice(at, at + 1)),
  NON_STRING_KEY: ({ doc, at }) => (doc.text.slice(at - 1, at + 1) === '{{' ? quoteIt(at - 1, '{{') : null),
  BAD_ALIAS: ({ error }) => ({ range: error.pos, message: unknownAlias }),
  TAG_RESOLVE_FAILED: ({ at }) => quoteIt(at, '!'),
  BAD_DQ_ESCAPE: ({ doc, error, at }) => ({
    range: error.pos,
    message: `${doc.text.slice(at, at + 2)} means nothing between double quotes: write \\\\ for a backslash, or use single quotes`,
  }),
}

function quoteIt(at: number, sign: string): YamlMistake {
  return { range: [at, at + sign.length], message: `text that begins with ${sign} has to be in quotes` }
}

function sayDuplicate({ doc, error, at }: Of): YamlMistake {
  let before: number | null = null
  visit(doc.document, {
    Map(_, map) {
      const keys = map.items.map(({ key }) => key)
      const place = keys.findIndex((key) => rangeOf(key)?.[0] === at)
      const key = keys[place]
      if (!isScalar(key)) return
      const first = keys.slice(0, place).find((one) => isScalar(one) && one.value === key.value)
      before = rangeOf(first)?.[0] ?? null
      return visit.BREAK
    },
  })
  const where = before === null ? '' : `, in line ${lineOf(doc, before)}`
  return { range: error.pos, message: `this key was given before${where}` }
}

/** A quote without its twin: the file ends first, or the next one that opens is taken for it. */
function sayOpenQuote({ doc, error, at }: Of): YamlMistake | null {
  const isEnd = /^Missing closing ["']quote/.test(error.message)
  if (!isEnd && !error.message.startsWith('Unexpected scalar')) return null
  let open: YamlMistake | null = null
  visit(doc.document, {
    Scalar(_, { type, range }) {
      if ((type !== 'QUOTE_DOUBLE' && type !== 'QUOTE_SINGLE') || !range) return
      const [from, to, until] = range
      const isLong = lineOf(doc, from) < lineOf(doc, to - 1)
      if (from > at || at > until + 1 || (!isEnd && !isLong)) return
      const isClosed = isLong && doc.text[to - 1] === doc.text[from]
      const end = isClosed ? `: the one in line ${lineOf(doc, to - 1)} was taken for its end` : ''
      open = { range: [from, from + 1], message: `this quote is not closed${end}`, hidesRest: true }
    },
  })
  return open
}

function sayQuoteEnd({ doc, error, at }: Of): YamlMistake | null {
  const quote = /(["'])[ \t]*$/.exec(doc.text.slice(0, at))?.[1]
  if (quote === undefined || !error.message.startsWith('Unexpected scalar')) return null
  const inside = quote === "'" ? "''" : '\\"'
  const message = `text stands behind the quote that ended the value: put all of it into other quotes, or write ${inside} for a quote inside of it`
  return { range: error.pos, message }
}

const pairs: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

/** A bracket without its twin, said of the innermost one that is open. */
function sayBracket({ doc, error, at }: Of): YamlMistake | null {
  if (!error.message.startsWith('Flow ')) return null
  let open: number | null = null
  visit(doc.document, {
    Node(_, node) {
      if (!isCollection(node) || !node.flow || !node.range) return
      const [from, to] = node.range
      const sign = doc.text.slice(from, from + 1)
      if (from < at && doc.text.slice(to - 1, to) !== pairs[sign]) open = from
    },
  })
  if (open === null) return null
  const sign = doc.text.slice(open, open + 1)
  const found = doc.text.slice(at, at + 1)
  return found === '}' || found === ']'
    ? {
        range: [at, at + 1],
        message: `expected ${pairs[sign]} here: it is ${sign} that is open`,
        hidesRest: true,
      }
    : {
        range: [open, open + 1],
        message: `this ${sign} is not closed: ${pairs[sign]} is missing`,
        hidesRest: true,
      }
}

function sayClosesNothing({ doc, error, at }: Of): YamlMistake | null {
  const sign = doc.text.slice(at, at + 1)
  return sign === '}' || sign === ']' ? { range: error.pos, message: `this ${sign} closes nothing` } : null
}

/** An expression such as `chain in ["main"]` among the keys of one line. */
function sayFlowInText({ doc, error, at }: Of): YamlMistake | null {
  if (!/^Unexpected flow-(seq|map)-start at node end/.test(error.message)) return null
  const sign = doc.text.slice(at, at + 1)
  return { range: [at, at + 1], message: `inside of { } or [ ] a text with ${sign} has to be in quotes` }
}

function sayBlockHead({ doc, error, at }: Of): YamlMistake | null {
  const head = /[|>][-+\d]*[ \t]+$/.exec(lineBefore(doc, at))
  if (head === null) return null
  const sign = head[0].slice(0, 1)
  const message = `after ${sign} the text begins in the next line; text that itself begins with ${sign} has to be in quotes`
  return { range: error.pos, message }
}

function sayNoDash({ doc, error, at }: Of): YamlMistake | null {
  if (error.message !== 'Sequence item without - indicator') return null
  const from = afterIndent(doc, at)
  const message =
    'this line belongs to no entry of the list: begin it with -, or indent it as the lines of its entry'
  return { range: [from, from + 1], message }
}

function sayIndent({ doc, error, at }: Of): YamlMistake | null {
  if (error.message !== 'All mapping items must start at the same column') return null
  const from = afterIndent(doc, at)
  const column = doc.lineCounter.linePos(from).col
  const usual = columnOfMap(doc, at)
  const where = usual === null ? '' : `: those begin in column ${usual}, this one in column ${column}`
  const message = `this line is indented otherwise than the keys it stands beside${where}`
  return { range: [from, from + 1], message }
}

/** Where the entries of the map begin that an offset is inside of. */
function columnOfMap(doc: YamlDoc, at: number): number | null {
  let column: number | null = null
  visit(doc.document, {
    Map(_, map) {
      if (!map.range || map.range[0] > at || map.range[2] < at) return
      const first = rangeOf(map.items[0]?.key)
      if (first !== null && first[0] < at) column = doc.lineCounter.linePos(first[0]).col
    },
  })
  return column
}

/** A line that is indented further than the key above, although that one has its value already. */
function sayDeeper({ doc, at }: Of): YamlMistake | null {
  const line = lineOf(doc, at)
  const [here = '', next = ''] = doc.text.split('\n').slice(line - 1, line + 1)
  const indent = (text: string) => /^[ -]*/.exec(text)?.[0].length ?? 0
  const deeper = /^( +)[^\s#][^#]*?:(?:\s|$)/.exec(next)?.[1]
  if (deeper === undefined || deeper.length <= indent(here) || /:\s+\S.*:\s/.test(here)) return null
  const start = doc.lineCounter.lineStarts[line] ?? at
  const from = start + deeper.length
  const message = 'this line is indented further than the one above, which has its value already'
  return { range: [from, from + 1], message }
}

function sayColonInText({ doc, error, at }: Of): YamlMistake {
  const line = restOfLine(doc, at)
  const colon = line.search(/:(?=\s|$)/)
  const range: [number, number] = colon === -1 ? [...error.pos] : [at + colon, at + colon + 1]
  return { range, message: 'a colon inside of a text: put the text in quotes' }
}

/** A line without `: `: nobody can tell what is a key in it. */
function sayNoColon({ doc, error, at }: Of): YamlMistake | null {
  if (error.code === 'MISSING_CHAR' && !error.message.startsWith('Implicit map key')) return null
  const line = restOfLine(doc, at)
  const before = doc.text.slice(0, at).trimEnd().split('\n').at(-1) ?? ''
  const block = /:[ \t]+([|>])[-+\d]*$/.exec(before)?.[1]
  if (block !== undefined)
    return { range: [at, at + 1], message: `the text after ${block} has to be indented further than its key` }
  const tight = /^[\w.-]+:(?=\S)/.exec(line)?.[0]
  if (tight !== undefined) {
    const range: [number, number] = [at + tight.length - 1, at + tight.length]
    return { range, message: 'expected a space after this colon' }
  }
  const end = at + line.trimEnd().length
  return { range: [at, Math.max(end, at + 1)], message: 'expected a key with a colon, as in `key: value`' }
}

/** What is said of a `*` that names nothing. */
export const unknownAlias =
  'text that begins with * has to be in quotes: without them it is the name of something above'

/** Keys that are valid and never meant: after a space that is none to YAML, or with their value in them. */
export function findOddKey({ key, value }: Pair): string | null {
  if (!isScalar(key) || typeof key.value !== 'string') return null
  // As word processors and web pages put them in.
  if (/^[^\S\r\n\t ]/.test(key.value))
    return 'this line is indented by characters that are no spaces: type the spaces anew'
  const isTight = key.type === 'PLAIN' && value === null && /^[A-Za-z]\w*:\S/.test(key.value)
  return isTight ? 'a space is missing after the colon' : null
}

function afterIndent(doc: YamlDoc, at: number): number {
  return at + (/^ */.exec(restOfLine(doc, at))?.[0].length ?? 0)
}

function lineOf({ lineCounter }: YamlDoc, at: number): number {
  return lineCounter.linePos(at).line
}

function lineBefore({ text }: YamlDoc, at: number): string {
  return text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
}

function restOfLine({ text }: YamlDoc, at: number): string {
  return text.slice(at).split('\n', 1)[0] ?? ''
}
