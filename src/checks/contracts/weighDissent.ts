import type { Finding } from '../../bridge/finding.ts'
import { partyOf, type Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { toWordsFinding } from './changed.ts'
import type { EventContext, RelatedTransfers } from '../../ledger/context.ts'
import { accuses } from '../../alerts/store/accused.ts'
import type { Kinds } from '../../rules/kinds.ts'
import type { Learned } from '../../ledger/learned.ts'
import { listConsent, listDissent } from '../../meaning/taught.ts'

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
  const { zone, firstSeenAt: at } = transfer
  const accusing = found.filter((one) => accuses(kinds, one))
  if (accusing.length === 0 && !learned.hasDissent()) return []
  const example = { transfer, related, learned, bridge, now }
  if (accusing.length === 0) {
    for (const meaning of listConsent(example)) learned.consent(meaning, at)
    return []
  }
  if (accusing.some(({ kind }) => !kinds.find(kind)?.readsActions)) return []
  return listDissent(example)
    .filter((meaning) => learned.dissent(meaning, { hash: zone.hash, party: partyOf(transfer) }, at))
    .map((meaning) => toWordsFinding(transfer, meaning, now))
}
