import type { z } from 'zod'
import { suggest } from './nearestName.ts'

type Issue = z.core.$ZodIssue

export interface DescribedIssue {
  readonly path: readonly PropertyKey[]
  /** Whether the key itself is wrong, not its value. */
  readonly onKey: boolean
  readonly message: string
}

/** What is wrong with a value, in our words: what was expected, what came, what was probably meant. */
export function describeIssue(
  issue: Issue,
  root: unknown,
  knownKeys: (path: string) => readonly string[],
): DescribedIssue[] {
  const path = issue.path
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(path.filter((part) => typeof part === 'string').join('.'))
    return issue.keys.map((key) => ({
      path: [...path, key],
      onKey: true,
      message: `unknown key '${key}'${suggest(key, known)}`,
    }))
  }
  if (issue.code === 'invalid_key') {
    const message = issue.issues.map((one) => one.message).join('; ')
    return [{ path, onKey: true, message }]
  }
  const value = readPath(root, path)
  if (value === undefined && path.length > 0 && isMissing(root, path)) {
    const hint = issue.code === 'invalid_value' ? `: expected one of ${issue.values.join(', ')}` : ''
    return [{ path: path.slice(0, -1), onKey: false, message: `'${String(path.at(-1))}' is missing${hint}` }]
  }
  return [{ path, onKey: false, message: describeValue(issue, value) }]
}

function describeValue(issue: Issue, value: unknown): string {
  if (issue.code === 'invalid_value') {
    const known = issue.values.map(String)
    const near = typeof value === 'string' ? suggest(value, known) : ''
    // A long list hides what was meant.
    if (near !== '' && known.length > 6) return `expected a known value; got ${show(value)}${near}`
    return `expected one of ${known.join(', ')}; got ${show(value)}${near}`
  }
  // Messages of our own begin so and lack only what came.
  const wanted = issue.message.startsWith('expected') ? issue.message : toExpected(issue)
  return wanted.includes(', got ') || !wanted.startsWith('expected')
    ? wanted
    : `${wanted}, got ${show(value)}`
}

function toExpected(issue: Issue): string {
  if (issue.code === 'invalid_type')
    return `expected ${issue.expected === 'object' ? 'a mapping' : `a ${issue.expected}`}`
  if (issue.code === 'too_big') return `expected at most ${issue.maximum}`
  if (issue.code === 'too_small') return `expected at least ${issue.minimum}`
  return issue.message
}

/** @example show(30n) // 'the number 30' */
function show(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value === 'string') return `'${value.slice(0, 60)}'`
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number' || typeof value === 'bigint') return `the number ${value}`.slice(0, 80)
  return typeof value === 'boolean' ? `the word ${value}` : 'a mapping'
}

function readPath(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? Reflect.get(value, key)
        : undefined,
    root,
  )
}

function isMissing(root: unknown, path: readonly PropertyKey[]): boolean {
  const parent = readPath(root, path.slice(0, -1))
  const last = path.at(-1)
  return typeof parent === 'object' && parent !== null && last !== undefined && !Object.hasOwn(parent, last)
}
