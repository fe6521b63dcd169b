import {
  compareDecimals,
  type Decimal,
  noAmount,
  subtractDecimals,
  sumDecimals,
  toDecimal,
} from '../../../bridge/decimal.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { LockedBy } from '../../../kernel/stakes.ts'
import { listFailedDeposits } from '../../../ledger/failedDeposits.ts'
import { listFlowsOf } from '../flows/flowRow.ts'
import { listRefunds } from '../flows/refundStore.ts'

/** No row has it. */
const noFlow = -1

/**
 * What deposits of a sender that failed locked by their records, less what other transactions gave back of it. One that does
 * not say how much counts for nothing.
 */
export function readLocked(
  { db, ledger }: Pick<Kernel, 'db' | 'ledger'>,
  { sender, token, mainHash }: LockedBy,
): Decimal {
  const failed = listFailedDeposits(ledger, { sender, token })
  if (failed.length === 0) return noAmount
  const deposits = Map.groupBy(failed, ({ main }) => main?.hash ?? '')
  const own = listFlowsOf(db, mainHash, token).map(({ id }) => id)
  const given = listRefunds(db, { id: noFlow, token }, [...deposits.keys()]).filter(
    ({ flow }) => !own.includes(flow),
  )
  const left = [...deposits].map(([hash, of]) => {
    const locked = sumDecimals(of.map(({ amount }) => toDecimal(amount ?? '') ?? noAmount))
    const parts = given.filter(({ deposit }) => deposit === hash).map(({ amount }) => amount)
    return subtractDecimals(locked, sumDecimals(parts))
  })
  return sumDecimals(left.filter((amount) => compareDecimals(amount, noAmount) > 0))
}
