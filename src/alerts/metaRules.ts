import type { ConditionKind } from '../bridge/finding.ts'
import type { Rule } from '../rules/types.ts'

/** What the alert engine itself has to say: each kind with the severity that holds unless a rule says otherwise. */
const severities = {
  'monitor.rule_error': 'warning',
  'monitor.rule_overflow': 'warning',
  'monitor.channel_dead': 'critical',
  'monitor.no_data': 'warning',
} as const

export type MetaKind = keyof typeof severities & ConditionKind

/** The kinds that the alert engine finds by itself. */
export const metaKinds: readonly string[] = Object.keys(severities)

/** The rule for a meta alert: the operator's own for that kind, else a built-in one named after it. */
export function metaRule(rules: Iterable<Rule>, kind: MetaKind): Rule {
  for (const rule of rules) if (rule.kind === kind) return rule
  return {
    name: kind,
    kind,
    params: {},
    forMs: 0,
    keepFiringForMs: 0,
    severity: severities[kind],
    labels: {},
    runbook: null,
    matches: () => true,
    isExcused: () => false,
    summarize: () => null,
    origin: 'built-in',
  }
}

export function isMetaKind(kind: string): kind is MetaKind {
  return Object.hasOwn(severities, kind)
}
