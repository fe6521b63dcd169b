import { digestMaterial, isOnlyFilledIn, settlingOf } from '../../alerts/material.ts'
import { sayFinding } from '../../delivery/kindWords.ts'
import type { Finding } from '../../bridge/finding.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Detector } from '../../rules/kind.ts'
import type { LoadedRule } from '../../rules/types.ts'

interface Example {
  readonly at: UnixMs
  readonly subject: string
  readonly text: string
}

/** What one rule would have raised. */
export interface RuleTellings {
  readonly rule: string
  readonly kind: string
  readonly severity: string
  /** Events raised, or how often a condition fired. */
  readonly told: number
  readonly corrected: number
  /** Of the conditions that fired: those that ended by themselves. */
  readonly resolved: number
  readonly firstAt: UnixMs | null
  readonly lastAt: UnixMs | null
  /** Told by day (UTC). */
  readonly days: Readonly<Record<string, number>>
  /** The first ones, in order of time. */
  readonly examples: readonly Example[]
  /** Evaluations that could not say yes or no. */
  readonly errors: number
}

interface Counts {
  told: number
  corrected: number
  resolved: number
  errors: number
  firstAt: UnixMs | null
  lastAt: UnixMs | null
  readonly days: Map<string, number>
  examples: Example[]
}

const mostExamples = 5
const dayMs = 86_400_000

/** Counts what rules would have raised between two times; what lies outside is passed over. */
export function createTellings(
  rules: readonly LoadedRule[],
  window: { readonly since: UnixMs; readonly until: UnixMs },
) {
  const counts = new Map(rules.map((rule) => [rule.name, createCounts()]))
  const dayNames = new Map<number, string>()
  const nameDay = (at: UnixMs) => {
    const day = Math.floor(at / dayMs)
    const known = dayNames.get(day)
    if (known !== undefined) return known
    const name = new Date(day * dayMs).toISOString().slice(0, 10)
    dayNames.set(day, name)
    return name
  }
  const isInside = (at: UnixMs) => at >= window.since && at < window.until
  const of = (rule: LoadedRule) => counts.get(rule.name) as Counts

  return {
    tell(rule: LoadedRule, finding: Finding, at: UnixMs): void {
      if (!isInside(at)) return
      const one = of(rule)
      one.told += 1
      one.firstAt = Math.min(one.firstAt ?? at, at)
      one.lastAt = Math.max(one.lastAt ?? at, at)
      const day = nameDay(at)
      one.days.set(day, (one.days.get(day) ?? 0) + 1)
      const last = one.examples.at(-1)
      if (one.examples.length >= mostExamples && last !== undefined && last.at <= at) return
      const text = rule.summarize(finding, at) ?? sayFinding(rule.detector, finding, at)
      const subject = finding.transfer?.key ?? finding.subject
      one.examples = [...one.examples, { at, subject, text }]
        .sort((a, b) => a.at - b.at)
        .slice(0, mostExamples)
    },
    correct(rule: LoadedRule, at: UnixMs): void {
      if (isInside(at)) of(rule).corrected += 1
    },
    resolve(rule: LoadedRule, at: UnixMs): void {
      if (isInside(at)) of(rule).resolved += 1
    },
    fail(rule: LoadedRule): void {
      of(rule).errors += 1
    },
    list: (): RuleTellings[] =>
      rules.map((rule) => {
        const { days, ...rest } = of(rule)
        const sorted = [...days].sort(([a], [b]) => (a < b ? -1 : 1))
        return {
          rule: rule.name,
          kind: rule.kind,
          severity: rule.severity,
          ...rest,
          days: Object.fromEntries(sorted),
        }
      }),
  }
}

export type Tellings = ReturnType<typeof createTellings>

function createCounts(): Counts {
  return {
    told: 0,
    corrected: 0,
    resolved: 0,
    errors: 0,
    firstAt: null,
    lastAt: null,
    days: new Map(),
    examples: [],
  }
}

/** What was raised of one event so far; null before. */
export type ToldEvent = { readonly finding: Finding; readonly digests: readonly string[] } | null

/** Whether an event is news, a correction of what was sent at once, or neither: as the alert engine decides it. */
export function judgeNews(
  kind: Detector,
  told: ToldEvent,
  finding: Finding,
): { readonly news: 'first' | 'correction' | 'none'; readonly told: ToldEvent } {
  const digest = digestMaterial(kind, finding)
  if (told === null) return { news: 'first', told: { finding, digests: [digest] } }
  if (settlingOf(told.digests, digest) !== 0) return { news: 'none', told }
  const isFilledIn = isOnlyFilledIn(kind, told.finding, finding)
  const isCorrection = !isFilledIn && finding.transfer !== null
  return {
    news: isCorrection ? 'correction' : 'none',
    told: { finding, digests: [...told.digests, digest] },
  }
}
