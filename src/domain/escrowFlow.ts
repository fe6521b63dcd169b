import type { UnixMs } from '../lib/clock.ts'
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  negate,
  noAmount,
  subtractDecimals,
  sumDecimals,
  toDecimal,
} from './decimal.ts'
import type { Direction } from './observation.ts'
import type { Transfer } from './transfer.ts'

/** One movement of a token, or of the native currency, as a list of the main chain shows it. */
export interface FlowRow {
  readonly hash: string
  readonly height: number | null
  readonly time: UnixMs | null
  readonly from: string
  readonly to: string
  /** Lower-case contract address; '' for the native currency. */
  readonly token: string
  /** Token units. */
  readonly amount: string
}

/** What one transaction moved at one escrow of one token. */
export interface EscrowFlow {
  readonly escrow: string
  readonly token: string
  readonly hash: string
  readonly height: number
  readonly at: UnixMs
  /** What the balance changed by, token units. */
  readonly net: Decimal
  /** What left to others than the bridge's own escrows; negative when it came in. */
  readonly outward: Decimal
  /** The other side of the largest movement. */
  readonly party: string
}

/** Spellings of "no contract": the native currency. */
const nativeSpellings = new Set([
  '',
  '0x0000000000000000000000000000000000000000',
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
])

/** A token's address as the ledger and the lists of the main chain both name it; '' is the native currency. */
export function canonicalToken(address: string): string {
  const text = address.toLowerCase()
  return nativeSpellings.has(text) ? '' : text
}

/**
 * Sums the movements of a list by transaction and token. Movements of nothing are left out: anybody can write a
 * transfer of zero in another's name.
 */
export function sumFlows(
  rows: readonly FlowRow[],
  escrow: string,
  own: ReadonlySet<string>,
  seenAt: UnixMs,
): EscrowFlow[] {
  const flows = new Map<string, EscrowFlow & { readonly largest: Decimal }>()
  for (const row of rows) {
    const amount = toDecimal(row.amount)
    if (amount === null || amount.digits <= 0n || row.height === null || row.from === row.to) continue
    const isOut = row.from === escrow
    if (!isOut && row.to !== escrow) continue
    const party = isOut ? row.to : row.from
    const key = `${row.hash}|${row.token}`
    const before = flows.get(key)
    const outward = own.has(party) ? noAmount : isOut ? amount : negate(amount)
    const isLargest = !before || compareDecimals(amount, before.largest) > 0
    flows.set(key, {
      escrow,
      token: row.token,
      hash: row.hash,
      height: row.height,
      at: Math.min(row.time ?? seenAt, seenAt),
      net: addDecimals(before?.net ?? noAmount, isOut ? negate(amount) : amount),
      outward: addDecimals(before?.outward ?? noAmount, outward),
      party: isLargest ? party : before.party,
      largest: isLargest ? amount : before.largest,
    })
  }
  return [...flows.values()]
}

/** At most so much may move beside a transfer, token units. */
export interface FlowFee {
  readonly token: string
  readonly direction: Direction
  readonly max: string
}

export type FlowVerdict =
  | { readonly kind: 'explained'; readonly isProven: boolean }
  | {
      readonly kind: 'unexplained'
      readonly direction: 'out' | 'in'
      readonly amount: Decimal
      readonly reason: string
      /** The records themselves say so: reading them again changes nothing. */
      readonly isSettled: boolean
    }

/**
 * Whether known transfers account for what a transaction moved at the bridge's escrows. A payout whose origin was
 * disproved accounts for nothing.
 * @param outward what left all escrows together in that transaction, token units
 */
export function judgeFlow(
  flow: { readonly hash: string; readonly token: string; readonly outward: Decimal },
  transfers: readonly Transfer[],
  fees: readonly FlowFee[],
): FlowVerdict {
  const legs = transfers.filter(
    ({ main, token }) => main?.hash === flow.hash && canonicalToken(token.address) === flow.token,
  )
  const direction = flow.outward.digits > 0n ? 'out' : 'in'
  const wanted: Direction = direction === 'out' ? 'ZoneToMain' : 'MainToZone'
  const good = legs.filter((leg) => leg.direction !== 'ZoneToMain' || !isDisproved(leg))
  const moving = good.filter((leg) => leg.direction === wanted)
  if (moving.some((leg) => leg.amount === null)) return { kind: 'explained', isProven: false }
  const expected = sumDecimals(
    good.map((leg) => {
      const amount = toDecimal(leg.amount ?? '0') ?? noAmount
      return leg.direction === wanted ? amount : negate(amount)
    }),
  )
  const moved = direction === 'out' ? flow.outward : negate(flow.outward)
  const excess = subtractDecimals(moved, expected)
  if (compareDecimals(excess, allowance(flow, moving, fees)) <= 0) {
    return {
      kind: 'explained',
      isProven: direction === 'in' || moving.every((leg) => leg.originProof === 'proven'),
    }
  }
  const bad = legs.filter((leg) => leg.direction === wanted && !good.includes(leg))
  return { kind: 'unexplained', direction, amount: excess, ...tellWhy(bad, moving, excess) }
}

function tellWhy(bad: readonly Transfer[], moving: readonly Transfer[], excess: Decimal) {
  // Without any origin named yet, as when only the payout's event is known, the record may still come.
  const settled = bad.filter(({ originProof }) => originProof === 'absent' || originProof === 'failed')
  if (settled.length > 0) {
    const claimed = sumDecimals(settled.map(({ amount }) => toDecimal(amount ?? '0') ?? noAmount))
    const reason = 'its record names an origin that is not there'
    return { reason, isSettled: compareDecimals(claimed, excess) >= 0 }
  }
  if (bad.length > 0) return { reason: 'nothing names its origin', isSettled: false }
  const reason = moving.length > 0 ? 'it moved more than its records say' : 'no transfer is known'
  return { reason, isSettled: false }
}

/** Fees of each transfer, and what a list may have rounded away in the last digit that it shows. */
function allowance(
  flow: { readonly token: string; readonly outward: Decimal },
  moving: readonly Transfer[],
  fees: readonly FlowFee[],
): Decimal {
  const perLeg = moving.map(({ direction }) => {
    const fee = fees.find((one) => canonicalToken(one.token) === flow.token && one.direction === direction)
    return toDecimal(fee?.max ?? '0') ?? noAmount
  })
  const { scale } = flow.outward
  const rounded = moving.length > 0 && scale >= 6 ? { digits: 1n, scale } : noAmount
  return sumDecimals([...perLeg, rounded])
}

/** A payout that nothing on the zone chain stands behind. */
export function isDisproved({ state, originProof }: Transfer): boolean {
  return state === 'unbacked' || originProof === 'absent' || originProof === 'failed'
}
