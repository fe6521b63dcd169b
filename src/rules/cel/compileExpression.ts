import type { ASTNode, Environment, ParseResult } from '@marcbachmann/cel-js'
import { type LinearPattern, readPattern } from '../../lib/linearPattern.ts'
import { nearest, suggest } from '../../lib/nearest.ts'
import { parseAmount } from './amountValue.ts'
import { type Budget, createBudget, findCostly, meter, mostSteps, runWithin, spend } from './budget.ts'
import { dottedName, isText } from './comparisons.ts'
import { findContradiction } from './contradictions.ts'
import { createEnvironment } from './createEnvironment.ts'
import { type HashNames, lowerHashes } from './hashes.ts'
import { findImpossible, type KnownValues, linearMatches } from './impossible.ts'
import { walk } from './walk.ts'

/** What is wrong with a text, and where in it: an offset in UTF-16 units. */
export interface TextProblem {
  readonly message: string
  readonly offset: number
}

export type Compiled<T> =
  | { readonly ok: true; readonly run: T }
  | { readonly ok: false; readonly problem: TextProblem }

export interface Vocabulary extends HashNames {
  /** Every name that may stand in the expression, dotted, for suggestions. */
  readonly names: readonly string[]
  readonly values: KnownValues
  /** What names can be in the findings of the one rule alone. */
  readonly ownValues?: KnownValues
  /** The labels that there can be, where they are known: any other one is always "". */
  readonly labels?: readonly string[]
  /** Whether a name stands for a text. */
  readonly isText?: (name: string) => boolean
  /** Of a name that may be null the type that it has otherwise; null for any other name. */
  readonly typeOfNullable?: (name: string) => string | null
}

/**
 * Parses and checks a condition. What comes back is a function of its variables that gives true or false, or throws
 * when neither can be said (an unknown amount, say).
 */
export function compileExpression(
  environment: Environment,
  text: string,
  vocabulary: Vocabulary,
): Compiled<(variables: Record<string, unknown>) => boolean> {
  if (text.trim() === '') return fail('an empty expression; leave the key out instead', 0)
  const budget = createBudget()
  const patterns = new Map<string, LinearPattern>()
  environment.registerFunction(
    `string.${linearMatches}(string): bool`,
    (value: string, source: string) => matchWithin(budget, patterns.get(source), value),
    { async: false },
  )
  let program: ParseResult
  try {
    program = environment.parse(text)
    lowerHashes(program.ast, vocabulary)
    replaceMatches(program.ast)
  } catch (error) {
    return fail(...describeError(text, error, vocabulary))
  }
  const checked = program.check()
  if (!checked.valid) return fail(...describeError(text, checked.error, vocabulary))
  if (checked.type !== 'bool') {
    return fail(`expected an expression that is true or false, this one gives ${checked.type}`, 0)
  }
  const problem =
    findLiteralProblem(program.ast, vocabulary, patterns) ??
    findContradiction(text, program.ast) ??
    findCostProblem(program.ast)
  if (problem) return { ok: false, problem }
  if (!hasName(program.ast)) return fail('the expression names nothing, so that it is always the same', 0)
  meter(program.ast, budget)
  return { ok: true, run: (variables) => runWithin(budget, () => evaluate(program, variables)) }
}

/** The library's own `matches` cannot be registered again: ours has another name inside. */
function replaceMatches(root: ASTNode): void {
  for (const node of walk(root))
    if (node.op === 'rcall' && node.args[0] === 'matches') Object.assign(node.args, { 0: linearMatches })
}

function matchWithin(budget: Budget, pattern: LinearPattern | undefined, text: string): boolean {
  if (pattern === undefined) throw new Error('the pattern of matches() is not written out')
  spend(budget, Math.ceil((pattern.size * text.length) / 16))
  return pattern.isIn(text)
}

function findCostProblem(root: ASTNode): TextProblem | null {
  const costly = findCostly(root)
  if (costly === null) return null
  const [steps, most] = [costly.steps, mostSteps].map((count) => count.toLocaleString('en-US'))
  const message = `this may take ${steps} steps, and an evaluation has ${most}: nest fewer loops, over shorter lists`
  return { message, offset: costly.node.start }
}

function evaluate(program: ParseResult, variables: Record<string, unknown>): boolean {
  const value: unknown = program(variables)
  if (typeof value !== 'boolean') throw new Error('the expression gave neither true nor false')
  return value
}

function fail(message: string, offset: number): { readonly ok: false; readonly problem: TextProblem } {
  return { ok: false, problem: { message, offset } }
}

function describeError(expression: string, error: unknown, vocabulary: Vocabulary): [string, number] {
  const { summary, range, message } = error as {
    summary?: string
    range?: { start: number }
    message?: string
  }
  const text = summary ?? message ?? String(error)
  const offset = range?.start ?? 0
  const name = /^(?:Unknown variable|No such key): (.+)$/.exec(text)?.[1]
  if (name !== undefined) {
    // What stands before it, e.g. `transfer.token.`, says which names are possible here.
    const before = /(?:\w+\.)*$/.exec(expression.slice(0, offset))?.[0] ?? ''
    const within = vocabulary.names.filter((known) => known.startsWith(before))
    const known = new Set(within.map((one) => one.slice(before.length).split('.')[0] ?? ''))
    const near = nearest(name, known) ?? (before === '' ? whole(name, vocabulary.names) : null)
    const hint =
      near === null ? `; known here: ${[...known].join(', ')}` : `, did you mean \`${before}${near}\`?`
    return [`unknown name \`${before}${name}\`${hint}`, offset]
  }
  return [
    `${plainTypes(text.replaceAll(linearMatches, 'matches'))}${hintFor(text, expression, offset)}`,
    offset,
  ]
}

const plainTypes = (text: string) => text.replaceAll('google.protobuf.', '')

/** A name of which only the end, or a part in its midst, was written: the first up to there. */
function whole(name: string, names: readonly string[]): string | null {
  const found = names.find((one) => one.split('.').includes(name))
  return found === undefined ? null : found.slice(0, found.lastIndexOf(name) + name.length)
}

/** How what other languages write otherwise is written here, by what is said of it. */
const hints: readonly (readonly [RegExp, string])[] = [
  [/'now\(/, 'how long it has been so is `age`'],
  [/'not\(/, '`not` is written !'],
  [/ == null| != null|null [=!]= /, 'a text that is not there is ""'],
  [/ in string/, 'a list is written ["a", "b"]'],
  [
    /string [<>]=? (int|double|Amount)|(int|double|Amount) [<>]=? string/,
    'a number in a text is read by amount(…)',
  ],
  [/(int|double) [<>=!]=? \S*Duration/, 'milliseconds are compared as a number, as in > 300000'],
  [/Amount [-+*/%] |[-+*/%] Amount/, 'amounts are compared alone, by == != < <= > >='],
  [/Amount|amount\(/, 'an amount is written amount("1000.5")'],
  [/Duration|duration\(/, 'a duration is written duration("30m")'],
  [/Timestamp/, 'a time is written timestamp("2026-01-31T08:00:00Z")'],
  [/\bToken\b/, 'its symbol is transfer.token.symbol, its address transfer.token.address'],
  [/string [=!]= (int|double)|(int|double) [=!]= string/, 'a text stands in quotes, an address as well'],
  [/string\.\w+\((int|double)\)/, 'a text stands in quotes, an address as well'],
]

function hintFor(text: string, expression: string, offset: number): string {
  if (/(int|double) [<>=!]=? string|string [<>=!]=? (int|double)/.test(text) && hasQuotedNumber(expression))
    return ` (${unquoted})`
  const found = hints.find(([pattern]) => pattern.test(text))?.[1] ?? hintAt(expression, offset)
  return found === null ? '' : ` (${found})`
}

const unquoted = 'a number stands without quotes'

/** Outside a function, as in `facts.percent > "80"`. */
function hasQuotedNumber(expression: string): boolean {
  return /(^|[^(])(["'])\d+(\.\d+)?\2/.test(expression)
}

/** Where an expression cannot be read on, by what stands there. */
function hintAt(expression: string, offset: number): string | null {
  const [before, after] = [expression.slice(0, offset + 1), expression.slice(offset)]
  if (before.endsWith('===') || (/[^=!<>]=$/.test(before) && !after.startsWith('==')))
    return 'what is equal is written =='
  if (/\d(ms|s|m|h|d|w)$/.test(before)) return 'a duration is written duration("30m")'
  if (before.endsWith('<>')) return 'what is not equal is written !='
  if (/^[“”„‘’]/.test(after)) return 'quotes are straight: " at both ends'
  if (/\bin\s*\([^()]*,$/.test(before)) return 'a list is written ["a", "b"]'
  if (/\s(and|or)\s/.test(expression)) return '`and` is written &&, `or` ||'
  if (/\bnot\s/.test(expression)) return '`not` is written !'
  return null
}

function findLiteralProblem(
  root: ASTNode,
  vocabulary: Vocabulary,
  patterns: Map<string, LinearPattern>,
): TextProblem | null {
  for (const node of walk(root)) {
    const problem =
      checkCall(node) ??
      checkZone(node) ??
      checkPattern(node, patterns) ??
      checkNullable(node, vocabulary) ??
      checkPresence(node) ??
      checkLabel(node, vocabulary) ??
      checkOrder(node, vocabulary)
    if (problem) return problem
  }
  return findImpossible(root, vocabulary)
}

/** `amount("…")`, `duration("…")` and `timestamp("…")` with a literal: what would throw at every evaluation is said now. */
function checkCall(node: ASTNode): TextProblem | null {
  if (node.op !== 'call') return null
  const [name, [argument]] = node.args
  if (argument?.op !== 'value' || typeof argument.args !== 'string') return null
  const text = argument.args
  if (name === 'amount' && parseAmount(text) === null) {
    return { message: `expected an amount such as "1000.5", got "${text}"`, offset: argument.start }
  }
  if (name === 'duration' && !isTaken('duration(text)', text)) {
    return { message: `expected a duration such as "30m" or "36h", got "${text}"`, offset: argument.start }
  }
  if (name === 'timestamp' && !isTaken('timestamp(text)', text)) {
    return {
      message: `expected a time such as "2026-01-31T08:00:00Z", got "${text}"`,
      offset: argument.start,
    }
  }
  return null
}

/** `getHours("Europe/Berlin")` and its like. */
function checkZone(node: ASTNode): TextProblem | null {
  const [method, , [zone]] = node.op === 'rcall' ? node.args : ['', null, []]
  if (!method.startsWith('get') || zone === undefined || !isText(zone)) return null
  if (isTaken('timestamp("2026-01-31T08:00:00Z").getHours(text)', zone.args)) return null
  return { message: `expected a time zone such as "Europe/Berlin", got "${zone.args}"`, offset: zone.start }
}

/** The pattern of `matches` must be written out, so that it is compiled once, and what is wrong with it is said now. */
function checkPattern(node: ASTNode, patterns: Map<string, LinearPattern>): TextProblem | null {
  if (node.op !== 'rcall' || node.args[0] !== linearMatches) return null
  const [argument] = node.args[2]
  if (argument?.op !== 'value' || typeof argument.args !== 'string') {
    return { message: 'expected the pattern of matches() in quotes', offset: (argument ?? node).start }
  }
  const read = readPattern(argument.args, 'line')
  if (!read.ok) return { message: read.problem, offset: argument.start }
  patterns.set(argument.args, read.pattern)
  return null
}

function isTaken(call: string, text: string): boolean {
  try {
    createEnvironment().registerVariable('text', 'string').evaluate(call, { text })
    return true
  } catch {
    return false
  }
}

/** Every label can be read, so that asking whether it is there says nothing. */
function checkPresence(node: ASTNode): TextProblem | null {
  const asked =
    node.op === 'in' ? node.args[1] : node.op === 'call' && node.args[0] === 'has' ? node.args[1][0] : null
  const name = asked ? dottedName(asked) : null
  if (name !== 'labels' && !name?.startsWith('labels.')) return null
  const message = `a label that is not there reads as "": write labels["name"] != ""`
  return { message, offset: node.start }
}

function checkLabel(node: ASTNode, { labels }: Vocabulary): TextProblem | null {
  const label = /^labels\.(.+)$/s.exec(dottedName(node) ?? '')?.[1]
  if (!labels || label === undefined || labels.includes(label)) return null
  return {
    message: `no alert has a label \`${label}\`${suggest(label, labels)}`,
    offset: node.start,
  }
}

/** What may be null has no type that the language would check: held against another type it is never equal, or throws each time. */
function checkNullable(node: ASTNode, { typeOfNullable }: Vocabulary): TextProblem | null {
  if (!(comparing as readonly string[]).includes(node.op)) return null
  const sides = node.args as readonly ASTNode[]
  const named = sides.find((side) => typeOfNullable?.(dottedName(side) ?? '') != null)
  const name = named && dottedName(named)
  const type = name && typeOfNullable?.(name)
  if (!named || !name || !type) return null
  // What is a text is compared with words elsewhere, and said there.
  const others = sides.flatMap((side) => (side.op === 'list' ? side.args : side)).map(typeOfWritten)
  const other = others.find((one) => one !== null && one !== 'string' && !isComparable(one, type))
  if (!other) return null
  if (other === 'Amount' && type === 'string')
    return { message: `${name} is a text: write amount(${name})`, offset: named.start }
  const text = `no such overload: ${type} ${node.op} ${other}`
  return { message: `${plainTypes(text)}${hintFor(text, '', 0)}`, offset: named.start }
}

const comparing = ['==', '!=', '<', '<=', '>', '>=', 'in']

function isComparable(one: string, type: string): boolean {
  return one === type || (one === 'double' && type === 'int')
}

const typesOfCalls: Readonly<Record<string, string>> = {
  amount: 'Amount',
  duration: 'Duration',
  timestamp: 'google.protobuf.Timestamp',
}

/** The type of what is written out; null of null and of what holds a name. */
function typeOfWritten(node: ASTNode): string | null {
  if (node.op === 'call') return typesOfCalls[node.args[0]] ?? null
  if (node.op !== 'value') return null
  if (typeof node.args === 'bigint') return 'int'
  if (typeof node.args === 'number') return 'double'
  if (typeof node.args === 'boolean') return 'bool'
  return typeof node.args === 'string' ? 'string' : null
}

/** Texts compare letter by letter, by which "9" is more than "1000": whoever asks for it means numbers. */
function checkOrder(node: ASTNode, { isText, typeOfNullable }: Vocabulary): TextProblem | null {
  if (node.op !== '<' && node.op !== '<=' && node.op !== '>' && node.op !== '>=') return null
  const text = node.args.find((side) => {
    if (side.op === 'value') return typeof side.args === 'string'
    const name = dottedName(side)
    return name !== null && isText?.(name)
  })
  if (text === undefined) return null
  const number = node.args.find((side) => typeOfNullable?.(dottedName(side) ?? '') === 'int')
  if (number && typeOfWritten(text) === 'string')
    return { message: `no such overload: int ${node.op} string (${unquoted})`, offset: text.start }
  const message = `\`${node.op}\` compares texts letter by letter, "9" is more than "1000": put both sides into amount(…), or into int(…)`
  return { message, offset: text.start }
}

function hasName(root: ASTNode): boolean {
  for (const node of walk(root))
    if (node.op === 'id' || (node.op === 'call' && node.args[0] === 'open')) return true
  return false
}
