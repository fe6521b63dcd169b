import type { UnixMs } from '../lib/clock.ts'
import { getDetector } from '../rules/detectors/registry.ts'
import type { Rule } from '../rules/types.ts'
import type { AlertStore } from '../store/alertStore.ts'
import type { Database } from '../store/database.ts'
import { countEventsByRule, countOpenByRule } from '../store/pageQueries.ts'
import type { RuleView } from '../web/viewTypes.ts'

const dayMs = 86_400_000

/** Every rule with its state, in the order in which they were read. */
export function readRules(
  sources: {
    readonly db: Database
    readonly alerts: Pick<AlertStore, 'listEvaluations'>
    readonly rules: readonly Rule[]
  },
  now: UnixMs,
): RuleView[] {
  const evaluations = new Map(sources.alerts.listEvaluations().map((one) => [one.rule, one]))
  const open = Map.groupBy(countOpenByRule(sources.db), ({ rule }) => rule)
  const events = countEventsByRule(sources.db, now - dayMs)
  return sources.rules.map((rule) => {
    const evaluation = evaluations.get(rule.name) ?? null
    const counts = open.get(rule.name) ?? []
    const sum = (wanted: (state: string) => boolean) =>
      counts.filter(({ state }) => wanted(state)).reduce((total, { count }) => total + count, 0)
    const { nature, from } = getDetector(rule.kind)
    return {
      name: rule.name,
      kind: rule.kind,
      nature,
      isRaised: from === 'raised',
      severity: rule.severity,
      origin: rule.origin,
      forMs: rule.forMs,
      evaluatedAt: evaluation?.evaluatedAt ?? null,
      firing: sum((state) => state !== 'pending'),
      pending: sum((state) => state === 'pending'),
      events: events.get(rule.name) ?? 0,
      problem: sayProblem(evaluation),
    }
  })
}

type Evaluation = ReturnType<AlertStore['listEvaluations']>[number]

function sayProblem(evaluation: Evaluation | null): string | null {
  if (evaluation === null) return null
  if (evaluation.errors > 0) return evaluation.reason ?? 'it could not be evaluated'
  return evaluation.unknownSince === null ? null : 'there is nothing to judge it by'
}
