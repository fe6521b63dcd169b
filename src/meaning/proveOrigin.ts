import type { Leg, LegEvidence, OriginProof, Transfer } from '../bridge/transfer.ts'

/**
 * What second sources say of an origin leg. A zone transaction is proven by its own status; a main transaction by a
 * movement of the transfer's token in it, because a transaction that moved nothing of it has brought nothing. The
 * chain's own node goes before the explorer, and of the explorer the newest answer holds.
 */
export function proveOrigin(
  origin: Leg | null,
  token: string,
  evidence: readonly LegEvidence[],
): OriginProof {
  if (origin === null) return 'unverified'
  const of = evidence.filter((one) => one.chain === origin.chain && one.hash === origin.hash)
  const best = of.find(isOfNode) ?? newestEvidence(of)
  if (best === null) return 'unverified'
  if (best.status === 'absent') return 'absent'
  if (best.status === 'failed') return 'failed'
  if (best.status !== 'success') return 'unverified'
  if (origin.chain === 'zone') return 'proven'
  // A receipt does not show native currency.
  const { moves } = token === '' ? (newestEvidence(of) ?? best) : best
  return moves === null || moves.some((move) => move.token === token) ? 'proven' : 'unverified'
}

/**
 * The newest answer of the explorer about the transaction itself: what was looked for in the list of records, or found
 * in other transactions' events, is not.
 */
export function newestEvidence(evidence: readonly LegEvidence[]): LegEvidence | null {
  return evidence
    .filter(
      (one) => one.status !== 'unknown' && one.source !== 'E3' && one.source !== 'E19' && !isOfNode(one),
    )
    .reduce<LegEvidence | null>((best, one) => (best === null || one.at > best.at ? one : best), null)
}

/** Whether a node of the leg's own chain said it, and not the explorer. */
export function isOfNode({ source }: Pick<LegEvidence, 'source'>): boolean {
  return source === 'canonical' || source === 'zoneRpc'
}

/** What second sources say of a hash, the newest answer first. */
export function provenBy(transfer: Transfer, chain: 'main' | 'zone', hash: string): LegEvidence | null {
  const of = transfer.evidence.filter((one) => one.chain === chain && one.hash === hash)
  return of.reduce<LegEvidence | null>((best, one) => (best === null || one.at > best.at ? one : best), null)
}
