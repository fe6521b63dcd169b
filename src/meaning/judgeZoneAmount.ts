import { type Fees, isWithinFee } from './actionFee.ts'
import { isSameNumber } from '../bridge/decimal.ts'
import { isOneOfSeveral } from './judgeAction.ts'
import { type LearnedMoney, namesZoneAmounts } from './learnedMoney.ts'
import { newestEvidence } from './proveOrigin.ts'
import type { Leg, LegEvidence, Transfer } from '../bridge/transfer.ts'

/** Where the zone took more than one record says, others of the same transaction may be about to be listed. */
const bundleHoldMs = 60_000

interface AmountSettings extends Fees {
  readonly learned: LearnedMoney | null
  readonly now: number
}

/**
 * The zone's own word on the amount, where it is another than the record's; null where it is not, or says nothing. A
 * bundle's one amount says nothing of its members.
 * @param sharing transfers of the same zone transaction
 */
export function judgeZoneAmount(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: AmountSettings,
): LegEvidence | null {
  const { learned, now } = settings
  const { zone, amountRaw, amount, direction } = transfer
  const by = bestOf(transfer, zone)
  const said = by?.amountRaw ?? null
  if (amountRaw === null || !by || said === null || said === 0n) return null
  if (learned && (!namesZoneAmounts(direction, learned) || isOfEarlier(transfer, learned))) return null
  if (transfer.status === 'failed' || by.status !== 'success' || !transfer.isListed) return null
  if (sharing.filter((one) => one.isListed).length > 1) return null
  if (isWithinFee(transfer, said - amountRaw, settings)) return null
  if (said > amountRaw && now - transfer.firstSeenAt < bundleHoldMs) return null
  if (learned && isOneOfSeveral(transfer, sharing, { ...settings, learned })) return null
  // The two chains may count the same amount in other units.
  return isSameNumber(by.amount, amount) ? null : by
}

/** The name under which dissent from what the zone's own word on amounts means is counted. */
export function amountsName(direction: Transfer['direction']): string {
  return `${direction} zone`
}

/** Whether it was seen before such amounts came to mean something else. */
function isOfEarlier({ firstSeenAt, direction }: Transfer, learned: LearnedMoney): boolean {
  return firstSeenAt < learned.suspendedAt(amountsName(direction))
}

/** The canonical RPC goes before the explorer. */
export function bestOf(transfer: Transfer, leg: Leg | null): LegEvidence | null {
  if (leg === null) return null
  const of = transfer.evidence.filter((one) => one.chain === leg.chain && one.hash === leg.hash)
  return of.find((one) => one.source === 'canonical') ?? newestEvidence(of)
}
