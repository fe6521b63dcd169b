import type { Rule } from '../rules/types.ts'
import type { EngineContext } from './engineContext.ts'
import type { Step } from './stateMachine.ts'
import type { AlertHead } from './store/alertRows.ts'

/** Remembers what a rule asks for, and when that became something else. Amounts among it are no JSON. */
export function noteAsked({ asked, now }: EngineContext, { name, params }: Rule): void {
  const before = asked.get(name)
  // While no file was changed they are the very same.
  if (before?.params === params) return
  const text =
    JSON.stringify(params, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)) ?? ''
  const isSame = before === undefined || before.text === text
  asked.set(name, { params, text, changedAt: isSame ? (before?.changedAt ?? null) : now })
}

/** What was found until its rule asked for something else may go on all the same. */
export function lossByChange({ asked, now }: EngineContext, head: AlertHead, step: Step): string | null {
  const changedAt = asked.get(head.rule)?.changedAt ?? null
  if (step.transition !== 'resolved' || changedAt === null) return null
  return (head.keepSince ?? now) === changedAt ? 'its rule asks for something else now' : null
}
