import type { Judgement } from '../rules/kind.ts'
import type { Rule } from '../rules/types.ts'
import type { EngineContext } from './engineContext.ts'
import { judgeConditions } from './judgeConditions.ts'
import { judgeOverflows, judgeRuleErrors, saveGoodEvaluation } from './judgeMeta.ts'

/** One evaluation of a condition rule that gave an answer. */
export function applyCondition(context: EngineContext, rule: Rule, judgement: Judgement): void {
  const before = context.store.getEvaluation(rule.name)
  const judged = judgeConditions(context, rule, { judgement, evaluatedAt: before?.evaluatedAt ?? null })
  if (judged.problem !== null) return keepCondition(context, rule, judged.problem)
  const { findings, unknown } = judgement
  const isUnknown = unknown === 'all' && findings.length === 0
  saveGoodEvaluation(context, rule, context.now, {
    unknownSince: isUnknown ? Math.min(before?.unknownSince ?? context.now, context.now) : null,
    unsure: unknown === 'all' ? [] : unknown,
  })
  if ((before?.errors ?? 0) > 0) judgeRuleErrors(context)
  judgeOverflows(context, { rule: rule.name, overflow: judged.overflow })
}

/** The rule's `unless` holds: it says nothing new and takes nothing back, and that is no lack of data. */
export function excuseCondition(context: EngineContext, rule: Rule): void {
  const before = context.store.getEvaluation(rule.name)
  const judgement: Judgement = { findings: [], unknown: 'all' }
  judgeConditions(context, rule, { judgement, evaluatedAt: before?.evaluatedAt ?? null })
  saveGoodEvaluation(context, rule, context.now)
}

/** An evaluation that failed: every alert of the rule keeps its state. */
export function keepCondition(context: EngineContext, rule: Rule, reason: string): void {
  context.looked.add(rule.name)
  const before = context.store.getEvaluation(rule.name)
  const errors = (before?.errors ?? 0) + 1
  context.store.saveEvaluation({
    rule: rule.name,
    evaluatedAt: before?.evaluatedAt ?? null,
    errors,
    failingSince: Math.min(before?.failingSince ?? context.now, context.now),
    reason,
    unknownSince: null,
  })
  if (errors === 1) context.log.warn({ rule: rule.name, reason }, 'a rule could not be evaluated')
  judgeRuleErrors(context)
}
