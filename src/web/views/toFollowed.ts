import { lastCovered, readsSource } from '../../kernel/running/coverage.ts'
import type { ReplicaStatus } from '../../kernel/kernel.ts'
import type { PollerHealth } from '../../kernel/running/runner.ts'
import { inStepMs } from '../../monitor/liveness.ts'
import type { Database } from '../../store/database.ts'
import type { StatusFacts } from '../statusFacts.ts'

/**
 * What a follower can say of how much was looked at: it asks no source itself, but the ledger says when the node that
 * watches last read each, and it knows how fresh its copy of that ledger is.
 */
export function toFollowed(
  db: Database,
  pollers: readonly PollerHealth[],
  { holder, inStepAt }: Pick<ReplicaStatus, 'holder' | 'inStepAt'>,
): Pick<StatusFacts, 'sources' | 'pollers' | 'coverage'> {
  return {
    sources: [],
    pollers: pollers.filter(readsSource).map(({ poller, intervalMs, isBackground, startedAt }) => ({
      poller,
      intervalMs,
      isBackground: isBackground ?? false,
      startedAt,
      lastSuccessAt: lastCovered(db, poller),
      lastError: null,
    })),
    coverage: [
      {
        source: holder === null ? 'the ledger of the other node' : `the ledger of ${holder.node}`,
        lastGoodAt: inStepAt,
        staleAfterMs: inStepMs,
      },
    ],
  }
}
