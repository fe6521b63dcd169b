import type { UnixMs } from '../../../lib/clock.ts'
import type { Accounts } from '../accounts/readAccounts.ts'

/** What there is of a token on the zone chain at the end of one of its blocks. */
export interface SupplyReading {
  readonly height: number
  readonly blockTime: UnixMs
  readonly readAt: UnixMs
  /** Base units of the token on the zone chain. */
  readonly supply: bigint
  readonly decimals: number
}

/** So many comparisons in a row have to find too much: a record that comes late makes one say it. */
export const neededExcesses = 3

/** The supply beside the accounts of the same moment, in base units of the side that counts finer. */
export interface JudgedSupply {
  readonly height: number
  readonly blockTime: UnixMs
  readonly readAt: UnixMs
  readonly decimals: number
  readonly supply: bigint
  /** What holders can claim by what was locked and taken. */
  readonly claims: bigint
  /** What the escrows hold, less what is on its way either way. */
  readonly backing: bigint
  /** There is so much more than claims, fees and what is being judged allow; zero or less is none. */
  readonly excess: bigint
  /** Supply less claims: what was there in excess when they were first compared is told, what lacked is no room for more. */
  readonly over: bigint
}

/**
 * Compares a supply with the accounts at its block's time. What a theft took from the escrow is not told a second time:
 * here counts what exists and was neither locked, nor a fee that was credited. Whatever existed less than could be
 * claimed at the first comparison is no room for what is created later.
 * @param opening supply less claims at the first comparison, of `decimals`; null at the first one
 */
export function judgeSupply(
  { supply, decimals, ...block }: SupplyReading,
  { accounts, decimals: ownDecimals }: { readonly accounts: Accounts; readonly decimals: number },
  opening: bigint | null,
): JudgedSupply {
  const finer = Math.max(decimals, ownDecimals)
  const own = (raw: bigint) => raw * 10n ** BigInt(finer - ownDecimals)
  const there = supply * 10n ** BigInt(finer - decimals)
  const { claims, fees, open, holdings, toZone, toMain } = accounts
  const over = there - own(claims)
  const room = own(atLeastNone(fees) + atLeastNone(open))
  const before = opening ?? over
  return {
    ...block,
    decimals: finer,
    supply: there,
    claims: own(claims),
    backing: own(holdings - toZone - toMain),
    excess: over - (before < 0n ? before : 0n) - room,
    over,
  }
}

/** How much more than the claims there was at the first comparisons, and how many there were. */
export interface Opening {
  readonly opening: bigint
  readonly comparisons: number
}

/** A record of a payout that comes late makes one comparison say that less exists than could be claimed. */
const openingComparisons = 10

/**
 * The opening after one more comparison: the most of the first ones. A record of a credit that comes late makes one say
 * that there is too much; what nobody locked does not go away by itself, so that one after which all can be claimed was
 * none, and the opening begins anew. What is too much after several that found nothing was created since.
 */
export function nextOpening(before: Opening | null, over: bigint): Opening {
  if (before === null || (before.opening > 0n && over <= 0n)) return { opening: over, comparisons: 1 }
  const comparisons = before.comparisons + 1
  const isCreatedSince = before.opening <= 0n && over > 0n && before.comparisons >= neededExcesses
  const isOpening = comparisons <= openingComparisons && over > before.opening && !isCreatedSince
  return { opening: isOpening ? over : before.opening, comparisons }
}

function atLeastNone(raw: bigint): bigint {
  return raw > 0n ? raw : 0n
}
