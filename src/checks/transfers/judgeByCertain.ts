import { onlyCertain } from '../../meaning/habit.ts'
import type { EventContext } from '../../ledger/context.ts'

/**
 * A verdict on a transfer, by what is certain where that is enough. `fewSamples`: nothing contradicts it but words
 * of the zone, or ways of deposits, that too few transfers explain to accuse anybody.
 */
export function judgeByCertain<V>(
  context: EventContext,
  judge: (context: EventContext) => V | null,
): { readonly verdict: V; readonly fewSamples: boolean } | null {
  const { learned } = context
  const likely = judge(context)
  if (likely === null || !learned) return likely && { verdict: likely, fewSamples: false }
  const certain = judge({ ...context, learned: onlyCertain(learned) })
  return { verdict: certain ?? likely, fewSamples: certain === null }
}
