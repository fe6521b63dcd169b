import { compareDecimals, type Decimal, subtractDecimals } from '../bridge/decimal.ts'
import { type Break, breakWords, partOf } from './break.ts'

/** One side of a matching, as it stands now. */
export interface Side {
  readonly of: Break
  /** What entries left of it; null when nobody knows how much it is. */
  readonly left: Decimal | null
}

export interface Match {
  /** What of each side it settles; null is all of an amount that is not known. */
  readonly payout: Decimal | null
  readonly origin: Decimal | null
  /** What the payout is more than the origin; null where that cannot be said. */
  readonly difference: Decimal | null
}

/** What a matching comes to, or why it is refused; `isForced` takes sides whose amounts cannot be compared. */
export function checkMatch(
  payout: Side,
  origin: Side,
  isForced: boolean,
): { readonly match: Match } | { readonly problem: string } {
  const problem = findProblem(payout.of, origin.of)
  if (problem !== null) return { problem }
  const isSame = payout.of.held === origin.of.held && payout.of.inBaseUnits === origin.of.inBaseUnits
  if (!isSame && !isForced)
    return {
      problem: `${payout.of.name} and ${origin.of.name} are of different tokens; to match them all the same: --force`,
    }
  if (!isSame || payout.left === null || origin.left === null) {
    if (!isForced)
      return {
        problem: `how much ${payout.left === null ? payout.of.name : origin.of.name} is, nobody knows; to match it all the same: --force`,
      }
    return { match: { payout: payout.left, origin: origin.left, difference: null } }
  }
  const least = compareDecimals(payout.left, origin.left) < 0 ? payout.left : origin.left
  return { match: { payout: least, origin: least, difference: subtractDecimals(payout.left, origin.left) } }
}

function findProblem(payout: Break, origin: Break): string | null {
  if (payout.transferKey === null && origin.transferKey === null)
    return 'two movements make no transfer: write each off, with the reason'
  if (partOf[payout.kind] !== 'payout') return `${payout.name} is no payout: ${breakWords[payout.kind]}`
  if (partOf[origin.kind] !== 'origin') return `${origin.name} is no origin: ${breakWords[origin.kind]}`
  if (payout.direction !== origin.direction)
    return `${payout.name} and ${origin.name} go in different directions`
  return null
}
