import { movedToken } from '../bridge/movedToken.ts'
import type { LegEvidence, Transfer } from '../bridge/transfer.ts'
import { newestEvidence } from './proveOrigin.ts'

/**
 * The answers that a transfer's money is judged by: the canonical RPC's before the explorer's. A receipt does not show
 * native currency, so that it says nothing of it beyond whether the transaction succeeded.
 */
export function moneyEvidence(transfer: Transfer): readonly LegEvidence[] {
  const { main } = transfer
  if (main === null) return []
  const of = transfer.evidence.filter((one) => one.chain === 'main' && one.hash === main.hash)
  const canonical = of.find((one) => one.source === 'canonical')
  const isBlind = movedToken(transfer.token) === '' && canonical?.status === 'success'
  return [isBlind ? null : canonical, newestEvidence(of)].filter((one) => one != null)
}
