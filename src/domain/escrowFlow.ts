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
import { canonicalToken, movedToken } from './movedToken.ts'
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
  /** A record accounts for it if its token moves under this address, and that is not known yet. */
  | { readonly kind: 'held' }
  | {
      readonly kind: 'unexplained'
      readonly direction: 'out' | 'in'
      readonly amount: Decimal
      readonly reason: string
      /** The records themselves say so: reading them again changes nothing. */
      readonly isSettled: boolean
    }

/** Whether a record's token is the one that moved, by another address; `held` while that is not known. */
export type JudgeToken = (transfer: Transfer, moved: string) => 'same' | 'held' | 'other'

/**
 * Whether known transfers account for what a transaction moved at the bridge's escrows. A payout whose origin was
 * disproved accounts for nothing.
 * @param outward what left all escrows together in that transaction, token units
 */
export function judgeFlow(
  flow: { readonly hash: string; readonly token: string; readonly outward: Decimal },
  transfers: readonly Transfer[],
  fees: readonly FlowFee[],
  judgeToken: JudgeToken = () => 'other',
): FlowVerdict {
  const all = transfers.filter(({ main }) => main?.hash === flow.hash)
  const plain = all.filter(({ token }) => !token.isUnknown && movedToken(token) === flow.token)
  const verdict = judgeLegs(flow, plain, fees)
  if (verdict.kind !== 'unexplained') return verdict
  const others = all.filter((one) => mayBeOf(one, flow.token))
  const tokens = new Map(
    others.map((one) => [one, one.token.isUnknown ? 'held' : judgeToken(one, flow.token)]),
  )
  const legsBeing = (...words: readonly string[]) => [
    ...plain,
    ...others.filter((one) => words.includes(tokens.get(one) ?? '')),
  ]
  const known = judgeLegs(flow, legsBeing('same'), fees)
  if (known.kind !== 'unexplained') return known
  return judgeLegs(flow, legsBeing('same', 'held'), fees).kind === 'explained' ? { kind: 'held' } : known
}

/** Where nothing is known of a record's token, and it did not move itself, another one may be it. */
function mayBeOf({ token, main, evidence }: Transfer, moved: string): boolean {
  const own = canonicalToken(token.address)
  if (token.isUnknown) return true
  if (token.movedAs !== undefined || own === moved) return false
  const seen = evidence.filter((one) => one.chain === 'main' && one.hash === main?.hash && one.moves !== null)
  return !seen.some(({ moves }) => moves?.some((move) => move.token === own))
}

function judgeLegs(
  flow: { readonly hash: string; readonly token: string; readonly outward: Decimal },
  legs: readonly Transfer[],
  fees: readonly FlowFee[],
): FlowVerdict {
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
  const perLeg = moving.map((leg) => toDecimal(findFee(fees, leg)?.max ?? '0') ?? noAmount)
  const { scale } = flow.outward
  const rounded = moving.length > 0 && scale >= 6 ? { digits: 1n, scale } : noAmount
  return sumDecimals([...perLeg, rounded])
}

/** The configuration may name a token by the address that records name, or by the one that it moves under. */
export function findFee(
  fees: readonly FlowFee[],
  { token, direction }: Pick<Transfer, 'token' | 'direction'>,
): FlowFee | undefined {
  const names = [canonicalToken(token.address), movedToken(token)]
  return fees.find((one) => names.includes(canonicalToken(one.token)) && one.direction === direction)
}

/** A payout that nothing on the zone chain stands behind. */
export function isDisproved({ state, originProof }: Transfer): boolean {
  return state === 'unbacked' || originProof === 'absent' || originProof === 'failed'
}
