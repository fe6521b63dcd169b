import { type Fees, isWithinFee } from './actionFee.ts'
import { isSameNumber } from '../bridge/decimal.ts'
import { isOneOfSeveral } from './judgeAction.ts'
import { type LearnedMoney, namesZoneAmounts } from './learnedMoney.ts'
import { newestEvidence } from './proveOrigin.ts'
import { inRecordUnits } from './paidSums.ts'
import { isBatch, type Leg, type LegEvidence, type Transfer } from '../bridge/transfer.ts'

/** Where the zone took more than one record says, others of the same transaction may be about to be listed. */
const bundleHoldMs = 60_000

interface AmountSettings extends Fees {
  readonly learned: LearnedMoney | null
  readonly now: number
}

/**
 * The zone's own word on the amount, where it is another than the record's; null where it is not, or says nothing. Of a
 * bundle it says less: see isBeyondBundle.
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
  const listed = sharing.filter((one) => one.isListed)
  if (listed.length > 1) return isBeyondBundle(transfer, listed, { ...settings, by }) ? by : null
  if (isWithinFee(transfer, said - amountRaw, settings)) return null
  if (said > amountRaw && now - transfer.firstSeenAt < bundleHoldMs) return null
  if (learned && isOneOfSeveral(transfer, sharing, { ...settings, learned })) return null
  // The two chains may count the same amount in other units.
  return isSameNumber(by.amount, amount) ? null : by
}

/**
 * A bundle's one amount may be that of all its members, of some or of one: but no more is paid than the zone took where it
 * is none of theirs, and no more is credited than came.
 */
function isBeyondBundle(
  { direction, token, firstSeenAt }: Transfer,
  listed: readonly Transfer[],
  settings: AmountSettings & { readonly by: LegEvidence },
): boolean {
  const { by, now } = settings
  const isPayout = direction === 'ZoneToMain'
  if (!isPayout && now - firstSeenAt < bundleHoldMs) return false
  const said = inRecordUnits(by, token.decimals)
  const isAlike = (one: Transfer) =>
    one.direction === direction &&
    one.token.address === token.address &&
    one.amountRaw !== null &&
    !isBatch(one)
  if (said === null || !listed.every(isAlike)) return false
  const isOwn = (one: Transfer) =>
    isWithinFee(one, said - (one.amountRaw ?? 0n), settings) || isSameNumber(by.amount, one.amount)
  if (listed.some(isOwn)) return false
  const sum = listed
    .filter(({ status }) => !isPayout || status !== 'failed')
    .reduce((total, { amountRaw }) => total + (amountRaw ?? 0n), 0n)
  return isPayout ? sum > said : sum < said
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
