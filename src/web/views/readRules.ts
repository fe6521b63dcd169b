import type { Unwatched } from '../../config/listUnwatched.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/duration.ts'
import type { LoadedRule } from '../../rules/types.ts'
import type { AlertStore } from '../../alerts/store/alertStore.ts'
import type { Database } from '../../store/database.ts'
import { countEventsOf, countOpenByRule, readLastFired } from './pageQueries.ts'
import { type RuleTestName, testsOf } from './readRuleTests.ts'
import { isStale } from '../judgeVerdict.ts'
import type { Coverage } from '../statusFacts.ts'
import type { RuleView } from '../viewTypes.ts'

const dayMs = 86_400_000

/** Every rule with its state, in the order in which they were read. */
export function readRules(
  sources: {
    readonly db: Database
    readonly alerts: Pick<AlertStore, 'listEvaluations'>
    readonly rules: readonly LoadedRule[]
    /** How much of each source was looked at. */
    readonly coverage: readonly Coverage[]
    readonly unwatched: readonly Unwatched[]
    /** That lie beside the rules. */
    readonly tests: readonly RuleTestName[]
  },
  now: UnixMs,
): RuleView[] {
  const evaluations = new Map(sources.alerts.listEvaluations().map((one) => [one.rule, one]))
  const open = Map.groupBy(countOpenByRule(sources.db), ({ rule }) => rule)
  return sources.rules.map((rule) => {
    const evaluation = evaluations.get(rule.name) ?? null
    const counts = open.get(rule.name) ?? []
    const sum = (wanted: (state: string) => boolean) =>
      counts.filter(({ state }) => wanted(state)).reduce((total, { count }) => total + count, 0)
    const { nature, from } = rule.detector
    const silent = findSilent(rule, sources.coverage, now)
    return {
      name: rule.name,
      kind: rule.kind,
      watches: rule.detector.docs,
      lastFiredAt: readLastFired(sources.db, rule.name),
      tests: testsOf(rule.name, sources.tests),
      nature,
      isRaised: from === 'raised',
      severity: rule.severity,
      origin: rule.origin,
      forMs: rule.forMs,
      evaluatedAt: silent ? silent.lastGoodAt : (evaluation?.evaluatedAt ?? null),
      firing: sum((state) => state !== 'pending'),
      pending: sum((state) => state === 'pending'),
      events: countEventsOf(sources.db, rule.name, now - dayMs),
      problem: silent ? saySilent(silent, now) : sayProblem(evaluation),
      unsure: silent ? null : toUnsure(rule, evaluation),
      needs: sources.unwatched.find(({ kinds }) => kinds.includes(rule.kind))?.setting ?? null,
    }
  })
}

/** The source that it is judged by and that has given no good answer of late. */
function findSilent(rule: LoadedRule, coverage: readonly Coverage[], now: UnixMs): Coverage | null {
  const wanted: readonly string[] = rule.detector.sources
  return coverage.find((one) => wanted.includes(one.source) && isStale(one, now)) ?? null
}

function saySilent({ source, lastGoodAt }: Coverage, now: UnixMs): string {
  return lastGoodAt === null
    ? `${source} has never been read`
    : `${source} has given no good answer for ${formatDuration(now - lastGoodAt)}`
}

const unsureShown = 3

/** What is kept of it for its own sake, and concerns nobody, is left out. */
function toUnsure(rule: LoadedRule, evaluation: Evaluation | null): RuleView['unsure'] {
  const { detector } = rule
  const why = detector.from === 'facts' ? detector.cannotTell : undefined
  const unsure = evaluation?.unsure ?? []
  if (why === undefined || unsure.length === 0) return null
  return { count: unsure.length, subjects: unsure.slice(0, unsureShown), why }
}

type Evaluation = ReturnType<AlertStore['listEvaluations']>[number]

function sayProblem(evaluation: Evaluation | null): string | null {
  if (evaluation === null) return null
  if (evaluation.errors > 0) return evaluation.reason ?? 'it could not be evaluated'
  return evaluation.unknownSince === null ? null : 'there is nothing to judge it by'
}
