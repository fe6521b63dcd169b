import type { UnixMs } from '../lib/clock.ts'
import type { Judgement } from '../rules/kind.ts'
import type { Rule } from '../rules/types.ts'
import type { EngineContext } from './engineContext.ts'
import { judgeConditions } from './judgeConditions.ts'
import { judgeOverflows, judgeRuleErrors, saveGoodEvaluation } from './judgeMeta.ts'

/** One evaluation of a condition rule that gave an answer. */
export function applyCondition(context: EngineContext, rule: Rule, judgement: Judgement, now: UnixMs): void {
  const before = context.store.getEvaluation(rule.name)
  const judged = judgeConditions(context, rule, { judgement, evaluatedAt: before?.evaluatedAt ?? null }, now)
  if (judged.problem !== null) return keepCondition(context, rule, judged.problem, now)
  const { findings, unknown } = judgement
  const isUnknown = unknown === 'all' && findings.length === 0
  saveGoodEvaluation(context, rule, now, {
    unknownSince: isUnknown ? Math.min(before?.unknownSince ?? now, now) : null,
    unsure: unknown === 'all' ? [] : unknown,
  })
  if ((before?.errors ?? 0) > 0) judgeRuleErrors(context, now)
  judgeOverflows(context, { rule: rule.name, overflow: judged.overflow }, now)
}

/** The rule's `unless` holds: it says nothing new and takes nothing back, and that is no lack of data. */
export function excuseCondition(context: EngineContext, rule: Rule, now: UnixMs): void {
  const before = context.store.getEvaluation(rule.name)
  const judgement: Judgement = { findings: [], unknown: 'all' }
  judgeConditions(context, rule, { judgement, evaluatedAt: before?.evaluatedAt ?? null }, now)
  saveGoodEvaluation(context, rule, now)
}

/** An evaluation that failed: every alert of the rule keeps its state. */
export function keepCondition(context: EngineContext, rule: Rule, reason: string, now: UnixMs): void {
  context.looked.add(rule.name)
  const before = context.store.getEvaluation(rule.name)
  const errors = (before?.errors ?? 0) + 1
  context.store.saveEvaluation({
    rule: rule.name,
    evaluatedAt: before?.evaluatedAt ?? null,
    errors,
    failingSince: Math.min(before?.failingSince ?? now, now),
    reason,
    unknownSince: null,
  })
  if (errors === 1) context.log.warn({ rule: rule.name, reason }, 'a rule could not be evaluated')
  judgeRuleErrors(context, now)
}
