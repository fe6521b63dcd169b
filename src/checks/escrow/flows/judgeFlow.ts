import {
  compareDecimals,
  type Decimal,
  fromBaseUnits,
  isEqual,
  negate,
  noAmount,
  subtractDecimals,
  sumDecimals,
  toDecimal,
} from '../../../bridge/decimal.ts'
import { readBatch } from '../../../meaning/judgeBatch.ts'
import type { MostKept } from '../../../meaning/mostKept.ts'
import { mostBeside } from '../../../meaning/takenBeside.ts'
import { canonicalToken, movedToken, toCanonicalId } from '../../../bridge/movedToken.ts'
import type { Direction } from '../../../bridge/observation.ts'
import { isBatch, type Transfer } from '../../../bridge/transfer.ts'
import { type GrossMove, joinGross } from './flow.ts'

export type FlowVerdict =
  | { readonly kind: 'explained'; readonly isProven: boolean }
  /** A record accounts for it if its token moves under this address, and that is not known yet. */
  | { readonly kind: 'held' }
  /**
   * A transfer accounts for it that does not say how much, or of which id, and nobody else does; or it moved before the
   * oldest record of the list.
   */
  | { readonly kind: 'unjudged'; readonly lacks: Lack }
  | {
      readonly kind: 'unexplained'
      readonly direction: 'out' | 'in'
      readonly amount: Decimal
      readonly reason: string
      /** The records themselves say so: reading them again changes nothing. */
      readonly isSettled: boolean
    }

/** What is lacking where the list begins later than what moved. */
export const lackOfList = 'record'

export type Lack = 'amount' | 'token id' | typeof lackOfList

/** Whether a record's token is the one that moved, by another address; `held` while that is not known. */
export type JudgeToken = (transfer: Transfer, moved: string) => 'same' | 'held' | 'other'

/** What a transaction moved of a token at the bridge's escrows, all of them together. */
export interface JudgedFlow {
  readonly hash: string
  readonly token: string
  /** What left all escrows together, token units. */
  readonly outward: Decimal
  readonly gross: readonly GrossMove[]
  /** Whether deposits come to rest here: what only passes through goes out again in the same transaction. */
  readonly isKept: boolean
}

/**
 * Whether known transfers account for what a transaction moved at the bridge's escrows. A payout whose origin was
 * disproved accounts for nothing, nor does one that failed: it is owed no more; but of a batch that failed some
 * items may be paid.
 */
export function judgeFlow(
  flow: JudgedFlow,
  transfers: readonly Transfer[],
  mostKept: MostKept,
  judgeToken: JudgeToken = () => 'other',
): FlowVerdict {
  const all = transfers.filter(({ main }) => main?.hash === flow.hash)
  const plain = all.filter(({ token }) => !token.isUnknown && movedToken(token) === flow.token)
  const verdict = judgeLegs(flow, plain, mostKept)
  if (verdict.kind !== 'unexplained') return verdict
  const others = all.filter((one) => mayBeOf(one, flow.token))
  const tokens = new Map(
    others.map((one) => [one, one.token.isUnknown ? 'held' : judgeToken(one, flow.token)]),
  )
  const legsBeing = (...words: readonly string[]) => [
    ...plain,
    ...others.filter((one) => words.includes(tokens.get(one) ?? '')),
  ]
  const known = judgeLegs(flow, legsBeing('same'), mostKept)
  if (known.kind !== 'unexplained') return known
  const hoped = judgeLegs(flow, legsBeing('same', 'held'), mostKept)
  return hoped.kind === 'unexplained' ? known : { kind: 'held' }
}

const movedMore = 'it moved more than its records say'

/** Of what left, that which neither payouts nor a deposit of which as much stayed as was credited account for. */
function judgeLegs(flow: JudgedFlow, legs: readonly Transfer[], mostKept: MostKept): FlowVerdict {
  const net = judgeNet(flow, legs, mostKept)
  if (net.kind === 'unjudged' || (net.kind === 'unexplained' && net.direction === 'out')) return net
  const amount = findReturned(flow, legs, mostKept)
  if (amount === null) return net
  const isOfDeposit = legs.some(({ direction }) => direction === 'MainToZone')
  const reason = isOfDeposit ? 'it went back out of a deposit that is credited in full' : movedMore
  return { kind: 'unexplained', direction: 'out', amount, reason, isSettled: false }
}

/** What went out again of deposits although the zone credits it; null when nothing did. By token id where all name one. */
function findReturned(flow: JudgedFlow, legs: readonly Transfer[], mostKept: MostKept): Decimal | null {
  const good = legs.filter((leg) =>
    leg.direction === 'ZoneToMain' ? !isNoPayout(leg, flow) : leg.status !== 'failed',
  )
  const hasIds =
    flow.gross.every(({ id }) => id !== '') && good.every((leg) => leg.token.id !== '' && !isBatch(leg))
  const moves = hasIds ? flow.gross : joinGross(flow.gross.map((move) => ({ ...move, id: '' })))
  const lost = moves.flatMap((move) => {
    const of = hasIds ? good.filter(({ token }) => toCanonicalId(token.id) === move.id) : good
    return findLost(flow, move, of, mostKept) ?? []
  })
  return lost.length === 0 ? null : sumDecimals(lost)
}

function findLost(
  flow: JudgedFlow,
  move: GrossMove,
  legs: readonly Transfer[],
  mostKept: MostKept,
): Decimal | null {
  const [paid = [], credited = []] = (['ZoneToMain', 'MainToZone'] as const).map((direction) =>
    legs.filter((leg) => leg.direction === direction),
  )
  if (legs.some((leg) => leg.amount === null)) return null
  const claim = (of: readonly Transfer[]) =>
    sumDecimals(of.map((leg) => toDecimal(leg.amount ?? '') ?? noAmount))
  const surplus = subtractDecimals(flow.isKept ? move.out : move.back, claim(paid))
  if (
    compareDecimals(
      surplus,
      allowance(flow, paid, (leg) => mostBeside(leg, mostKept)),
    ) <= 0
  )
    return null
  const stayed = subtractDecimals(move.in, surplus)
  const missing = subtractDecimals(claim(credited), stayed)
  return compareDecimals(
    missing,
    allowance(flow, legs, (leg) => mostKept(leg).less),
  ) > 0
    ? missing
    : null
}

/** Where nothing is known of a record's token, and it did not move itself, another one may be it. */
function mayBeOf({ token, main, evidence }: Transfer, moved: string): boolean {
  const own = canonicalToken(token.address)
  if (token.isUnknown) return true
  if (token.movedAs !== undefined || own === moved) return false
  const seen = evidence.filter((one) => one.chain === 'main' && one.hash === main?.hash && one.moves !== null)
  return !seen.some(({ moves }) => moves?.some((move) => move.token === own))
}

function judgeNet(flow: JudgedFlow, legs: readonly Transfer[], mostKept: MostKept): FlowVerdict {
  const direction = flow.outward.digits > 0n ? 'out' : 'in'
  const wanted: Direction = direction === 'out' ? 'ZoneToMain' : 'MainToZone'
  const good = legs.filter((leg) => leg.direction !== 'ZoneToMain' || !isNoPayout(leg, flow))
  const moving = good.filter((leg) => leg.direction === wanted)
  const leaves = flow.gross.some(({ out }) => out.digits > 0n)
  if (leaves && good.some((leg) => leg.amount === null && !hasSumOf(leg, flow)))
    return { kind: 'unjudged', lacks: 'amount' }
  if (moving.some((leg) => leg.amount === null)) return { kind: 'explained', isProven: false }
  const expected = sumDecimals(
    good.map((leg) => {
      const amount = toDecimal(leg.amount ?? '0') ?? noAmount
      return leg.direction === wanted ? amount : negate(amount)
    }),
  )
  const moved = direction === 'out' ? flow.outward : negate(flow.outward)
  const excess = subtractDecimals(moved, expected)
  if (
    compareDecimals(
      excess,
      allowance(flow, moving, (leg) => mostBeside(leg, mostKept)),
    ) <= 0
  ) {
    if (lacksId(flow, moving)) return { kind: 'unjudged', lacks: 'token id' }
    return {
      kind: 'explained',
      isProven: direction === 'in' || moving.every((leg) => leg.originProof === 'proven'),
    }
  }
  const bad = legs.filter((leg) => leg.direction === wanted && !good.includes(leg))
  return { kind: 'unexplained', direction, amount: excess, ...tellWhy(bad, moving, excess) }
}

/** Of a batch without an amount its items may say how much: in token units, or in base units. */
function hasSumOf(leg: Transfer, { outward }: JudgedFlow): boolean {
  const reading = isBatch(leg) ? readBatch(leg) : null
  if (reading?.kind !== 'items') return false
  const { total } = reading
  const { decimals } = leg.token
  const isInBase = decimals !== null && total.scale === 0
  return isEqual(total, outward) || (isInBase && isEqual(fromBaseUnits(total.digits, decimals), outward))
}

/**
 * What left has ids and a payout names none: it may have been another one. A batch names them in its items, and of
 * ERC-721 records are documented to name none.
 */
function lacksId({ gross }: JudgedFlow, paid: readonly Transfer[]): boolean {
  const hasIds = gross.some(({ id, out }) => id !== '' && out.digits > 0n)
  return (
    hasIds &&
    paid.some(({ token, crossType }) => token.id === '' && !/721/.test(token.type) && !isBatch({ crossType }))
  )
}

function tellWhy(bad: readonly Transfer[], moving: readonly Transfer[], excess: Decimal) {
  // Without any origin named yet, as when only the payout's event is known, the record may still come.
  const settled = bad.filter(({ originProof }) => originProof === 'absent' || originProof === 'failed')
  if (settled.length > 0) {
    const claimed = sumDecimals(settled.map(({ amount }) => toDecimal(amount ?? '0') ?? noAmount))
    const isGone = settled.some(({ originProof }) => originProof === 'absent')
    const reason = `its record names an origin that ${isGone ? 'is not there' : 'failed'}`
    return { reason, isSettled: compareDecimals(claimed, excess) >= 0 }
  }
  // What failed may be retried, and its record follows.
  if (bad.some(({ state }) => state === 'failed'))
    return { reason: 'its record says that it failed', isSettled: false }
  if (bad.length > 0) return { reason: 'nothing names its origin', isSettled: false }
  const reason = moving.length > 0 ? movedMore : 'no transfer is known'
  return { reason, isSettled: false }
}

/** Fees of each transfer, and what a list may have rounded away in the last digit that it shows. */
function allowance(
  flow: { readonly token: string; readonly outward: Decimal },
  moving: readonly Transfer[],
  feeOf: (leg: Transfer) => Decimal,
): Decimal {
  const perLeg = moving.map(feeOf)
  const { scale } = flow.outward
  const rounded = moving.length > 0 && scale >= 6 ? { digits: 1n, scale } : noAmount
  return sumDecimals([...perLeg, rounded])
}

/** One that was disproved accounts for nothing, nor does one that failed. */
export function isNoPayout(leg: Transfer, flow: Pick<JudgedFlow, 'outward'>): boolean {
  return (leg.state === 'failed' && !isPaidInPart(leg, flow)) || isDisproved(leg)
}

/** A batch fails when some of its items do: others of them may be paid, all of them are not. */
function isPaidInPart(leg: Transfer, { outward }: Pick<JudgedFlow, 'outward'>): boolean {
  if (!isBatch(leg)) return false
  const amount = toDecimal(leg.amount ?? '')
  return amount === null || compareDecimals(outward, amount) < 0
}

/** A payout that nothing on the zone chain stands behind. */
export function isDisproved({ state, originProof, claim }: Transfer): boolean {
  if (claim?.proof === 'proven') return false
  return state === 'unbacked' || originProof === 'absent' || originProof === 'failed'
}
