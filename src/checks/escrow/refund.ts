import {
  addDecimals,
  compareDecimals,
  type Decimal,
  negate,
  noAmount,
  sumDecimals,
  toDecimal,
} from '../../bridge/decimal.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { listFailedDeposits } from '../../ledger/failedDeposits.ts'
import type { Database } from '../../store/database.ts'
import type { StoredFlow } from './flowRow.ts'
import { listFlowsOf, listSentTo } from './flowStore.ts'

type Known = Pick<Kernel, 'db' | 'ledger'>

/**
 * Whether what left without a transfer gives failed deposits back: to who paid them in, and together with all else that
 * went there without a transfer no more than came in by them.
 */
export function isRefund(of: Known, flow: StoredFlow): boolean {
  if (flow.fromHeight !== null || flow.outward.digits <= 0n) return false
  const deposits = listPaidIn(of, flow)
  const [first] = deposits
  if (first === undefined) return false
  const since = deposits.reduce((least, { at }) => Math.min(least, at), first.at)
  const sent = listSentTo(of.db, { ...flow, since })
  // Null when there are too many to be told apart.
  const explained = of.ledger.listKeysSharing(
    'main',
    sent.map(({ hash }) => hash),
  )
  const unexplained = sent.filter(({ hash }) => (explained?.get(hash)?.length ?? 0) === 0)
  // In the order of the chain: of two that give the same deposit back the second one is told.
  const upTo = unexplained.filter(
    (one) => one.height < flow.height || (one.height === flow.height && one.hash <= flow.hash),
  )
  const given = sumDecimals(upTo.map(({ outward }) => outward))
  const paidIn = deposits.map(({ amount }) => amount).reduce(addDecimals, noAmount)
  return compareDecimals(given, paidIn) <= 0
}

interface PaidIn {
  readonly at: number
  readonly amount: Decimal
}

/**
 * By main transaction what came in for its deposits that failed, of those whose own movement is still known: all that left since
 * is known too, and may have given it back already.
 */
function listPaidIn({ db, ledger }: Known, flow: StoredFlow): PaidIn[] {
  const failed = listFailedDeposits(ledger, { sender: flow.party, token: flow.token })
  const groups = Map.groupBy(failed, ({ main }) => main?.hash ?? '')
  return [...groups].flatMap(([hash, deposits]) => readPaidIn(db, { hash, deposits }, flow) ?? [])
}

function readPaidIn(
  db: Database,
  { hash, deposits }: { readonly hash: string; readonly deposits: readonly Transfer[] },
  flow: StoredFlow,
): PaidIn | null {
  const moved = listFlowsOf(db, hash, flow.token).filter(({ height }) => height <= flow.height)
  const [first] = moved
  if (first === undefined) return null
  const claimed = sumDecimals(deposits.map(({ amount }) => toDecimal(amount ?? '') ?? noAmount))
  const came = negate(sumDecimals(moved.map(({ outward }) => outward)))
  if (came.digits <= 0n) return null
  return { at: first.at, amount: compareDecimals(claimed, came) < 0 ? claimed : came }
}
