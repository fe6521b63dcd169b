import { compareDecimals, formatDecimal, sumDecimals, toDecimal } from '../bridge/decimal.ts'
import { newestEvidence } from './proveOrigin.ts'
import { destinationLeg, type LegEvidence, type OriginClaim, type Transfer } from '../bridge/transfer.ts'

/** What the zone says of a claimed origin, for a payout of this amount. */
export function proveClaim(
  hash: string,
  payout: Amounts,
  evidence: readonly LegEvidence[],
  meansWithdrawal: (actionType: string) => boolean,
): OriginClaim {
  const said = answerAbout(hash, evidence)
  if (said === null || said.status === 'unknown') return { hash, proof: 'open' }
  if (said.status !== 'success' || !meansWithdrawal(said.actionType ?? '')) return { hash, proof: 'refuted' }
  const isEnough = brings(said, payout)
  return { hash, proof: isEnough === null ? 'unsaid' : isEnough ? 'proven' : 'refuted' }
}

/**
 * Whether a payout may still be that of its claimed origin beside the others that name it. One that a record names has
 * its payout there; one that none names pays one of equal payouts, and all of them together not more than it brought.
 * @param sharing transfers that bear the claimed hash
 */
export function isClaimFree(payout: Transfer, sharing: readonly Transfer[]): boolean {
  const { claim } = payout
  if (claim === undefined) return false
  // What the zone alone shows of this very origin, and nobody was paid by yet, is no other payout.
  const isPayout = (one: Transfer) => one.isListed || destinationLeg(one) !== null
  const others = sharing.filter(
    (one) => one.key !== payout.key && one.direction === payout.direction && isPayout(one),
  )
  if (others.some((one) => one.isListed || isEqualPayout(one, payout))) return false
  const said = answerAbout(claim.hash, payout.evidence)
  return said === null || brings(said, sumOf([...others, payout])) !== false
}

function answerAbout(hash: string, evidence: readonly LegEvidence[]): LegEvidence | null {
  return newestEvidence(evidence.filter((one) => one.chain === 'zone' && one.hash === hash))
}

function isEqualPayout(a: Transfer, b: Transfer): boolean {
  const isEqualAmount = a.amountRaw === b.amountRaw && a.amount === b.amount
  return isEqualAmount && a.targetAddress === b.targetAddress && a.token.id === b.token.id
}

type Amounts = Pick<Transfer, 'amount' | 'amountRaw'>

/** Whether so much left the zone: a payout may be less, by a fee, never more. Null where the zone does not say. */
function brings(origin: LegEvidence, payout: Amounts): boolean | null {
  const brought = toDecimal(origin.amount ?? '')
  const paid = toDecimal(payout.amount ?? '')
  if (brought !== null && paid !== null) return compareDecimals(brought, paid) >= 0
  const raw = origin.amountRaw ?? null
  return raw === null || payout.amountRaw === null ? null : raw >= payout.amountRaw
}

function sumOf(payouts: readonly Amounts[]): Amounts {
  const units = payouts.map(({ amount }) => toDecimal(amount ?? '')).filter((one) => one !== null)
  const raws = payouts.map(({ amountRaw }) => amountRaw).filter((raw) => raw !== null)
  return {
    amount: units.length < payouts.length ? null : formatDecimal(sumDecimals(units)),
    amountRaw: raws.length < payouts.length ? null : raws.reduce((sum, raw) => sum + raw, 0n),
  }
}
