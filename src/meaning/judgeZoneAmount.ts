import { ofCrowd } from '../lib/ofCrowd.ts'
import { type Fees, isWithinFee } from './actionFee.ts'
import { isSameNumber } from '../bridge/decimal.ts'
import { isOneOfSeveral } from './judgeAction.ts'
import { type LearnedMoney, namesZoneAmounts } from './learnedMoney.ts'
import { newestEvidence } from './proveOrigin.ts'
import { inRecordUnits } from './paidSums.ts'
import { isTakenOnce } from './takenOnce.ts'
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
 * @param sharing all transfers of the same zone transaction
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
  if (isBundle(sharing)) {
    if (isOfAnother(transfer, sharing, { ...settings, by })) return by
    if (!isBeyondBundle(transfer, sharing, { ...settings, by })) return null
    // A deposit of the same credit may be listed yet; no record that follows makes what was paid less.
    const mayFollow = direction === 'MainToZone' && learned !== null
    return mayFollow && isOneOfSeveral(transfer, sharing, { ...settings, learned }) ? null : by
  }
  if (isWithinFee(transfer, said - amountRaw, settings)) return null
  if (said > amountRaw && now - transfer.firstSeenAt < bundleHoldMs) return null
  if (learned && isOneOfSeveral(transfer, sharing, { ...settings, learned })) return null
  // The two chains may count the same amount in other units.
  return isSameNumber(by.amount, amount) ? null : by
}

/** Whether several records name one zone transaction. */
export function isBundle(sharing: readonly Transfer[]): boolean {
  return bundleOf(sharing).count > 1
}

/** What is the same for each member of a bundle. */
interface Bundle {
  readonly count: number
  /** Of one token and direction, amounts known, none of them several by itself. */
  readonly isAlike: boolean
  /** Base units: of all, and of those that were paid. */
  readonly sum: bigint
  readonly paid: bigint
  /** By what the zone says, the first seen of those whose amount it may be; null without one. */
  readonly said: Map<bigint, Transfer | null>
}

const bundleOf = ofCrowd((sharing: readonly Transfer[]): Bundle => {
  const listed = sharing.filter((one) => one.isListed)
  const [first] = listed
  const sumOf = (of: readonly Transfer[]) => of.reduce((sum, { amountRaw }) => sum + (amountRaw ?? 0n), 0n)
  return {
    count: listed.length,
    isAlike: listed.every(
      (one) =>
        one.direction === first?.direction &&
        one.token.address === first.token.address &&
        one.amountRaw !== null &&
        !isBatch(one),
    ),
    sum: sumOf(listed),
    paid: sumOf(listed.filter(({ status }) => status !== 'failed')),
    said: new Map(),
  }
})

/**
 * A bundle's one amount may be that of all its members, of some or of one: but no more is paid than the zone took where it
 * is none of theirs, and no more is credited than came.
 * @param sharing all of them
 */
function isBeyondBundle(transfer: Transfer, sharing: readonly Transfer[], settings: BundleSettings): boolean {
  const { direction, token, firstSeenAt } = transfer
  const { by, now } = settings
  const { isAlike, sum, paid } = bundleOf(sharing)
  const isPayout = direction === 'ZoneToMain'
  const said = inRecordUnits(by, token.decimals)
  if (!isAlike || said === null || (!isPayout && now - firstSeenAt < bundleHoldMs)) return false
  if (isPayout ? paid <= said : sum >= said) return false
  return firstSaid(sharing, settings) === null
}

/**
 * Whether the zone took one amount, once, which is that of a withdrawal of another token. Of one token what is paid beyond it
 * is a second payout (findOverpayment.ts).
 */
function isOfAnother(
  { direction, token }: Transfer,
  sharing: readonly Transfer[],
  settings: BundleSettings,
): boolean {
  if (direction !== 'ZoneToMain') return false
  const said = firstSaid(sharing, settings)
  return said !== null && said.token.address !== token.address && isTakenOnce(sharing)
}

interface BundleSettings extends AmountSettings {
  readonly by: LegEvidence
}

/** The first seen of those members of a bundle whose amount may be what the zone says: later ones need explaining. */
function firstSaid(sharing: readonly Transfer[], settings: BundleSettings): Transfer | null {
  const { by } = settings
  const { said } = bundleOf(sharing)
  const known = said.get(by.amountRaw ?? 0n)
  if (known !== undefined) return known
  const isSaid = (one: Transfer) => {
    const raw = inRecordUnits(by, one.token.decimals) ?? 0n
    return isWithinFee(one, raw - (one.amountRaw ?? 0n), settings) || isSameNumber(by.amount, one.amount)
  }
  const first = sharing
    .filter((one) => one.isListed && isSaid(one))
    .reduce<Transfer | null>(
      (best, one) => (best === null || one.firstSeenAt < best.firstSeenAt ? one : best),
      null,
    )
  said.set(by.amountRaw ?? 0n, first)
  return first
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
