import {
  compareDecimals,
  type Decimal,
  noAmount,
  subtractDecimals,
  sumDecimals,
  toDecimal,
} from '../../bridge/decimal.ts'
import { movedToken, toCanonicalId } from '../../bridge/movedToken.ts'
import { isBatch, type Transfer } from '../../bridge/transfer.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { listFailedDeposits } from '../../ledger/failedDeposits.ts'
import { mostOfTransaction } from '../../ledger/transferRows.ts'
import type { GrossMove } from './flow.ts'
import type { StoredFlow } from './flowRow.ts'
import { flowsKeptMs, listFlowsOf, listSentTo } from './flowStore.ts'

type Known = Pick<Kernel, 'clock' | 'db' | 'ledger'>

/** By token id. */
type Amounts = ReadonlyMap<string, Decimal>

/**
 * Whether what left without a transfer gives failed deposits back: all of it to who paid them in and, together with all else
 * that went there without a transfer, of each token id no more than came in by them.
 */
export function isRefund(of: Known, flow: StoredFlow): boolean {
  if (flow.fromHeight !== null || flow.outward.digits <= 0n) return false
  if (flow.gross.some(({ toParty }) => toParty !== undefined)) return false
  const deposits = listPaidIn(of, flow)
  if (deposits.length === 0) return false
  const sent = listSentTo(of.db, { ...flow, since: Math.min(...deposits.map(({ at }) => at)) })
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
  return [...sumMoved(upTo, 'out')].every(
    ([id, amount]) => compareDecimals(amount, paidIn.get(id) ?? noAmount) <= 0,
  )
}

/** What more went one way than the other. */
function sumMoved(flows: readonly StoredFlow[], way: 'in' | 'out'): Amounts {
  const net = (move: GrossMove) => subtractDecimals(move[way], move[way === 'in' ? 'out' : 'in'])
  return sumById(flows.flatMap(({ gross }) => gross.map((move) => [move.id, net(move)] as const)))
}

function sumById(amounts: readonly (readonly [id: string, amount: Decimal])[]): Amounts {
  const groups = Map.groupBy(amounts, ([id]) => id)
  return new Map([...groups].map(([id, of]) => [id, sumDecimals(of.map(([, amount]) => amount))]))
}

interface PaidIn {
  readonly at: number
  readonly amounts: Amounts
}

/** Deposits of one main transaction: those of the sender that failed, and all others of the token. */
interface Shared {
  readonly hash: string
  readonly failed: readonly Transfer[]
  readonly others: readonly Transfer[]
}

/** By main transaction what came in for deposits of who was paid that failed. */
function listPaidIn(of: Known, flow: StoredFlow): PaidIn[] {
  const deposits = listFailedDeposits(of.ledger, { sender: flow.party, token: flow.token })
  const groups = Map.groupBy(deposits, ({ main }) => main?.hash ?? '')
  return [...groups].flatMap(([hash, failed]) => {
    const keys = new Set(failed.map(({ key }) => key))
    const others = of.ledger
      .listSharing('main', hash, mostOfTransaction)
      .filter(({ direction, key }) => direction === 'MainToZone' && !keys.has(key))
      .filter(({ token }) => token.isUnknown || movedToken(token) === flow.token)
    const shared = { hash, failed, others }
    return readPaidIn(of, shared, flow) ?? recallPaidIn(of, shared, flow) ?? []
  })
}

/** Null where the deposit's own movement is not known any more: what left since, and may have given it back, is not either. */
function readPaidIn({ db }: Known, { hash, failed, others }: Shared, flow: StoredFlow): PaidIn | null {
  const moved = listFlowsOf(db, hash, flow.token).filter(({ height }) => height <= flow.height)
  const [first] = moved
  if (first === undefined) return null
  const came = sumMoved(moved, 'in')
  const [only, ...more] = failed
  // A record may say nothing of ids or amounts: then all that came is of the only deposit.
  if (only !== undefined && more.length === 0 && others.length === 0 && isVague(only, came))
    return { at: first.at, amounts: came }
  // What came for other deposits of the transaction is theirs, whatever became of them.
  if (others.some(({ amount }) => amount === null)) return null
  const [claimed, taken] = [failed, others].map((all) => sumById(all.map(toClaim))) as [Amounts, Amounts]
  const amounts = [...came].map(([id, all]): [string, Decimal] => {
    const rest = subtractDecimals(all, taken.get(id) ?? noAmount)
    const most = claimed.get(id) ?? noAmount
    const least = compareDecimals(most, rest) < 0 ? most : rest
    return [id, least.digits > 0n ? least : noAmount]
  })
  return { at: first.at, amounts: new Map(amounts) }
}

function isVague(deposit: Transfer, came: Amounts): boolean {
  const { amount, token } = deposit
  return amount === null || isBatch(deposit) || (token.id === '' && !came.has(''))
}

function toClaim({ amount, token }: Transfer): readonly [string, Decimal] {
  return [toCanonicalId(token.id), toDecimal(amount ?? '') ?? noAmount]
}

/** What was found to give deposits back is no theft because their movements, which are older, were forgotten first. */
function recallPaidIn({ clock }: Known, { failed, others }: Shared, flow: StoredFlow): PaidIn | null {
  const at = failed[0]?.main?.time ?? Infinity
  if (flow.verdict !== 'refund' || others.length > 0 || at >= clock.now() - flowsKeptMs) return null
  const given = sumMoved([flow], 'out')
  return { at, amounts: failed.some((one) => isVague(one, given)) ? given : sumById(failed.map(toClaim)) }
}
