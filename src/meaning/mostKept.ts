import { type Decimal, fromBaseUnits, noAmount, toBaseUnits, toDecimal } from '../bridge/decimal.ts'
import { type Fee, findFee } from './findFee.ts'
import { boundsOf } from './keptRange.ts'
import type { LearnedMoney } from './learnedMoney.ts'
import type { Transfer } from '../bridge/transfer.ts'

/** At most so much less than a transfer claims may arrive, and so much more: token units. */
interface Kept {
  readonly less: Decimal
  readonly more: Decimal
}

export type MostKept = (transfer: Claim) => Kept

/** What of a transfer decides about its fee. */
type Claim = Pick<Transfer, 'direction' | 'amountRaw' | 'amount'> & {
  readonly token: Pick<Transfer['token'], 'address' | 'movedAs' | 'decimals'>
}

const nothing: Kept = { less: noAmount, more: noAmount }

/** By the configuration, else by what was learned: of a payout then nothing more than its record says. */
export function createMostKept(
  fees: readonly Fee[],
  learned: Pick<LearnedMoney, 'keptOf'> | null = null,
): MostKept {
  return ({ token, direction, amountRaw, amount }) => {
    const fee = findFee(fees, { token, direction })
    if (fee) {
      const max = toDecimal(fee.max) ?? noAmount
      return { less: max, more: max }
    }
    const { decimals } = token
    if (learned === null || decimals === null) return nothing
    const given = toDecimal(amount ?? '')
    const claimed = amountRaw ?? (given && toBaseUnits(given, decimals))
    if (claimed === null) return nothing
    const { less, more } = boundsOf(learned.keptOf(token.address, direction), claimed)
    return {
      less: fromBaseUnits(less, decimals),
      more: direction === 'ZoneToMain' ? noAmount : fromBaseUnits(more, decimals),
    }
  }
}
