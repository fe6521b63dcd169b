import { readBatchDetail } from './batchDetail.ts'
import { type Decimal, toBaseUnits, toDecimal } from '../bridge/decimal.ts'
import { sumArrivals } from '../bridge/tokenFlow.ts'
import { destinationLeg, isBatch, type LegEvidence, mostMoves, type Transfer } from '../bridge/transfer.ts'

export function byPayment(a: Transfer, b: Transfer): number {
  const timeOf = (one: Transfer) => destinationLeg(one)?.time ?? one.firstSeenAt
  return (
    timeOf(a) - timeOf(b) || a.firstSeenAt - b.firstSeenAt || Number(a.key.slice(1)) - Number(b.key.slice(1))
  )
}

const maxAmount = 1n << 256n

/** What the origin took, base units, and what says so. */
export interface Owed {
  readonly amount: bigint
  readonly by: 'the zone transaction' | 'the batch' | 'the record' | 'the deposit'
}

/** What the zone's own transaction says it took; only where it has one origin is that this origin's. */
export function takenBy(alike: readonly Transfer[]): Owed | null {
  const said = alike
    .flatMap((one) => one.evidence)
    .find((one) => one.chain === 'zone' && one.status === 'success' && (one.amountRaw ?? 0n) > 0n)
  const least = alike.reduce(
    (low, { amountRaw }) => (amountRaw !== null && amountRaw < low ? amountRaw : low),
    maxAmount,
  )
  const amount = said === undefined ? null : inRecordUnits(said, alike[0]?.token.decimals ?? null)
  // Less than any record claims would be another unit, or a mismatch of the record: neither is a second payout.
  return amount === null || amount < least ? null : { amount, by: 'the zone transaction' }
}

/** Base units: the zone may count in finer ones than the records, then what it says in token units is taken, in theirs. */
export function inRecordUnits(
  { amount, amountRaw = null }: Pick<LegEvidence, 'amount' | 'amountRaw'>,
  decimals: number | null,
): bigint | null {
  const units = toDecimal(amount ?? '')
  const own = units === null || decimals === null ? null : toBaseUnits(units, decimals)
  // Where the text is rounded it is nearly the same.
  return own === null || amountRaw === null || amountRaw < own * 10n ? amountRaw : own
}

export function owedTo(alike: readonly Transfer[]): Owed | null {
  const total = alike.reduce<bigint | null>((found, one) => found ?? batchTotal(one), null)
  if (total !== null) return { amount: total, by: 'the batch' }
  // The record seen first speaks for the origin: it is the later ones that need explaining.
  const [first] = alike
    .filter((one) => one.amountRaw !== null)
    .sort((a, b) => a.firstSeenAt - b.firstSeenAt || byPayment(a, b))
  return first?.amountRaw == null ? null : { amount: first.amountRaw, by: 'the record' }
}

/** What the main transaction took; less than one record's amount is a mismatch of that record, not a second payout. */
export function depositedBy(payouts: readonly Transfer[]): Owed | null {
  const [first] = payouts
  if (!first?.main) return null
  const hash = first.main.hash
  const proof = first.evidence.find(
    (one) => one.chain === 'main' && one.hash === hash && one.status === 'success' && one.moves !== null,
  )
  // Of more movements than are kept nobody knows the sum.
  const amount = proof?.moves && proof.moves.length < mostMoves ? sumArrivals(proof.moves, first) : null
  if (amount === null || payouts.some((one) => (one.amountRaw ?? 0n) > amount)) return null
  return { amount, by: 'the deposit' }
}

/** What was paid with each, and before: each main transaction counts for no more than it moved, however many records name it. */
export function sumPaid(payouts: readonly Transfer[]): bigint[] {
  const byHash = new Map<string, Paying>()
  let sum = 0n
  return payouts.map((one) => {
    const hash = destinationLeg(one)?.hash ?? ''
    const paying = byHash.get(hash) ?? { moved: movedBy(one), recorded: 0n, ids: new Set() }
    byHash.set(hash, paying)
    sum -= paidBy(paying)
    paying.recorded += one.amountRaw ?? 0n
    paying.ids.add(one.token.id)
    sum += paidBy(paying)
    return sum
  })
}

/** One transaction that pays. */
interface Paying {
  readonly moved: bigint | null
  readonly ids: Set<Transfer['token']['id']>
  recorded: bigint
}

function paidBy({ moved, recorded, ids }: Paying): bigint {
  return ids.size === 1 && moved !== null && moved < recorded ? moved : recorded
}

function movedBy(payout: Transfer): bigint | null {
  const leg = destinationLeg(payout)
  const moves = payout.evidence.find(
    (one) => one.hash === leg?.hash && one.chain === leg.chain && one.moves !== null,
  )?.moves
  return moves ? sumArrivals(moves, payout) : null
}

/** The whole of a batch in base units, when its detail can be read. */
export function batchTotal(transfer: Transfer): bigint | null {
  if (!isBatch(transfer) || transfer.batchDetail === null) return null
  const reading = readBatchDetail(transfer.batchDetail, expectedSums(transfer))
  return reading.kind === 'items' ? toBase(reading.total, transfer) : null
}

/** What a batch may add up to: the record's amount, in base units or in token units. */
export function expectedSums({ amountRaw, amount }: Transfer): Decimal[] {
  const units = /^(\d+)(?:\.(\d+))?$/.exec(amount ?? '')
  return [
    ...(amountRaw === null ? [] : [{ digits: amountRaw, scale: 0 }]),
    ...(units ? [{ digits: BigInt(`${units[1]}${units[2] ?? ''}`), scale: (units[2] ?? '').length }] : []),
  ]
}

function toBase({ digits, scale }: Decimal, { token, amountRaw, amount }: Transfer): bigint | null {
  if (scale === 0 && !isInUnits(digits, { amountRaw, amount })) return digits
  return token.decimals === null || scale > token.decimals
    ? null
    : digits * 10n ** BigInt(token.decimals - scale)
}

/** A detail in token units shows itself by adding up to the record's amount in them. */
function isInUnits(digits: bigint, { amountRaw, amount }: Pick<Transfer, 'amountRaw' | 'amount'>): boolean {
  return digits !== amountRaw && amount === digits.toString()
}
