import type { Rule } from '../rules/types.ts'
import type { EngineContext } from './engineContext.ts'
import type { Step } from './stateMachine.ts'
import type { AlertHead } from './store/alertRows.ts'

/**
 * Before one evaluation: notes what a rule asks for. Where that is something else than before, also than before the start,
 * whatever was true until then may go on all the same, though the rule finds it no more.
 */
export function noteAsked({ asked, store }: EngineContext, rule: Rule, heads: readonly AlertHead[]): void {
  const { name, asks } = rule
  const known = asked.get(name)
  const before = known?.asks ?? store.getEvaluation(name)?.asks ?? asks
  const isUnfound = (head: AlertHead) =>
    known?.unfound.has(head.id) === true || (before !== asks && head.keepSince === null)
  if (known?.asks === asks && known.unfound.size === 0) return
  asked.set(name, { asks, unfound: new Set(heads.filter(isUnfound).map(({ id }) => id)) })
}

/** It was found by what its rule asks for now. */
export function noteFound({ asked }: EngineContext, { rule, id }: AlertHead): void {
  asked.get(rule)?.unfound.delete(id)
}

export function lossByChange({ asked }: EngineContext, { rule, id }: AlertHead, step: Step): string | null {
  if (step.transition !== 'resolved' || !asked.get(rule)?.unfound.delete(id)) return null
  return 'its rule asks for something else now'
}

/** What is kept of a rule over a restart: as long as it asks for something else than what was found by, what it asked before. */
export function keptAsks(
  { asked, store }: Pick<EngineContext, 'asked' | 'store'>,
  rule: Rule,
): string | null {
  const isSettled = (asked.get(rule.name)?.unfound.size ?? 0) === 0
  return isSettled ? rule.asks : (store.getEvaluation(rule.name)?.asks ?? null)
}
