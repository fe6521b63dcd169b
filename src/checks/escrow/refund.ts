import {
  compareDecimals,
  type Decimal,
  noAmount,
  subtractDecimals,
  sumDecimals,
  toDecimal,
} from '../../bridge/decimal.ts'
import { toCanonicalId } from '../../bridge/movedToken.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { listFailedDeposits } from '../../ledger/failedDeposits.ts'
import type { Database } from '../../store/database.ts'
import type { GrossMove } from './flow.ts'
import type { StoredFlow } from './flowRow.ts'
import { listFlowsOf, listSentTo } from './flowStore.ts'

type Known = Pick<Kernel, 'db' | 'ledger'>

/**
 * Whether what left without a transfer gives failed deposits back: all of it to who paid them in and, together with all else
 * that went there without a transfer, of each token id no more than came in by them.
 */
export function isRefund(of: Known, flow: StoredFlow): boolean {
  if (flow.fromHeight !== null || flow.outward.digits <= 0n) return false
  if (flow.gross.some(({ toParty }) => toParty !== undefined)) return false
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
  const paidIn = sumById(deposits.flatMap(({ amounts }) => [...amounts]))
  const given = sumById(
    upTo.flatMap(({ gross }) => gross.map((move) => [move.id, kept(move, 'out')] as const)),
  )
  return [...given].every(([id, amount]) => compareDecimals(amount, paidIn.get(id) ?? noAmount) <= 0)
}

/** What more went one way than the other. */
function kept(move: GrossMove, way: 'in' | 'out'): Decimal {
  return subtractDecimals(move[way], move[way === 'in' ? 'out' : 'in'])
}

function sumById(amounts: readonly (readonly [id: string, amount: Decimal])[]): Map<string, Decimal> {
  const groups = Map.groupBy(amounts, ([id]) => id)
  return new Map([...groups].map(([id, of]) => [id, sumDecimals(of.map(([, amount]) => amount))]))
}

interface PaidIn {
  readonly at: number
  /** By token id. */
  readonly amounts: ReadonlyMap<string, Decimal>
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
  const claimed = sumById(
    deposits.map(
      ({ amount, token }) => [toCanonicalId(token.id), toDecimal(amount ?? '') ?? noAmount] as const,
    ),
  )
  const came = sumById(
    moved.flatMap(({ gross }) => gross.map((move) => [move.id, kept(move, 'in')] as const)),
  )
  const amounts = [...came].map(([id, amount]) => {
    const most = claimed.get(id) ?? noAmount
    return [id, compareDecimals(most, amount) < 0 ? most : amount] as const
  })
  return { at: first.at, amounts: new Map(amounts.filter(([, { digits }]) => digits > 0n)) }
}
