import type { Transfer } from '../../bridge/transfer.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import { logsLagSince } from '../../kernel/logsShown.ts'
import type { Standing } from '../../kernel/stages.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { StagesPart } from './facts.ts'

/** Withdrawals on their way of which it is known where they stand, oldest first. */
export function listStanding({
  now,
  listPending,
  stages,
}: Pick<SharedFacts, 'now' | 'listPending'> & StagesPart): { transfer: Transfer; standing: Standing }[] {
  if (stages.since === null) return []
  return Array.from(listPending({ direction: 'ZoneToMain', originAtOrBefore: now })).flatMap((transfer) => {
    const standing = stages.standingOf(transfer)
    return standing === null ? [] : [{ transfer, standing }]
  })
}

/** Up to when an event of a stage would be known: the chain is shown so far, and the contracts' logs were read since and do not lag. */
export function shownUntil(facts: Pick<SharedFacts, 'endpointLags' | 'pollers'> & StagesPart): UnixMs | null {
  const { pollers, stages } = facts
  const logs = pollers.find(({ poller }) => poller === 'contracts')
  if (stages.shownUntil === null || logs === undefined) return stages.shownUntil
  // A reading that ended just now may have begun before.
  return logs.lastSuccessAt === null
    ? null
    : Math.min(stages.shownUntil, logs.lastSuccessAt - logs.intervalMs, logsLagSince(facts))
}
