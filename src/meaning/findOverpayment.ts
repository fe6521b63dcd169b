import type { UnixMs } from '../lib/clock.ts'
import { ofCrowd } from '../lib/ofCrowd.ts'
import { once } from '../lib/once.ts'
import { isOfNode, newestEvidence } from './proveOrigin.ts'
import {
  destinationLeg,
  isBatch,
  type LegEvidence,
  originLeg,
  paidBefore,
  type Transfer,
} from '../bridge/transfer.ts'
import { type Owed, owedTo, depositedBy, sumPaid, batchTotal, byPayment } from './paidSums.ts'
import { replacedHoldMs } from './replacedPayout.ts'
import { type OriginSettings, takenByOrigin } from './takenByOrigin.ts'
import { listTakenOnce } from './takenOnce.ts'

/** More came out of one origin than went in. */
export interface Overpayment {
  /** What the origin took, base units, and what says so. */
  readonly owed: bigint
  readonly owedBy: Owed['by']
  /** What was paid for it by transactions that are proven to be on chain. */
  readonly paid: bigint
  /** All proven payouts, oldest first. */
  readonly payouts: readonly Transfer[]
  /** Those that go beyond what was owed. */
  readonly surplus: readonly Transfer[]
}

/**
 * Whether one origin was paid more than once. A withdrawal's origin is its zone event (or the id that records share); a
 * deposit's is its main transaction, whose token moves say how much went in. Only payouts whose transactions are proven
 * count, so that a record that was merely written twice is silent, and so is a batch shown as one row an item.
 * @param sharing transfers with the same origin hash, the one judged included
 */
export function findOverpayment(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: PaymentSettings,
): Overpayment | null {
  const named = findNamedAlike(transfer, sharing, settings)
  const once = takenOnceWith(transfer, sharing)
  if (once.length < 2 || isSurplus(transfer, named)) return named
  const beyond = comparedOf(once)(settings.now, () => {
    // What their names show to be one too many already makes none of the others that.
    const others = once.filter((one) => !isSurplus(one, findNamedAlike(one, sharing, settings)))
    return compare(others, takenByOrigin(once, settings), settings)
  })
  return beyond ?? named
}

function isSurplus({ key }: Transfer, found: Overpayment | null): boolean {
  return found?.surplus.some((one) => one.key === key) === true
}

function findNamedAlike(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: PaymentSettings,
): Overpayment | null {
  const alike = listNamedAlike(transfer, sharing)
  return alike.length < 2
    ? null
    : comparedOf(alike)(settings.now, () => compare(alike, owedBy(alike, sharing, settings), settings))
}

interface PaymentSettings extends OriginSettings {
  readonly now: UnixMs
}

/** How much of a payout goes beyond what its origin took, or brought, base units of its record: 0n for an honest one. */
export function surplusOf(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: PaymentSettings,
): bigint {
  const raw = transfer.amountRaw ?? 0n
  if (findEarlierPayout(transfer) !== null) return raw
  const found = findOverpayment(transfer, sharing, settings)
  if (!found) return 0n
  const sums = sumPaid(found.payouts)
  const at = found.payouts.findIndex(({ key }) => key === transfer.key)
  const beyond = (sum = 0n) => (sum > found.owed ? sum - found.owed : 0n)
  return at === -1 ? 0n : beyond(sums[at]) - beyond(sums[at - 1])
}

/** What paid the origin of a payout before the ledger begins, as far as the chain shows it; null where nothing is known to have. */
export function findEarlierPayout(transfer: Transfer): { readonly hash: string; readonly at: UnixMs } | null {
  const destination = destinationLeg(transfer)
  const origin = originLeg(transfer)
  const paid = transfer.evidence.find((one) => one.hash === origin?.hash && one.paidIn !== undefined)
  const hash = paid ? paidBefore(transfer, paid) : null
  return destination === null || !paid || hash === null || hash === destination.hash
    ? null
    : { hash, at: paid.at }
}

/** What was found out of a list, by the time for which it was. */
const comparedOf = ofCrowd<Transfer, Known<Overpayment | null>>(byName)
const openOf = ofCrowd<Transfer, Known<boolean>>(byName)
const outdatedOf = ofCrowd<Transfer, Known<readonly OutdatedPayout[]>>(byName)

type Known<T> = (name: string | UnixMs, find: () => T) => T

function byName<T>(): (...of: Parameters<Known<T>>) => T {
  const found = new Map<string | UnixMs, { readonly value: T }>()
  return (name, find) => {
    const known = found.get(name) ?? { value: find() }
    found.set(name, known)
    return known.value
  }
}

/** What the origin of withdrawals took. */
function owedBy(
  alike: readonly Transfer[],
  sharing: readonly Transfer[],
  settings: PaymentSettings,
): Owed | null {
  const direction = alike[0]?.direction
  const isWhole = alike.length === sharing.filter((other) => other.direction === direction).length
  return (isWhole ? takenByOrigin(alike, settings) : null) ?? owedTo(alike)
}

/** @param taken what the origin took, where these are withdrawals */
function compare(
  alike: readonly Transfer[],
  taken: Owed | null,
  { now }: PaymentSettings,
): Overpayment | null {
  const payouts = alike.filter((one) => isPaid(one, alike, now)).sort(byPayment)
  const owed = alike[0]?.direction === 'MainToZone' ? depositedBy(payouts) : taken
  if (owed === null) return null
  const sums = sumPaid(payouts)
  const paid = sums.at(-1) ?? 0n
  if (paid <= owed.amount) return null
  const surplus = payouts.filter((_, at) => (sums[at] ?? 0n) > owed.amount)
  return { owed: owed.amount, owedBy: owed.by, paid, payouts, surplus }
}

/** Those of the same origin transaction that are, or may be, of the very origin of a transfer, itself included. */
export function listOfOneOrigin(transfer: Transfer, sharing: readonly Transfer[]): readonly Transfer[] {
  const once = takenOnceWith(transfer, sharing)
  return once.length > 1 ? once : listNamedAlike(transfer, sharing)
}

function takenOnceWith({ direction }: Transfer, sharing: readonly Transfer[]): readonly Transfer[] {
  return direction === 'ZoneToMain' ? listTakenOnce(sharing) : []
}

/** Those whose names say so. */
function listNamedAlike(transfer: Transfer, sharing: readonly Transfer[]): readonly Transfer[] {
  const isWhole = once(() => !isBatch(transfer) || batchTotal(transfer) !== null)
  const isAlike = (other: Transfer) => isOfOneOrigin(transfer, other, isWhole)
  if (sharing.length === 1) return sharing.filter(isAlike)
  if (isNameless(transfer)) return listTwins(transfer, sharing).filter(isAlike)
  const { direction, token, id, zoneEventIndex, amountRaw, targetAddress } = transfer
  // Whatever `isOfOneOrigin` looks at.
  const of = [direction, originLeg(transfer)?.hash, token.address, token.id, id, zoneEventIndex]
  const item = direction === 'MainToZone' || isWhole() ? [] : [String(amountRaw), targetAddress]
  return alikeOf(sharing)(JSON.stringify([...of, ...item]), () => sharing.filter(isAlike))
}

const alikeOf = ofCrowd<Transfer, Known<readonly Transfer[]>>(byName)

function isOfOneOrigin(a: Transfer, b: Transfer, isWhole: () => boolean): boolean {
  // Names first: of a crowd each is compared with each.
  const isNamedAlike =
    a.direction === 'MainToZone'
      ? a.token.id === b.token.id
      : (a.id !== null && a.id === b.id) ||
        (a.zoneEventIndex !== null && a.zoneEventIndex === b.zoneEventIndex) ||
        isShownAsOne(a, b)
  if (!isNamedAlike || a.direction !== b.direction || a.token.address !== b.token.address) return false
  if (originLeg(a)?.hash !== originLeg(b)?.hash) return false
  return a.direction === 'MainToZone' || isWhole() || isSameItem(a, b)
}

/** A list is no later than this with what E12 has to show beside a record. */
export const shownWithinMs = 90_000

/** Without names two equal payouts are of one origin when E12 shows one of them alone, long after both were there. */
function isShownAsOne(a: Transfer, b: Transfer): boolean {
  const isAlone = (one: Transfer, other: Transfer) =>
    one.onlyAt !== undefined && one.onlyAt >= other.firstSeenAt + shownWithinMs
  return a.key === b.key || (isNamelessTwin(a, b) && (isAlone(a, b) || isAlone(b, a)))
}

function isNamelessTwin(a: Transfer, b: Transfer): boolean {
  if (!isNameless(a) || !isNameless(b) || !isSameItem(a, b)) return false
  const [paid, other] = [destinationLeg(a), destinationLeg(b)]
  return paid !== null && other !== null && paid.hash !== other.hash
}

/** A deposit's origin names it. */
function isNameless({ direction, id, zoneEventIndex }: Transfer): boolean {
  return direction === 'ZoneToMain' && id === null && zoneEventIndex === null
}

/** Those without a name that are equal to one without, itself included. */
function listTwins(transfer: Transfer, sharing: readonly Transfer[]): readonly Transfer[] {
  return twinsIn(sharing).get(itemOf(transfer)) ?? []
}

const twinsIn = ofCrowd((sharing: readonly Transfer[]) => Map.groupBy(sharing.filter(isNameless), itemOf))

function itemOf({ token, amountRaw, targetAddress }: Transfer): string {
  return `${token.id} ${amountRaw} ${targetAddress}`
}

/** How long it may take until E12 has shown whether equal payouts without names are of one origin. */
const twinMs = 300_000

/** Whether a withdrawal without a name has an equal one beside it, and E12 may yet show that they are one. */
export function mayBeShownAsOne(transfer: Transfer, sharing: readonly Transfer[], now: UnixMs): boolean {
  return (
    now - transfer.firstSeenAt < twinMs &&
    isNameless(transfer) &&
    listTwins(transfer, sharing).some((other) => isNamelessTwin(transfer, other))
  )
}

/** Of a batch without a readable detail nothing says what the whole is: only equal rows are compared. */
function isSameItem(a: Transfer, b: Transfer): boolean {
  return a.token.id === b.token.id && a.amountRaw === b.amountRaw && a.targetAddress === b.targetAddress
}

/** How long it is asked whether the payouts of one origin are on chain, before a difference of their records is reported, ms. */
const askMs = 90_000

/** Whether a transfer may yet turn out to be one payout too many: what it differs in would then say less. */
export function mayBeSurplus(transfer: Transfer, sharing: readonly Transfer[], now: UnixMs): boolean {
  if (now - transfer.firstSeenAt >= askMs) return false
  const alike = listOfOneOrigin(transfer, sharing)
  return openOf(alike)(now, () => {
    const paid = alike.filter((other) => destinationLeg(other) !== null)
    return paid.length > 1 && paid.some((one) => statusOf(one, alike, now) === undefined)
  })
}

/**
 * Where one withdrawal was paid more than once if all that was ever proven still stands: the payouts that were proven
 * before another one was seen, and when that was. By now they may be reorganised away. Those alone that there is still
 * time to ask of.
 */
export function listOutdatedPayouts(
  transfer: Transfer,
  sharing: readonly Transfer[],
  settings: PaymentSettings,
): readonly OutdatedPayout[] {
  // The zone chain, where deposits arrive, takes nothing back.
  if (transfer.direction === 'MainToZone') return []
  if (findOverpayment(transfer, sharing, { ...settings, now: Infinity }) === null) return []
  const { now } = settings
  const alike = listOfOneOrigin(transfer, sharing)
  return outdatedOf(alike)(now, () =>
    alike.flatMap((payout) => {
      const since = rivalSeenAt(payout, alike)
      const known = answersOf(payout)
      const isOutdated = known.length > 0 && !known.some(({ at }) => at >= since)
      return isOutdated && !isHoldOver(since, now) ? [{ payout, since }] : []
    }),
  )
}

interface OutdatedPayout {
  readonly payout: Transfer
  /** When the other one was seen. */
  readonly since: UnixMs
}

function isPaid(transfer: Transfer, alike: readonly Transfer[], now: UnixMs): boolean {
  return transfer.amountRaw !== null && statusOf(transfer, alike, now) === 'success'
}

/**
 * What was found of a payout's own transaction since another one of the same origin was seen; undefined before it was, for
 * as long as it is worth waiting for: what could not be asked hides no second payout.
 */
function statusOf(
  transfer: Transfer,
  alike: readonly Transfer[],
  now: UnixMs,
): LegEvidence['status'] | undefined {
  const since = rivalSeenAt(transfer, alike)
  const known = answersOf(transfer)
  const newer = known.filter(({ at }) => at >= since)
  const holding = newer.length > 0 || !isHoldOver(since, now) ? newer : known
  const node = holding.find(isOfNode)
  if (node?.status === 'success') return node.status
  // A list of calls that does not say which of them failed is no word against the one that does.
  return (newestEvidence(holding) ?? node)?.status
}

/** Requests are numbered on from before the clock was set back: then nothing says how long it has been. */
function isHoldOver(since: UnixMs, now: UnixMs): boolean {
  return Math.abs(now - since) >= replacedHoldMs
}

function answersOf(transfer: Transfer): LegEvidence[] {
  const leg = destinationLeg(transfer)
  return transfer.evidence.filter(
    (one) => one.chain === leg?.chain && one.hash === leg.hash && one.status !== 'unknown',
  )
}

/** When the newest other payout of the same withdrawal was first seen. */
function rivalSeenAt(transfer: Transfer, alike: readonly Transfer[]): UnixMs {
  if (transfer.direction !== 'ZoneToMain') return -Infinity
  const { newest, other } = newestOf(alike)
  return destinationLeg(transfer)?.hash === newest.hash ? other.seenAt : newest.seenAt
}

const noPayout = { hash: null, seenAt: -Infinity }

/** The newest payout, and the newest by another transaction than that. */
const newestOf = ofCrowd((alike: readonly Transfer[]) => {
  const paid = alike.flatMap((one) => {
    const leg = destinationLeg(one)
    return leg === null ? [] : [{ hash: leg.hash, seenAt: one.firstSeenAt }]
  })
  const newestAmong = (some: typeof paid) =>
    some.reduce<{ hash: string | null; seenAt: UnixMs }>(
      (best, one) => (one.seenAt > best.seenAt ? one : best),
      noPayout,
    )
  const newest = newestAmong(paid)
  return { newest, other: newestAmong(paid.filter(({ hash }) => hash !== newest.hash)) }
})
