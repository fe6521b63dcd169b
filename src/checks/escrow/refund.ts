import {
  compareDecimals,
  type Decimal,
  isEqual,
  noAmount,
  subtractDecimals,
  sumDecimals,
  toDecimal,
} from '../../bridge/decimal.ts'
import { toCanonicalId } from '../../bridge/movedToken.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isCredited, listFailedDeposits } from '../../ledger/failedDeposits.ts'
import { mostOfTransaction } from '../../ledger/transferRows.ts'
import type { GrossMove } from './flow.ts'
import type { StoredFlow } from './flowRow.ts'
import { flowsKeptMs, listFlowsOf } from './flowStore.ts'
import { listRefunds, type Refund } from './refundStore.ts'
import type { EscrowWatch } from './watch.ts'

interface Known extends Pick<Kernel, 'clock' | 'db' | 'ledger' | 'tellSince'> {
  readonly watch: Pick<EscrowWatch, 'bridge'>
}

/** By token id. */
type Amounts = ReadonlyMap<string, Decimal>

/** So many deposits are looked at for one movement. */
const mostLooked = 100

/**
 * What of failed deposits a movement gives back that no transfer explains: all of it, to who paid them in, and nothing that
 * another movement gave back. Null where it is no such thing.
 */
export function findRefunds(of: Known, flow: StoredFlow): readonly Refund[] | null {
  const { gross, party, fromHeight } = flow
  const isWhole = gross.every(({ toParty }) => toParty === undefined)
  if (fromHeight !== null || party === '' || !isWhole) return null
  const failed = listFailedDeposits(of.ledger, { sender: party, token: flow.token })
  const known = listRefunds(
    of.db,
    flow,
    failed.flatMap(({ main }) => main?.hash ?? []),
  )
  const wanted = [...sumMoved([flow], 'out')].filter(([, { digits }]) => digits > 0n)
  const refunds: Refund[] = []
  let rest: Amounts = new Map(wanted)
  for (const deposit of chooseDeposits(flow, failed, known)) {
    const came = readCame(of, flow, { deposit, known })
    const others = known.filter((one) => one.flow !== flow.id && one.deposit === deposit)
    const taken = came && takeUpTo(rest, subtract(came, sumById(others)))
    if (!taken) continue
    refunds.push(...[...taken].map(([tokenId, amount]) => ({ flow: flow.id, deposit, tokenId, amount })))
    rest = subtract(rest, taken)
    if (rest.size === 0) return refunds
  }
  return null
}

/**
 * Main transactions of deposits: what the movement gave back before, then what came in as that very amount, then the newest:
 * what was given back before can be of older ones alone.
 */
function chooseDeposits(
  flow: StoredFlow,
  failed: readonly Transfer[],
  known: readonly Refund[],
): readonly string[] {
  const sums = (of: readonly { readonly deposit: string; readonly amount: Decimal | null }[]) =>
    new Map(
      [...Map.groupBy(of, ({ deposit }) => deposit)].map(([deposit, parts]) => [
        deposit,
        // Null where one is not known.
        parts.some(({ amount }) => amount === null)
          ? null
          : sumDecimals(parts.map(({ amount }) => amount ?? noAmount)),
      ]),
    )
  const spent = sums(known)
  const recorded = sums(
    failed.map(({ main, amount }) => ({ deposit: main?.hash ?? '', amount: toDecimal(amount ?? '') })),
  )
  // By its records: most deposits of who makes many were given back long ago.
  const open = [...recorded].filter(([deposit, all]) => {
    const part = spent.get(deposit) ?? null
    return part === null || all === null || compareDecimals(part, all) < 0
  })
  const isExact = (all: Decimal | null) => all !== null && isEqual(all, flow.outward)
  const [exact, others] = [true, false].map((is) => open.filter(([, all]) => isExact(all) === is))
  const own = known.filter((one) => one.flow === flow.id).map(({ deposit }) => deposit)
  const falling = [...(exact ?? []), ...(others ?? [])].map(([deposit]) => deposit)
  return [...new Set([...own, ...falling])].slice(0, mostLooked)
}

/**
 * What came in by a main transaction of which all deposits failed, since what moves is watched: what moved before may have
 * given it back already. Null where that is not so, or not known any more.
 */
function readCame(
  of: Known,
  flow: StoredFlow,
  { deposit, known }: { readonly deposit: string; readonly known: readonly Refund[] },
): Amounts | null {
  const sharing = of.ledger.listSharing('main', deposit, mostOfTransaction)
  if (sharing.length === 0 || !sharing.every((one) => isFailedOf(one, flow.party))) return null
  const moved = listFlowsOf(of.db, deposit, flow.token)
  if (moved.length === 0) {
    // Movements of deposits are forgotten before those that gave them back.
    const isForgotten = sharing.every(({ main }) => (main?.time ?? Infinity) < of.clock.now() - flowsKeptMs)
    const isOwn = known.some((one) => one.flow === flow.id && one.deposit === deposit)
    return isForgotten && isOwn ? sumById(known.filter((one) => one.deposit === deposit)) : null
  }
  const isSeen = moved.every(({ at, height }) => height <= flow.height && at >= of.tellSince)
  if (!isSeen) return null
  const came = sumMoved(moved, 'in')
  if (moved.every(({ party }) => party === flow.party)) return came
  // By a contract of the bridge more may have come than is theirs.
  const { contracts } = of.watch.bridge
  const isByBridge = moved.every(({ party }) => party === flow.party || contracts.includes(party))
  return isByBridge ? takeUpTo(sumById(sharing.map(toClaim)), came) : null
}

function toClaim({ amount, token }: Transfer) {
  return { tokenId: toCanonicalId(token.id), amount: toDecimal(amount ?? '') ?? noAmount }
}

function isFailedOf(transfer: Transfer, sender: string): boolean {
  const { direction, status, sourceAddress } = transfer
  return (
    direction === 'MainToZone' && status === 'failed' && sourceAddress === sender && !isCredited(transfer)
  )
}

/** What more went one way than the other. */
function sumMoved(flows: readonly StoredFlow[], way: 'in' | 'out'): Amounts {
  const net = (move: GrossMove) => subtractDecimals(move[way], move[way === 'in' ? 'out' : 'in'])
  return sumById(flows.flatMap(({ gross }) => gross.map((move) => ({ tokenId: move.id, amount: net(move) }))))
}

function sumById(amounts: readonly { readonly tokenId: string; readonly amount: Decimal }[]): Amounts {
  const groups = Map.groupBy(amounts, ({ tokenId }) => tokenId)
  return new Map([...groups].map(([id, of]) => [id, sumDecimals(of.map(({ amount }) => amount))]))
}

/** What is left of each id, of those of which something is. */
function subtract(from: Amounts, amounts: Amounts): Amounts {
  const left = [...from].map(([id, all]) => [id, subtractDecimals(all, amounts.get(id) ?? noAmount)] as const)
  return new Map(left.filter(([, { digits }]) => digits > 0n))
}

function takeUpTo(wanted: Amounts, left: Amounts): Amounts {
  const parts = [...wanted].map(([id, amount]) => {
    const most = left.get(id) ?? noAmount
    return [id, compareDecimals(most, amount) < 0 ? most : amount] as const
  })
  return new Map(parts.filter(([, { digits }]) => digits > 0n))
}
