import { z } from 'zod'
import type { YamlMask } from './maskSecrets.ts'
import { nearest } from './nearest.ts'
import { problemAt, type YamlDoc, type YamlPath, type YamlProblem } from './yamlProblems.ts'

/**
 * What a schema has against parsed YAML, each with its position: what was expected, what came, and for an unknown key
 * the nearest known one. `data` is the data as written: values that were put in later must not be shown.
 */
export function schemaProblems(
  doc: YamlDoc,
  context: { readonly schema: z.ZodType; readonly data: unknown; readonly mask?: YamlMask },
  error: z.ZodError,
): YamlProblem[] {
  return error.issues.flatMap((issue) => issueProblems(doc, context, issue, issue.path.map(toStep)))
}

type Context = Parameters<typeof schemaProblems>[1]
type Issue = z.core.$ZodIssue

function issueProblems(doc: YamlDoc, context: Context, issue: Issue, path: YamlPath): YamlProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(context.schema, path, context.data)
    return issue.keys.map((key) => problemAt(doc, [...path, key], describeUnknownKey(key, known), 'key'))
  }
  if (issue.code === 'invalid_key') {
    const reasons = issue.issues.map((inner) => inner.message).join('; ')
    return [problemAt(doc, path, `\`${String(path.at(-1))}\`: ${reasons}`, 'key')]
  }
  if (issue.code === 'invalid_union') {
    const closest = closestBranch(issue)
    if (closest !== null) {
      return closest.flatMap((inner) =>
        issueProblems(doc, context, inner, [...path, ...inner.path.map(toStep)]),
      )
    }
  }
  const value = valueAt(context.data, path)
  const name = path.length === 0 ? 'the file' : `\`${nameOf(path)}\``
  const expected = describeExpected(issue)
  if (value === undefined) return [problemAt(doc, path, `${name} is missing: ${expected}`)]
  const isSecret = context.mask?.isSecret(path.filter((step) => typeof step === 'string')) ?? false
  return [problemAt(doc, path, `${name}: ${expected}${isSecret ? '' : `, got ${describeValue(value)}`}`)]
}

/** @example nameOf(['routes', 0, 'match']) // 'routes[0].match' */
function nameOf(path: YamlPath): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('')
}

/** @example describeUnknownKey('pase', ['pace', 'auth']) // 'unknown key `pase`, did you mean `pace`?' */
function describeUnknownKey(key: string, known: readonly string[]): string {
  const meant = nearest(key, known)
  const shown = key.length > 60 ? `${key.slice(0, 59)}…` : key
  if (meant !== null) return `unknown key \`${shown}\`, did you mean \`${meant}\`?`
  if (known.length === 0 || known.length > 20) return `unknown key \`${shown}\``
  return `unknown key \`${shown}\`: expected one of ${[...known].sort().join(', ')}`
}

const typeWords: Readonly<Record<string, string>> = {
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
}

function describeExpected(issue: Issue): string {
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input')) {
    return `expected ${typeWords[issue.expected] ?? issue.expected}`
  }
  if (issue.code === 'invalid_value') return `expected ${issue.values.map(String).join(' or ')}`
  const message = issue.message.replace(/^(Invalid input|Too small|Too big|Invalid \w+): /, '')
  return message.replace(/, received \w+$/, '')
}

/** What came, as YAML would write it; long values shortened. */
function describeValue(value: unknown): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a mapping'
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value)
  if (typeof value !== 'string') return typeof value
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 59)}…` : value)
}

/** Of a union the branch that came furthest; none when every branch refuses the value's very type. */
function closestBranch(issue: Extract<Issue, { code: 'invalid_union' }>): readonly Issue[] | null {
  const branches = issue.errors.filter((branch) => branch.some((inner) => inner.path.length > 0))
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
