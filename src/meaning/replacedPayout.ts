import type { UnixMs } from '../lib/clock.ts'
import { destinationLeg, type LegEvidence, type ReplacedPayout, type Transfer } from '../bridge/transfer.ts'
import { isOfNode, newestEvidence, provenBy } from './proveOrigin.ts'

/** The proof that a payout which the record named before still stands; null when all are gone, or were not asked since. */
export function findStanding(transfer: Transfer): LegEvidence | null {
  for (const replaced of transfer.replaced ?? []) {
    const proof = provenBy(transfer, replaced.chain, replaced.hash)
    if (proof?.status !== 'success') continue
    if (isSince(proof, replaced.at) || stoodBeside(transfer, replaced)) return proof
  }
  return null
}

/** How long a payout that another one took the place of, or came beside, waits for new evidence from the chain, ms. */
export const replacedHoldMs = 120_000

/** Whether nothing is known yet of what became of a payout that was replaced, and there is still time to ask. */
export function isReplacementOpen(transfer: Transfer, now: UnixMs): boolean {
  return (transfer.replaced ?? []).some(
    ({ chain, hash, at }) => !isSince(provenBy(transfer, chain, hash), at) && now - at < replacedHoldMs,
  )
}

/**
 * Whether every payout that the record named before failed on chain: one that failed moves nothing, so that another
 * transaction which pays in its place is a second attempt. What failed stays so, whenever it was asked.
 */
export function isSecondAttempt(transfer: Transfer): boolean {
  const { replaced = [] } = transfer
  return (
    replaced.length > 0 &&
    replaced.every(({ chain, hash }) => provenBy(transfer, chain, hash)?.status === 'failed')
  )
}

/** A list that shows two records reads both within this. */
const besideMs = 30_000
/** What stood for longer and is gone is told: few blocks of a chain are ever made anew. */
const standsAfterMs = 60_000

/**
 * Whether a payout that is not on chain is what the record of a withdrawal without an id named before another one was made
 * in its place: nothing was paid by it, and the list shows that other one alone. Its id may have been filled in since.
 * @param sharing transfers of the same zone transaction
 */
export function isMadeAgain(transfer: Transfer, sharing: readonly Transfer[]): boolean {
  if (transfer.direction !== 'ZoneToMain' || transfer.id !== null) return false
  if (payoutStatus(transfer) !== 'absent') return false
  const { token, amountRaw, targetAddress, firstSeenAt, readAt } = transfer
  return sharing.some(
    (other) =>
      other.key !== transfer.key &&
      other.token.address === token.address &&
      other.token.id === token.id &&
      other.amountRaw === amountRaw &&
      other.targetAddress === targetAddress &&
      other.firstSeenAt <= firstSeenAt + standsAfterMs &&
      (other.firstSeenAt > readAt || other.readAt > readAt + besideMs) &&
      payoutStatus(other) === 'success',
  )
}

/** What is known of a payout's transaction: the chain's own node goes before the explorer. */
function payoutStatus({ main, evidence }: Transfer): LegEvidence['status'] | undefined {
  const of = evidence.filter((one) => one.chain === 'main' && one.hash === main?.hash)
  return (of.find(isOfNode) ?? newestEvidence(of))?.status
}

/** What was proven before the record changed says nothing of what stands since. */
function isSince(proof: LegEvidence | null, at: UnixMs): boolean {
  return proof !== null && proof.at >= at
}

/**
 * The record came back to the payout that it named before this one, and that one was proven to stand when this one had
 * replaced it: both stood. That the record names one of them again takes nothing back until this one was asked about anew.
 */
function stoodBeside(transfer: Transfer, { replacedAt }: ReplacedPayout): boolean {
  const present = destinationLeg(transfer)
  const proof = present && provenBy(transfer, present.chain, present.hash)
  return replacedAt !== undefined && proof?.status === 'success' && isSince(proof, replacedAt)
}
