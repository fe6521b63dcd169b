import type { UnixMs } from '../lib/clock.ts'
import { isClaimFree } from './claimedOrigin.ts'
import { type Horizons, isBeyond, type Shown } from './horizon.ts'
import type { Chain } from '../bridge/observation.ts'
import { destinationLeg, originChain, originLeg, type Transfer } from '../bridge/transfer.ts'

/** What is known beside a transfer that arrived. */
export interface Beside {
  /** Transfers that bear the origin that it claims. */
  readonly sharing: readonly Transfer[]
  /** The one transfer on its way that it may be the payout of. */
  readonly partner: Transfer | null
  readonly horizons: Horizons
  readonly now: UnixMs
}

/** What a judgement waits for: a source that has not come so far, an answer under way, or, its origin proven, its record. */
export type Wait = Shown | 'answer' | 'record'

/** An origin that a chain could show is asked for within this. */
const answerMs = 90_000
/** What fits nothing known waits so long for a list that comes to lag: it is told within five minutes all the same. */
const lateRecordMs = 210_000

/**
 * What has to come before it may be said that nothing stands behind value that arrived; null for nothing. What names its
 * origin waits, or fits exactly one transfer on its way; of everything else that the chain alone shows, a list that lags
 * may have the record: minutes are waited for that, and as long as records take where all come late. Where no event names an
 * origin each payout is so.
 */
export function waitsFor(arrived: Transfer, beside: Beside): Wait | null {
  const { horizons } = beside
  const at = arrivedAt(arrived)
  const origin = originLeg(arrived)
  if (origin !== null)
    return arrived.originProof === 'unverified' && isBeyond(horizons, origin.chain, at) ? origin.chain : null
  const claimed = waitsForClaim(arrived, at, beside)
  if (claimed !== null) return claimed
  if (beside.partner !== null) return hiddenBy(horizons, originChain(arrived.direction), at)
  return arrived.isListed || arrived.claim !== undefined ? null : waitsForList(horizons, at, beside.now)
}

/** What the chain alone shows may have its record on a list that lags. */
function waitsForList(horizons: Horizons, at: UnixMs, now: UnixMs): Shown | null {
  const { lacksSince, lateMs } = horizons
  if (now >= at + Math.max(lateRecordMs, lateMs ?? 0)) return null
  return isBeyond(horizons, 'list', at) || (lacksSince !== null && at > lacksSince) ? 'list' : null
}

function waitsForClaim(arrived: Transfer, at: UnixMs, { sharing, horizons, now }: Beside): Wait | null {
  const { claim } = arrived
  if (claim === undefined || !isClaimFree(arrived, sharing)) return null
  switch (claim.proof) {
    case 'proven':
      return isBeyond(horizons, 'list', at) ? 'record' : null
    case 'unsaid':
      return isBeyond(horizons, 'list', at) ? 'list' : null
    case 'open':
      if (isBeyond(horizons, 'zone', at)) return 'zone'
      return now < Math.max(at, horizons.returnedAt ?? at) + answerMs ? 'answer' : null
    case 'refuted':
      return null
    default:
      return claim.proof satisfies never
  }
}

/** The source that has not come so far: the chain of an origin, or the list that would say what was paid; null when both have. */
export function hiddenBy(horizons: Horizons, chain: Chain, at: UnixMs): Shown | null {
  if (isBeyond(horizons, chain, at)) return chain
  return isBeyond(horizons, 'list', at) ? 'list' : null
}

/** When value arrived, by its chain, or when that was first seen. */
function arrivedAt(transfer: Transfer): UnixMs {
  return Math.min(destinationLeg(transfer)?.time ?? transfer.firstSeenAt, transfer.firstSeenAt)
}
