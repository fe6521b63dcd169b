import { findingLabelNames } from '../bridge/finding.ts'
import { type ReadPattern, readPattern } from '../lib/linearPattern.ts'
import { lowerHash } from '../lib/lowerHash.ts'
import { putNewest } from '../lib/putNewest.ts'
import { transferLabels } from '../rules/toFindingScope.ts'
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

/** What a transfer goes by, in lower case. */
export type NamesOfTransfer = Readonly<Record<(typeof transferLabels)[number], readonly string[]>>

/**
 * Patterns by their text. Silences are read from the ledger at every flush and for every event: a pattern of Unicode
 * classes takes 100 ms to compile, and its automaton grows while it is used.
 */
const known = new Map<string, ReadPattern>()
const mostKnown = 200

/**
 * Reads one matcher: a label, `=`, `!=`, `=~` or `!~`, and a value, in quotes or not. A pattern is in the syntax of RE2
 * and has to match the whole value.
 * @example parseMatcher('token=~"0xa.*"')
 */
export function parseMatcher(text: string): ParsedMatcher {
  const [, label, operator, written] =
    /^([A-Za-z_][A-Za-z0-9_.-]{0,63})\s*(=~|!~|!=|=)\s*(.*)$/su.exec(text.trim()) ?? []
  if (label === undefined || operator === undefined || written === undefined) {
    return failed(text, 'expected label=value, label!=value, label=~pattern or label!~pattern')
  }
  if (/^"(?:.*[^"])?$/su.test(written)) return failed(text, 'expected a quote at the end of the value, too')
  const inside = /^"(.*)"$/su.exec(written)?.[1]?.replace(/\\(["\\])/g, '$1') ?? written
  const value = toKept(label, inside)
  if (value.length > longestValue) return failed(text, `expected at most ${longestValue} characters`)
  // Narrowed by the expression above.
  const matcher: Matcher = { label, operator: operator as Matcher['operator'], value }
  const read = isPattern(matcher) ? readKnown(value) : null
  return read?.ok === false ? failed(text, read.problem) : { ok: true, matcher }
}

/** As an alert's own labels have it; those that a rule gives are as it writes them. */
export function toKept(label: string, value: string): string {
  return (findingLabelNames as readonly string[]).includes(label) ? lowerHash(value) : value
}

function failed(text: string, problem: string): ParsedMatcher {
  return { ok: false, problem: `${text.slice(0, 200)}: ${problem}` }
}

function isPattern({ operator }: Matcher): boolean {
  return operator === '=~' || operator === '!~'
}

function readKnown(source: string): ReadPattern {
  const found = known.get(source)
  if (found !== undefined) return found
  const read = readPattern(source, 'everything')
  putNewest(known, source, read, mostKnown)
  return read
}

/** @example formatMatcher({ label: 'rule', operator: '=', value: 'stalled' }) // 'rule="stalled"' */
export function formatMatcher({ label, operator, value }: Matcher): string {
  return `${label}${operator}"${value.replace(/["\\]/g, '\\$&')}"`
}

/**
 * Whether all of them match; a label that is not there is an empty one. A matcher whose pattern cannot be read matches
 * nothing, whatever it asks for.
 */
export function compileMatchers(matchers: readonly Matcher[]): (labels: Labels) => boolean {
  const tests = matchers.map((matcher) => ({ label: matcher.label, test: compile(matcher) }))
  return (labels) => tests.every(({ label, test }) => test(labels[label] ?? ''))
}

/**
 * Matchers in two parts: `labels` asks what an alert carries, `transfer` what its transfer goes by, and is null where
 * no matcher asks that. A name is compared in lower case, and any of several will do.
 */
export function compileParts(matchers: readonly Matcher[]): {
  readonly labels: (labels: Labels) => boolean
  readonly transfer: ((names: NamesOfTransfer | null, labels: Labels) => boolean) | null
} {
  const asked = matchers.flatMap((matcher) => {
    const label = transferLabels.find((name) => name === matcher.label)
    return label === undefined ? [] : [{ label, test: compileNamed(matcher) }]
  })
  const labels = compileMatchers(matchers.filter(({ label }) => !isTransferLabel(label)))
  if (asked.length === 0) return { labels, transfer: null }
  return {
    labels,
    // A rule may have a label of its own of such a name.
    transfer: (names, own) =>
      asked.every(({ label, test }) => test([...(names?.[label] ?? []), ...ownOf(own, label)])),
  }
}

function ownOf(labels: Labels, label: string): string[] {
  const value = labels[label]
  return value === undefined ? [] : [value.toLowerCase()]
}

export function isTransferLabel(label: string): boolean {
  return (transferLabels as readonly string[]).includes(label)
}

function compileNamed(matcher: Matcher): (names: readonly string[]) => boolean {
  const isPositive = matcher.operator === '=' || matcher.operator === '=~'
  const value = isPattern(matcher) ? matcher.value : matcher.value.toLowerCase()
  const test = compile({ ...matcher, value })
  const orNone = (names: readonly string[]) => (names.length === 0 ? [''] : names)
  return (names) => (isPositive ? orNone(names).some(test) : orNone(names).every(test))
}

function compile({ operator, value: wanted }: Matcher): (value: string) => boolean {
  if (operator === '=') return (value) => value === wanted
  if (operator === '!=') return (value) => value !== wanted
  const read = readKnown(wanted)
  if (!read.ok) return () => false
  return (value) => read.pattern.fits(value) === (operator === '=~')
}
