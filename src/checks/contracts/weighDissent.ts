import type { Finding } from '../../bridge/finding.ts'
import { toMoneySettings } from '../../meaning/toMoneySettings.ts'
import { partyOf, type Transfer } from '../../bridge/transfer.ts'
import { listConsent, listDissent } from '../../meaning/zoneDissent.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { toWordsFinding } from './changed.ts'
import type { RelatedTransfers } from '../../meaning/context.ts'
import type { EventContext } from '../../meaning/context.ts'
import { accuses } from '../../alerts/store/accused.ts'
import type { Kinds } from '../../rules/kinds.ts'
import type { Learned } from '../../ledger/learned.ts'

interface WeighDeps {
  readonly learned: Learned
  readonly bridge: EventContext['bridge']
  readonly kinds: Kinds
}

/**
 * Counts who disagrees with what was learned of zone actions, each after it was reported by itself: enough in a row of
 * different parties suspend what was learned. An upgrade is reported in this way, and honest transfers no more.
 */
export function weighDissent(
  { learned, bridge, kinds }: WeighDeps,
  transfer: Transfer,
  found: readonly Finding[],
  related: RelatedTransfers,
  now: UnixMs,
): Finding[] {
  if (!transfer.isListed || transfer.zone === null || transfer.status === 'failed') return []
  const { zone, main, firstSeenAt: at } = transfer
  const accusing = found.filter((one) => accuses(kinds, one))
  if (accusing.length === 0 && !learned.hasDissent()) return []
  const weighed = {
    transfer,
    ofZone: related.sharing('zone', zone.hash),
    ofMain: main ? related.sharing('main', main.hash) : [],
    learned,
    money: toMoneySettings(bridge, learned, related),
    now,
  }
  if (accusing.length === 0) {
    for (const meaning of listConsent(weighed)) learned.consent(meaning, at)
    return []
  }
  if (accusing.some(({ kind }) => !kinds.find(kind)?.readsActions)) return []
  return listDissent(weighed)
    .filter((meaning) => learned.dissent(meaning, { hash: zone.hash, party: partyOf(transfer) }, at))
    .map((meaning) => toWordsFinding(transfer, meaning, now))
}
