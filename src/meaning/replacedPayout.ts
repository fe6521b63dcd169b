import type { UnixMs } from '../lib/clock.ts'
import { provenBy } from './findOverpayment.ts'
import { destinationLeg, type Leg, type LegEvidence, type Transfer } from '../bridge/transfer.ts'

/** How long a payout that its record names no more waits for evidence from the chain. */
export const replacedHoldMs = 120_000

/** The payout that the record named before it was rewritten; null when it names the same, or named none. */
export function replacedPayout(transfer: Transfer): Leg | null {
  const leg = destinationLeg(transfer)
  const hash = leg && transfer.rewrites.at(-1)?.before[leg.chain === 'main' ? 'mainHash' : 'zoneHash']
  return !leg || !hash || hash === leg.hash ? null : { ...leg, hash, height: null, time: null }
}

/** The proof that the payout which the record named before still stands; null when it is gone, or was not asked since. */
export function findStanding(transfer: Transfer): LegEvidence | null {
  const proof = newestOfReplaced(transfer)
  return proof?.status === 'success' ? proof : null
}

/** Whether nothing is known yet of what became of the payout that was replaced, and there is still time to ask. */
export function isReplacementOpen(transfer: Transfer, now: UnixMs): boolean {
  const rewrite = transfer.rewrites.at(-1)
  if (!rewrite || replacedPayout(transfer) === null || newestOfReplaced(transfer) !== null) return false
  return now - rewrite.at < replacedHoldMs
}

/** What was proven before the record changed says nothing of what stands since. */
function newestOfReplaced(transfer: Transfer): LegEvidence | null {
  const old = replacedPayout(transfer)
  const proof = old && provenBy(transfer, old.chain, old.hash)
  return proof && proof.at >= (transfer.rewrites.at(-1)?.at ?? Infinity) ? proof : null
}
