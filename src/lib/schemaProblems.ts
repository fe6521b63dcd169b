import { z } from 'zod'
import { coverCredentials, type YamlMask } from './maskSecrets.ts'
import { nearest, suggest } from './nearest.ts'
import { problemAt, type YamlDoc, type YamlPath, type YamlProblem } from './yamlProblems.ts'

export interface SchemaContext {
  readonly schema: z.ZodType
  /** The data as written: values that were put in later must not be shown. */
  readonly data: unknown
  readonly mask?: YamlMask
  /** Where in the document the data stands, when it is not all of it: messages name what is below. */
  readonly base?: YamlPath
  /** What messages call the data as a whole. */
  readonly whole?: string
}

/**
 * What a schema has against parsed YAML, each with its position: what was expected, what came, and for an unknown key
 * the nearest known one. Of one value only the first complaint is given.
 */
export function schemaProblems(doc: YamlDoc, context: SchemaContext, error: z.ZodError): YamlProblem[] {
  const first = new Map<string, Issue>()
  for (const issue of error.issues) {
    const place = JSON.stringify([issue.path.map(String), issue.code === 'unrecognized_keys'])
    if (!first.has(place)) first.set(place, issue)
  }
  return [...first.values()].flatMap((issue) =>
    issueProblems({ doc, context }, issue, issue.path.map(toStep)),
  )
}

/**
 * What a schema has against a value that was sent, in one line.
 * @example sayIssues(z.strictObject({ by: z.string() }), issues) // 'by: expected a text; unknown key `bye`, did you mean `by`?'
 */
export function sayIssues(schema: z.ZodType, issues: readonly z.core.$ZodIssue[]): string {
  return issues
    .flatMap((issue) => {
      if (issue.code === 'unrecognized_keys') {
        const known =
          issue.path.length === 0 && schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
        return issue.keys.map((key) => describeUnknownKey(key, known))
      }
      return [`${nameOf(issue.path.map(toStep)) || 'body'}: ${describeExpected(issue, undefined)}`]
    })
    .join('; ')
}

type Issue = z.core.$ZodIssue

interface Subject {
  readonly doc: YamlDoc
  readonly context: SchemaContext
}

function issueProblems(subject: Subject, issue: Issue, path: YamlPath): YamlProblem[] {
  const { context } = subject
  const report = (below: YamlPath, message: string, part?: 'key') =>
    problemAt(subject.doc, [...(context.base ?? []), ...below], message, part)
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(context.schema, path, context.data)
    return issue.keys.map((key) => report([...path, key], describeUnknownKey(key, known), 'key'))
  }
  if (issue.code === 'invalid_key') {
    const reasons = issue.issues.map((inner) => inner.message).join('; ')
    return [report(path, `\`${String(path.at(-1))}\`: ${reasons}`, 'key')]
  }
  if (issue.code === 'invalid_union') {
    const closest = closestBranch(issue)
    if (closest !== null) {
      return closest.flatMap((inner) => issueProblems(subject, inner, [...path, ...inner.path.map(toStep)]))
    }
  }
  return [report(path, describeProblem(context, issue, path))]
}

function describeProblem(context: SchemaContext, issue: Issue, path: YamlPath): string {
  const value = valueAt(context.data, path)
  const name = path.length === 0 ? (context.whole ?? 'the file') : `\`${nameOf(path)}\``
  const expected = describeExpected(issue, value)
  if (value === undefined) return `${name} is missing: ${expected}`
  const isSecret = context.mask?.isSecret(path.filter((step) => typeof step === 'string')) ?? false
  // A message in words of its own says what came where that helps.
  if (isSecret || !expected.startsWith('expected')) return `${name}: ${expected}`
  const meant =
    issue.code === 'invalid_value' && typeof value === 'string'
      ? suggest(value, issue.values.map(String))
      : ''
  return `${name}: ${expected}, got ${describeValue(value)}${meant}${expected === 'expected a mapping' && path.length > 0 ? hintAtMapping(value) : ''}`
}

/** How a mapping most often comes to be none. */
function hintAtMapping(value: unknown): string {
  if (value === null) return ': what belongs to it stands in the lines below, indented further'
  const isTight = typeof value === 'string' && /^[A-Za-z]\w*:\S/.test(value)
  return isTight ? ': a space is missing after the colon' : ''
}

/** @example nameOf(['routes', 0, 'match']) // 'routes[0].match' */
export function nameOf(path: YamlPath): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('')
}

/** @example describeUnknownKey('pase', ['pace', 'auth']) // 'unknown key `pase`, did you mean `pace`?' */
function describeUnknownKey(key: string, known: readonly string[]): string {
  const shown = key.length > 60 ? `${key.slice(0, 59)}…` : key
  const all = known.length === 0 || known.length > 20 ? '' : `: expected ${listKeys([...known].sort())}`
  return `unknown key \`${shown}\`${suggest(key, known) || all}`
}

function listKeys(keys: readonly string[]): string {
  return keys.length === 1 ? `\`${keys.join('')}\`` : `one of ${keys.join(', ')}`
}

const typeWords: Readonly<Record<string, string>> = {
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
}

/** @example describeBound('array', 1) // '1 entry' */
function describeBound(origin: string, bound: number | bigint): string {
  if (origin === 'string') return `${bound} ${Number(bound) === 1 ? 'character' : 'characters'}`
  if (origin === 'array') return `${bound} ${Number(bound) === 1 ? 'entry' : 'entries'}`
  return String(bound)
}

function describeExpected(issue: Issue, value: unknown): string {
  // What a schema says in words of its own is better than what can be said in general.
  if (!/^(Invalid (input|option)|Too (small|big))/.test(issue.message)) return issue.message
  if (issue.code === 'invalid_type') return `expected ${typeWords[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value') return describeValues(issue.values.map(String), value)
  if (issue.code === 'too_small') {
    const bound = describeBound(issue.origin, issue.minimum)
    return `expected ${issue.inclusive === false ? 'more than' : 'at least'} ${bound}`
  }
  if (issue.code === 'too_big') {
    const bound = describeBound(issue.origin, issue.maximum)
    return `expected ${issue.inclusive === false ? 'less than' : 'at most'} ${bound}`
  }
  return issue.message.replace(/^(Invalid input|Invalid \w+): /, '').replace(/, received \w+$/, '')
}

/** More than so many of a list nobody reads: then the first ones show what they look like. */
const mostNamed = 20
const namedOfMany = 6

/** A long list would hide what was meant. */
function describeValues(known: readonly string[], value: unknown): string {
  if (known.length <= 2) return `expected ${known.join(' or ')}`
  const isNear = typeof value === 'string' && nearest(value, known) !== null
  if (isNear && known.length > 6) return 'expected a known value'
  const some = alike(known, value)
  if (some.length === 1) return `expected ${some.join('')}`
  const rest = some.length > mostNamed ? [`… (${some.length} in all)`] : []
  return `expected one of ${[...some.slice(0, rest.length > 0 ? namedOfMany : mostNamed), ...rest].join(', ')}`
}

/** Of a list that nobody reads through, what shares a word with what came. */
function alike(known: readonly string[], value: unknown): readonly string[] {
  const wordsIn = (text: string) => text.toLowerCase().split(/[^a-z0-9]+/)
  const words = typeof value === 'string' ? wordsIn(value) : []
  const some = known.filter((one) => wordsIn(one).some((word) => words.includes(word)))
  return known.length > 20 && some.length > 0 ? some : known
}

/** What came, as YAML would write it; long values shortened. */
function describeValue(value: unknown): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a mapping'
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value)
  if (typeof value !== 'string') return typeof value
  const shown = coverCredentials(value)
  return JSON.stringify(shown.length > 60 ? `${shown.slice(0, 59)}…` : shown)
}

/** Of a union the branch that came furthest; none when every branch refuses the value's very type. */
function closestBranch(issue: Extract<Issue, { code: 'invalid_union' }>): readonly Issue[] | null {
  // What looks closer at a value, and refuses it in words of its own, has taken its type.
  const branches = issue.errors.filter((branch) =>
    branch.some((inner) => inner.path.length > 0 || inner.code === 'custom'),
  )
  return branches.sort((a, b) => a.length - b.length)[0] ?? null
}

export function valueAt(data: unknown, path: YamlPath): unknown {
  let value = data
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Readonly<Record<string | number, unknown>>)[step]
  }
  return value
}

/** The keys that a schema knows at a path. */
function keysAt(schema: z.ZodType, path: YamlPath, data: unknown): string[] {
  let candidates: z.core.$ZodType[] = [schema]
  let value = data
  for (const step of path) {
    candidates = candidates
      .flatMap((candidate) => branchesOf(candidate, value))
      .flatMap((inner) => stepInto(inner, step))
    value = valueAt(value, [step])
  }
  return candidates
    .flatMap((candidate) => branchesOf(candidate, value))
    .flatMap((inner) => (inner instanceof z.ZodObject ? Object.keys(inner.shape) : []))
}

function stepInto(schema: z.core.$ZodType, step: string | number): z.core.$ZodType[] {
  if (schema instanceof z.ZodObject) {
    const inner: z.core.$ZodType | undefined = schema.shape[step]
    return inner ? [inner] : []
  }
  if (schema instanceof z.ZodArray) return [schema.element]
  if (schema instanceof z.ZodRecord) return [schema.valueType]
  return []
}

/** Looks through wrappers; of a union only the branches whose literals (such as `type: slack`) fit the value. */
function branchesOf(schema: z.core.$ZodType, value: unknown): z.core.$ZodType[] {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return branchesOf(schema.def.innerType, value)
  }
  if (schema instanceof z.ZodPipe) return branchesOf(schema.def.in, value)
  if (schema instanceof z.ZodLazy) return branchesOf(schema.def.getter(), value)
  if (schema instanceof z.ZodUnion) {
    const branches = schema.options.flatMap((option) => branchesOf(option, value))
    const fitting = branches.filter((branch) => fitsLiterals(branch, value))
    return fitting.length > 0 ? fitting : branches
  }
  return [schema]
}

function fitsLiterals(schema: z.core.$ZodType, value: unknown): boolean {
  if (!(schema instanceof z.ZodObject)) return false
  return Object.entries(schema.shape).every(
    ([key, field]) => !(field instanceof z.ZodLiteral) || field.values.has(valueAt(value, [key]) as never),
  )
}

function toStep(step: PropertyKey): string | number {
  return typeof step === 'number' ? step : String(step)
}
