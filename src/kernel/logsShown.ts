import type { UnixMs } from '../lib/clock.ts'
import type { SharedFacts } from './facts.ts'
import { passedTime } from './heads/trackHead.ts'

/**
 * Up to when the logs of the bridge's contracts are known: the main chain is shown so far, they were read since, and do not
 * lag behind what others show.
 */
export function logsShownUntil(
  facts: Pick<SharedFacts, 'endpointLags' | 'heads' | 'pollers'>,
): UnixMs | null {
  const { heads, pollers } = facts
  const head = heads.find(({ chain }) => chain === 'main')
  const logs = pollers.find(({ poller }) => poller === 'contracts')
  const shown = head === undefined ? null : passedTime(head, 0)
  if (shown === null || logs?.lastSuccessAt == null) return null
  // A reading that ended just now may have begun before.
  return Math.min(shown, logs.lastSuccessAt - logs.intervalMs, logsLagSince(facts))
}

/** Since when the logs of a contract stand still, though it emitted some since; Infinity where none do. */
export function logsLagSince({ endpointLags = [] }: Pick<SharedFacts, 'endpointLags'>): UnixMs {
  const lags = endpointLags.filter(({ endpoint }) => endpoint === 'E19')
  return Math.min(Infinity, ...lags.map(({ since }) => since))
}
