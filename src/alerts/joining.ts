import {
  compareDecimals,
  type Decimal,
  noAmount,
  subtractDecimals,
  sumDecimals,
  toDecimal,
} from '../bridge/decimal.ts'
import type { Finding } from '../bridge/finding.ts'
import { canonicalToken, movedToken } from '../bridge/movedToken.ts'
import type { Transfer } from '../bridge/transfer.ts'
import { paidOut } from '../meaning/paidOut.ts'
import type { Detector } from '../rules/kind.ts'
import type { Severity } from '../rules/types.ts'

/** What one rule says of one thing. */
export interface Accusation {
  readonly severity: Severity
  readonly finding: Finding
  /** Null for one that there is no more. */
  readonly kind: Detector | null
}

export const gravity: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 }

/** The rank of a kind among those that accuse a transfer; Infinity for all others. */
function rankOf(kind: Detector | null): number {
  return kind?.joins?.of === 'transfer' ? kind.joins.rank : Infinity
}

/** Sorts what says the most before the rest. */
export function compareRanks(a: Detector | null, b: Detector | null): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)]
  return rankA === rankB ? 0 : rankA - rankB
}

/** Whether it says all that a second rule of its kind would, by a tighter bound and less severe: slow, and stalled already. */
export function saysAllAtOnce(kind: Detector | null): boolean {
  return kind?.joins?.of === 'transfer' && kind.joins.saysAllAtOnce === true
}

/** Whether it is about one movement at an escrow. */
export function isMovement(kind: Detector | null): boolean {
  return kind?.joins?.of === 'escrow' && kind.joins.isMovement
}

/** Whether it is said before it is proven: nothing is explained by it, and its proof is news. */
function isUnproven(kind: Detector | null): boolean {
  return kind?.joins?.of === 'escrow' && kind.joins.isUnproven === true
}

/** Whether it says that the bridge lost something. */
export function isLoss(kind: Detector | null): boolean {
  return isMovement(kind) || (kind?.joins?.of === 'transfer' && kind.joins.loses !== undefined)
}

/**
 * Whether what was sent of the same transfer says all that this one would: it ranks above it, is no less severe, and
 * names the money already.
 */
export function coversTransfer(told: Accusation, other: Accusation): boolean {
  if (!stands(told) || gravity[told.severity] > gravity[other.severity]) return false
  const [above, below] = [rankOf(told.kind), rankOf(other.kind)]
  const isSlow = above === below && saysAllAtOnce(told.kind) && told.severity !== other.severity
  if (above >= below && !isSlow) return false
  const wanted = amountNamed(other)
  if (wanted === null) return true
  const named = amountNamed(told)
  return named !== null && compareDecimals(wanted, named) <= 0
}

/**
 * Of several that were sent, those that together account for all that is missing at an escrow, the largest first; empty
 * when they do not.
 */
export function coverEscrow(told: readonly Accusation[], other: Accusation): readonly Accusation[] {
  const { facts } = other.finding
  const joins = other.kind?.joins
  const missing = joins?.of === 'escrow' ? toDecimal(String(facts[joins.missing] ?? '')) : null
  const token = canonicalToken(other.finding.labels.token ?? '')
  if (missing === null || facts['direction'] === 'in') return []
  const able = told.filter(
    (one) =>
      gravity[one.severity] <= gravity[other.severity] &&
      stands(one) &&
      isOf(one, token) &&
      !isUnproven(one.kind),
  )
  const shares = shareOut(able, isMovement(other.kind)).sort((a, b) => compareDecimals(b.amount, a.amount))
  const sum = sumDecimals(shares.map(({ amount }) => amount))
  return sum.digits > 0n && compareDecimals(missing, sum) <= 0 ? shares.map(({ by }) => by) : []
}

/**
 * Whether a movement that was sent is this transfer's payout: its money was seen to leave the escrow before the transfer
 * was judged, and no more is said to be gone now than was then.
 * @param beside what else was sent as part of that movement
 */
export function sawPayout(told: Accusation, other: Accusation, beside: readonly Accusation[]): boolean {
  const { transfer } = other.finding
  const { facts } = told.finding
  if (!isMovement(told.kind) || isUnproven(told.kind)) return false
  if (facts['direction'] !== 'out' || facts['sum'] !== '') return false
  if (transfer?.direction !== 'ZoneToMain' || facts['mainTxHash'] !== transfer.main?.hash) return false
  const left = toDecimal(String(facts['amount']))
  const lost = lossOf(other, transfer)
  const isSame = gravity[told.severity] <= gravity[other.severity] && isOf(told, movedToken(transfer.token))
  const all = sumDecimals([lost, ...listLosses(beside.filter((one) => isBeside(one, other)))])
  return isSame && left !== null && lost.digits > 0n && compareDecimals(all, left) <= 0
}

function isBeside(one: Accusation, { finding: { transfer } }: Accusation): boolean {
  return (
    transfer !== null && one.finding.transfer?.key !== transfer.key && isOf(one, movedToken(transfer.token))
  )
}

/** Of each transfer the most that was said to be lost by it. */
function listLosses(told: readonly Accusation[]): Decimal[] {
  return shareOut(told, true).map(({ amount }) => amount)
}

interface Share {
  readonly by: Accusation
  readonly amount: Decimal
}

/**
 * Each transfer once, and of movements at the escrow those that no transfer that was sent makes.
 * @param isOutflow only what leaves the escrow explains a movement; what never came is missing too
 */
function shareOut(told: readonly Accusation[], isOutflow: boolean): Share[] {
  const payouts = new Map<string, Share>()
  for (const by of told) {
    const { transfer } = by.finding
    if (transfer === null || (isOutflow && transfer.direction !== 'ZoneToMain')) continue
    const amount = lossOf(by, transfer)
    const known = payouts.get(transfer.key)
    if (amount.digits > 0n && (!known || compareDecimals(amount, known.amount) > 0))
      payouts.set(transfer.key, { by, amount })
  }
  const hashes = new Set([...payouts.values()].map(({ by }) => by.finding.transfer?.main?.hash))
  const moves = told.flatMap((by): Share[] => {
    const { facts } = by.finding
    if (!isMovement(by.kind) || facts['direction'] !== 'out' || hashes.has(String(facts['mainTxHash'])))
      return []
    return [{ by, amount: toDecimal(String(facts['amount'])) ?? noAmount }]
  })
  return [...payouts.values(), ...moves]
}

/** What the bridge lost by a transfer, as a finding says it; token units. */
function lossOf(by: Accusation, transfer: Transfer): Decimal {
  const { amount, direction } = transfer
  const joins = by.kind?.joins
  if (joins?.of === 'transfer' && joins.loses === 'all') return paidOut(transfer) ?? noAmount
  const recorded = toDecimal(amount ?? '') ?? noAmount
  const text = foundAmount(by)
  const found = text === 'nothing moved' ? noAmount : toDecimal(text)
  if (found === null) return noAmount
  return direction === 'ZoneToMain' ? subtractDecimals(found, recorded) : subtractDecimals(recorded, found)
}

function isOf({ finding: { transfer, labels }, kind }: Accusation, token: string): boolean {
  if (transfer !== null) return movedToken(transfer.token) === token
  return isMovement(kind) && canonicalToken(labels.token ?? '') === token
}

/** The largest amount that a finding names, token units; null when it names none. */
export function amountNamed(by: Accusation): Decimal | null {
  const amounts = [by.finding.transfer?.amount ?? '', foundAmount(by)].flatMap(
    (text) => toDecimal(text) ?? [],
  )
  return amounts.reduce<Decimal | null>(
    (most, one) => (most === null || compareDecimals(one, most) > 0 ? one : most),
    null,
  )
}

function foundAmount({ finding, kind }: Accusation): string {
  const loses = kind?.joins?.of === 'transfer' ? kind.joins.loses : undefined
  return typeof loses === 'function' ? loses(finding.facts) : ''
}

/** Whether what was sent is still so, as far as its newest finding says. */
export function stands({ finding, kind }: Pick<Accusation, 'finding' | 'kind'>): boolean {
  return finding.isOver !== true && (kind?.stands?.(finding) ?? true)
}
