import {
  compareDecimals,
  type Decimal,
  noAmount,
  subtractDecimals,
  sumDecimals,
  toDecimal,
} from '../bridge/decimal.ts'
import type { Finding, FindingKind } from '../bridge/finding.ts'
import { canonicalToken, movedToken } from '../bridge/movedToken.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { Severity } from '../rules/types.ts'

/** What one rule says of one thing. */
export interface Accusation {
  readonly severity: Severity
  readonly finding: Finding
}

/** Of one transfer the first says the most, and what comes after it says no second thing. */
const ranks: readonly FindingKind[] = [
  'transfer.duplicate',
  'transfer.unbacked',
  'transfer.mismatch',
  'transfer.failed',
  'transfer.stalled',
]
export const gravity: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 }

/** The rank of a kind among those that accuse a transfer; Infinity for all others. */
function rankOf(kind: string): number {
  const rank = ranks.findIndex((one) => one === kind)
  return rank < 0 ? Infinity : rank
}

/** Sorts what says the most before the rest. */
export function compareRanks(a: Pick<Finding, 'kind'>, b: Pick<Finding, 'kind'>): number {
  const [rankA, rankB] = [rankOf(a.kind), rankOf(b.kind)]
  return rankA === rankB ? 0 : rankA - rankB
}

/** Whether a kind may join another finding. */
export function mayJoin(kind: string): boolean {
  return rankOf(kind) < Infinity || kind === 'escrow.drift' || kind === 'escrow.shortfall'
}

/**
 * Whether what was told of the same transfer says all that this one would: it ranks above it, is no less severe, and
 * names the money already.
 */
export function coversTransfer(told: Accusation, other: Accusation): boolean {
  if (!stands(told.finding) || gravity[told.severity] > gravity[other.severity]) return false
  const [above, below] = [rankOf(told.finding.kind), rankOf(other.finding.kind)]
  // A transfer that is late, by a tighter bound of a lesser rule: slow, and stalled already.
  const isSlow =
    above === below && told.finding.kind === 'transfer.stalled' && told.severity !== other.severity
  if (above >= below && !isSlow) return false
  const wanted = amountNamed(other.finding)
  if (wanted === null) return true
  const named = amountNamed(told.finding)
  return named !== null && compareDecimals(wanted, named) <= 0
}

/**
 * Of several that were told, those that together account for all that is missing at an escrow, the largest first; empty
 * when they do not.
 */
export function coverEscrow(told: readonly Accusation[], other: Accusation): readonly Accusation[] {
  const { facts, kind } = other.finding
  const missing = toDecimal(String((kind === 'escrow.drift' ? facts['amount'] : facts['missing']) ?? ''))
  const token = canonicalToken(other.finding.labels.token ?? '')
  if (missing === null || facts['direction'] === 'in') return []
  const able = told.filter(
    (one) =>
      gravity[one.severity] <= gravity[other.severity] && stands(one.finding) && isOf(one.finding, token),
  )
  const shares = shareOut(able, kind === 'escrow.drift').sort((a, b) => compareDecimals(b.amount, a.amount))
  const sum = sumDecimals(shares.map(({ amount }) => amount))
  return sum.digits > 0n && compareDecimals(missing, sum) <= 0 ? shares.map(({ by }) => by) : []
}

/**
 * Whether a movement that was told is this transfer's payout: its money was seen to leave the escrow before the transfer
 * was judged, and no more is said to be gone now than was then.
 * @param beside what else was told as part of that movement
 */
export function sawPayout(told: Accusation, other: Accusation, beside: readonly Accusation[]): boolean {
  const { transfer } = other.finding
  const { kind, facts } = told.finding
  if (kind !== 'escrow.drift' || facts['direction'] !== 'out' || facts['sum'] !== '') return false
  if (transfer?.direction !== 'ZoneToMain' || facts['mainTxHash'] !== transfer.main?.hash) return false
  const left = toDecimal(String(facts['amount']))
  const lost = lossOf(other.finding, transfer)
  const isSame =
    gravity[told.severity] <= gravity[other.severity] && isOf(told.finding, movedToken(transfer.token))
  const all = sumDecimals([lost, ...listLosses(beside.filter((one) => isBeside(one, other)))])
  return isSame && left !== null && lost.digits > 0n && compareDecimals(all, left) <= 0
}

function isBeside({ finding }: Accusation, { finding: { transfer } }: Accusation): boolean {
  return (
    transfer !== null && finding.transfer?.key !== transfer.key && isOf(finding, movedToken(transfer.token))
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
 * Each transfer once, and of movements at the escrow those that no transfer that was told makes.
 * @param isOutflow only what leaves the escrow explains a movement; what never came is missing too
 */
function shareOut(told: readonly Accusation[], isOutflow: boolean): Share[] {
  const payouts = new Map<string, Share>()
  for (const by of told) {
    const { transfer } = by.finding
    if (transfer === null || (isOutflow && transfer.direction !== 'ZoneToMain')) continue
    const amount = lossOf(by.finding, transfer)
    const known = payouts.get(transfer.key)
    if (amount.digits > 0n && (!known || compareDecimals(amount, known.amount) > 0))
      payouts.set(transfer.key, { by, amount })
  }
  const hashes = new Set([...payouts.values()].map(({ by }) => by.finding.transfer?.main?.hash))
  const moves = told.flatMap((by): Share[] => {
    const { kind, facts } = by.finding
    if (kind !== 'escrow.drift' || facts['direction'] !== 'out' || hashes.has(String(facts['mainTxHash'])))
      return []
    return [{ by, amount: toDecimal(String(facts['amount'])) ?? noAmount }]
  })
  return [...payouts.values(), ...moves]
}

/** What the bridge lost by a transfer, as a finding tells it; token units. */
function lossOf(finding: Finding, { amount, direction }: Transfer): Decimal {
  const recorded = toDecimal(amount ?? '') ?? noAmount
  if (finding.kind === 'transfer.unbacked' || finding.kind === 'transfer.duplicate') return recorded
  const text = foundAmount(finding)
  const found = text === 'nothing moved' ? noAmount : toDecimal(text)
  if (found === null) return noAmount
  return direction === 'ZoneToMain' ? subtractDecimals(found, recorded) : subtractDecimals(recorded, found)
}

function isOf({ kind, transfer, labels }: Finding, token: string): boolean {
  if (transfer !== null) return movedToken(transfer.token) === token
  return kind === 'escrow.drift' && canonicalToken(labels.token ?? '') === token
}

/** The largest amount that a finding names, token units; null when it names none. */
function amountNamed(finding: Finding): Decimal | null {
  const amounts = [finding.transfer?.amount ?? '', foundAmount(finding)].flatMap(
    (text) => toDecimal(text) ?? [],
  )
  return amounts.reduce<Decimal | null>(
    (most, one) => (most === null || compareDecimals(one, most) > 0 ? one : most),
    null,
  )
}

function foundAmount({ kind, facts }: Finding): string {
  return kind === 'transfer.mismatch' && facts['what'] === 'amount' ? String(facts['found'] ?? '') : ''
}

/** Whether what was told is still so, as far as its newest finding says. */
export function stands({ kind, transfer, isOver }: Finding): boolean {
  if (isOver) return false
  if (kind === 'transfer.failed') return transfer?.state === 'failed'
  if (kind === 'transfer.unbacked') return transfer?.originProof !== 'proven'
  return true
}
