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

/** Those whose own movement is still known: all that left since is known too, and may have given it back already. */
function listPaidIn({ db, ledger }: Known, flow: StoredFlow): PaidIn[] {
  const failed = listFailedDeposits(ledger, { sender: flow.party, token: flow.token })
  return failed.flatMap((one) => readPaidIn(db, one, flow) ?? [])
}

function readPaidIn(db: Database, { main, amount: given }: Transfer, flow: StoredFlow): PaidIn | null {
  const amount = toDecimal(given ?? '')
  if (main === null || amount === null) return null
  const moved = listFlowsOf(db, main.hash, flow.token).filter(({ height }) => height <= flow.height)
  const [first] = moved
  const came = negate(sumDecimals(moved.map(({ outward }) => outward)))
  if (first === undefined || came.digits <= 0n) return null
  return { at: first.at, amount: compareDecimals(amount, came) < 0 ? amount : came }
}
