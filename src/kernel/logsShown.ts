import type { UnixMs } from '../lib/clock.ts'
import type { SharedFacts } from './facts.ts'
import { passedTime } from './heads/trackHead.ts'

/** Up to when the logs of the bridge's contracts are known: the main chain is shown so far, and they were read since. */
export function logsShownUntil({ heads, pollers }: Pick<SharedFacts, 'heads' | 'pollers'>): UnixMs | null {
  const head = heads.find(({ chain }) => chain === 'main')
  const logs = pollers.find(({ poller }) => poller === 'contracts')
  const shown = head === undefined ? null : passedTime(head, 0)
  if (shown === null || logs?.lastSuccessAt == null) return null
  // A reading that ended just now may have begun before.
  return Math.min(shown, logs.lastSuccessAt - logs.intervalMs)
}
