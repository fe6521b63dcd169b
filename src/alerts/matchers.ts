import { findPatternProblem } from '../rules/cel/findPatternProblem.ts'
import type { Labels } from './routing.ts'

export interface Matcher {
  readonly label: string
  readonly operator: '=' | '!=' | '=~' | '!~'
  readonly value: string
}

export type ParsedMatcher =
  | { readonly ok: true; readonly matcher: Matcher }
  | { readonly ok: false; readonly problem: string }

const longestValue = 1_000
/** Every open repeat multiplies the time that a pattern may take on a text. */
const mostRepeats = 3
/** No label is longer than a few hashes; what is, matches no pattern. */
const longestMatched = 512

/**
 * Reads one matcher: a label, `=`, `!=`, `=~` or `!~`, and a value, in quotes or not. A pattern has to match the whole
 * value.
 * @example parseMatcher('token=~"0xa.*"')
 */
export function parseMatcher(text: string): ParsedMatcher {
  const [, label, operator, written] =
    /^\s*([A-Za-z_][A-Za-z0-9_.-]{0,63})\s*(=~|!~|!=|=)\s*(.*?)\s*$/su.exec(text) ?? []
  if (label === undefined || operator === undefined || written === undefined) {
    return failed(text, 'expected label=value, label!=value, label=~pattern or label!~pattern')
  }
  const value = /^"(.*)"$/su.exec(written)?.[1]?.replace(/\\(["\\])/g, '$1') ?? written
  if (value.length > longestValue) return failed(text, `expected at most ${longestValue} characters`)
  // Narrowed by the expression above.
  const matcher: Matcher = { label, operator: operator as Matcher['operator'], value }
  const problem = isPattern(matcher) ? findProblem(value) : null
  return problem === null ? { ok: true, matcher } : failed(text, problem)
}

function failed(text: string, problem: string): ParsedMatcher {
  return { ok: false, problem: `${text.slice(0, 200)}: ${problem}` }
}

function isPattern({ operator }: Matcher): boolean {
  return operator === '=~' || operator === '!~'
}

function findProblem(pattern: string): string | null {
  const problem = findPatternProblem(pattern)
  if (problem !== null) return problem
  const plain = pattern.replace(/\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|.)/gsu, 'x').replace(/\[[^\]]*\]/gu, 'x')
  const repeats = plain.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0
  return repeats > mostRepeats ? `expected a pattern with at most ${mostRepeats} open repeats` : null
}

/** @example formatMatcher({ label: 'rule', operator: '=', value: 'stalled' }) // 'rule="stalled"' */
export function formatMatcher({ label, operator, value }: Matcher): string {
  return `${label}${operator}"${value.replace(/["\\]/g, '\\$&')}"`
}

/** Whether all of them match; a label that is not there is an empty one. */
export function compileMatchers(matchers: readonly Matcher[]): (labels: Labels) => boolean {
  const tests = matchers.map((matcher) => ({ label: matcher.label, test: compile(matcher) }))
  return (labels) => tests.every(({ label, test }) => test(labels[label] ?? ''))
}

function compile(matcher: Matcher): (value: string) => boolean {
  const { operator, value: wanted } = matcher
  if (operator === '=') return (value) => value === wanted
  if (operator === '!=') return (value) => value !== wanted
  const pattern = new RegExp(`^(?:${wanted})$`, 'su')
  const isWanted = operator === '=~'
  return (value) => value.length <= longestMatched && pattern.test(value) === isWanted
}
