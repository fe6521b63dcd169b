import { z } from 'zod'
import type { FactTable } from '../rules/factTable.ts'
import { defineRaised, type Found, type RaisedKind, type SubjectName } from '../rules/kind.ts'
import type { Finding } from '../bridge/finding.ts'
import type { Rule, Severity } from '../rules/types.ts'

/** A kind that the alert engine finds by itself, about itself. */
export interface MetaKind<T extends FactTable = FactTable> extends RaisedKind {
  /** What holds unless a rule says otherwise. */
  readonly severity: Severity
  raise(found: Found<T>): Finding
}

export const ruleError = defineMeta({
  kind: 'monitor.rule_error',
  docs: 'A rule cannot be evaluated; its alerts keep their state.',
  remedy: 'Run `spanwatch rules test` and correct this rule; its alerts keep their state meanwhile.',
  severity: 'warning',
  facts: { rule: 'string', errors: 'int', reason: 'string' },
})

export const ruleOverflow = defineMeta({
  kind: 'monitor.rule_overflow',
  docs: 'A rule found more than is reported one by one.',
  remedy: "Narrow the rule's `where`, or find the one cause of so many findings.",
  severity: 'warning',
  sinceMoves: true,
  facts: { rule: 'string', count: 'int', cap: 'int' },
})

export const channelDead = defineMeta({
  kind: 'monitor.channel_dead',
  docs: 'A channel refuses messages, or has taken none for ten minutes; they go to the fallback channel.',
  remedy: 'Repair this channel: address, permission or mailbox; its messages go to the fallback meanwhile.',
  severity: 'critical',
  subjectNames: ['channel'],
  facts: { channel: 'string', recipient: 'string', reason: 'string' },
})

export const messageDead = defineMeta({
  kind: 'monitor.message_dead',
  docs: 'Messages to a channel were set aside within the last day, and no other channel took over what they say.',
  remedy:
    'Read what was set aside: `spanwatch outbox list --state dead`. Send it again once the channel takes it: `spanwatch outbox retry dead`.',
  severity: 'critical',
  subjectNames: ['channel'],
  sinceMoves: true,
  facts: { channel: 'string', count: 'int', reason: 'string' },
})

export const noData = defineMeta({
  kind: 'monitor.no_data',
  docs: 'A rule has had nothing to judge by for five minutes, or nothing to judge one of several things by for an hour.',
  remedy: 'Check why the source of this rule gives nothing, or remove the rule.',
  severity: 'warning',
  facts: { rule: 'string', about: 'string' },
})

export const metaKinds: readonly (RaisedKind & Pick<MetaKind, 'severity'>)[] = [
  ruleError,
  ruleOverflow,
  channelDead,
  messageDead,
  noData,
]

export function isMetaKind(kind: string): boolean {
  return metaKinds.some((one) => one.kind === kind)
}

/** The rule for a meta alert: the operator's own for that kind, else a built-in one named after it. */
export function metaRule(
  rules: Iterable<Rule>,
  { kind, severity }: Pick<MetaKind, 'kind' | 'severity'>,
): Rule {
  for (const rule of rules) if (rule.kind === kind) return rule
  return {
    name: kind,
    kind,
    params: {},
    asks: '',
    forMs: 0,
    keepFiringForMs: 0,
    severity,
    labels: {},
    runbook: null,
    matches: () => true,
    isExcused: () => false,
    summarize: () => null,
    origin: 'built-in',
  }
}

function defineMeta<const T extends FactTable>(of: {
  readonly kind: string
  readonly docs: string
  readonly remedy: string
  readonly severity: Severity
  readonly subjectNames?: readonly SubjectName[]
  readonly sinceMoves?: true
  readonly facts: T
}): MetaKind<T> {
  const { severity, subjectNames = [], ...described } = of
  const kind = defineRaised({
    ...described,
    nature: 'condition',
    raisedBy: 'alerts',
    sources: [],
    ties: [],
    isGuard: true,
    hasTransfer: false,
    subjectNames,
    params: z.strictObject({}),
  })
  return { ...kind, severity }
}
