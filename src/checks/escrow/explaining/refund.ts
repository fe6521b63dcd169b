import {
  compareDecimals,
  type Decimal,
  isEqual,
  noAmount,
  subtractDecimals,
  sumDecimals,
  toDecimal,
} from '../../../bridge/decimal.ts'
import { movedToken, toCanonicalId } from '../../../bridge/movedToken.ts'
import { isBatch, type Transfer } from '../../../bridge/transfer.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { lowestCursor } from '../../../kernel/reads/mainStreams.ts'
import { isFailedDeposit, listFailedDeposits } from '../../../ledger/failedDeposits.ts'
import { mostOfTransaction } from '../../../ledger/transfers/transferRows.ts'
import { type GrossMove } from '../flows/flow.ts'
import { isNoPayout } from '../flows/judgeFlow.ts'
import type { StoredFlow } from '../flows/flowRow.ts'
import { listFlowsOf } from '../flows/flowRow.ts'
import { flowsKeptMs, listSentOut, partiesOf } from '../flows/flowStore.ts'
import { toNamedStreams } from '../watched/places.ts'
import { listRefunds, type Refund } from '../flows/refundStore.ts'
import type { EscrowWatch } from '../watched/watch.ts'

interface Known extends Pick<Kernel, 'clock' | 'db' | 'ledger' | 'tellSince'> {
  readonly watch: Pick<EscrowWatch, 'bridge' | 'places' | 'types'>
}

/** By token id. */
type Amounts = ReadonlyMap<string, Decimal>

/** So many deposits are looked at for one movement. */
const mostLooked = 100

/**
 * What of failed deposits a movement gives back: to each who paid them in, and nothing that another movement gave back.
 * Null where that is not all that went out beside what its payouts claim.
 * @param transfers of its main transaction
 */
export function findRefunds(
  of: Known,
  flow: StoredFlow,
  transfers: readonly Transfer[],
): readonly Refund[] | null {
  if (flow.fromHeight !== null || flow.party === '') return null
  const claims = listClaims(of, flow, transfers)
  if (claims === null) return null
  for (const sent of [listSent(flow, claims.deposits), listGained(flow)]) {
    const refunds = sent && findRefundsOf(of, flow, sent, claims.payouts)
    if (refunds) return refunds
  }
  return null
}

function findRefundsOf(
  of: Known,
  flow: StoredFlow,
  sent: ReadonlyMap<string, Amounts>,
  payouts: Claims['payouts'],
): readonly Refund[] | null {
  const claimed = Map.groupBy(payouts, ({ to }) => to)
  const refunds: Refund[] = []
  const unexplained: Part[] = []
  for (const [to, all] of sent) {
    const wanted = subtract(all, sumById(claimed.get(to) ?? []))
    if (wanted.size === 0) continue
    const given = findRefundsTo(of, flow, { sender: to, wanted })
    if (given) refunds.push(...given)
    else unexplained.push(...toParts(wanted))
  }
  // What a payout lacks went to somebody else: a fee to who collects it, or all of it by way of a forwarder.
  const lacking = [...claimed].flatMap(([to, own]) =>
    toParts(subtract(sumById(own), sent.get(to) ?? new Map())),
  )
  const isRest = subtract(sumById(unexplained), sumById(lacking)).size === 0
  return refunds.length > 0 && isRest ? refunds : null
}

interface Part {
  readonly tokenId: string
  readonly amount: Decimal
}

/**
 * Who got what, by token id; null where that is not known, or more came by the same transaction than its deposits, or less:
 * what they brought stays, and is set beside nothing that left.
 */
function listSent(flow: StoredFlow, deposits: readonly Part[]): ReadonlyMap<string, Amounts> | null {
  const { gross, party } = flow
  const brought = sumById(deposits)
  if (deposits.length === 0 && gross.every(({ sent }) => sent === undefined)) {
    const all = [...sumMoved([flow], 'out')].filter(([, { digits }]) => digits > 0n)
    return new Map([[party, new Map(all)]])
  }
  const isKnown = gross.every(
    ({ id, sent, ...move }) => sent?.length !== 0 && isEqual(move.in, brought.get(id) ?? noAmount),
  )
  if (!isKnown) return null
  const parts = gross.flatMap(({ id, out, sent = [{ to: party, amount: out }] }) =>
    sent.map(({ to, amount }) => ({ to, tokenId: id, amount })),
  )
  return byReceiver(parts)
}

/** Who gained it by way of others, by token id; null where that is not known. */
function listGained({ gross }: StoredFlow): ReadonlyMap<string, Amounts> | null {
  const parts = gross.flatMap(({ id, gained = [] }) =>
    gained.map(({ to, amount }) => ({ to, tokenId: id, amount })),
  )
  const isKnown = gross.every(({ out, gained = [] }) => out.digits === 0n || gained.length > 0)
  return isKnown ? byReceiver(parts) : null
}

function byReceiver(parts: readonly (Part & { readonly to: string })[]): ReadonlyMap<string, Amounts> {
  return new Map([...Map.groupBy(parts, ({ to }) => to)].map(([to, own]) => [to, sumById(own)]))
}

interface Claims {
  readonly payouts: readonly (Part & { readonly to: string })[]
  readonly deposits: readonly Part[]
}

/**
 * What the payouts of a transaction are due to whom, and what its deposits brought; null where that cannot be set beside one
 * movement of it.
 */
function listClaims(of: Known, flow: StoredFlow, transfers: readonly Transfer[]): Claims | null {
  const own = transfers.filter(({ token }) => token.isUnknown || movedToken(token) === flow.token)
  if (own.length === 0) return { payouts: [], deposits: [] }
  // What was told is not over for a record whose origin is not proven.
  const isTold = flow.verdict === 'unexplained'
  const isClear = (one: Transfer) =>
    !one.token.isUnknown &&
    one.amount !== null &&
    !isBatch(one) &&
    (one.direction === 'MainToZone' || !isNoPayout(one, flow)) &&
    (!isTold || one.originProof === 'proven')
  if (!own.every(isClear) || listFlowsOf(of.db, flow.hash, flow.token).length > 1) return null
  const [payouts, deposits] = [true, false].map((isPayout) =>
    own.filter(({ direction }) => (direction === 'ZoneToMain') === isPayout),
  )
  return {
    payouts: (payouts ?? []).map((one) => ({ ...toClaim(one), to: one.targetAddress })),
    deposits: (deposits ?? []).map(toClaim),
  }
}

/** Of one sender all that went to him, or null. */
function findRefundsTo(
  of: Known,
  flow: StoredFlow,
  { sender, wanted }: { readonly sender: string; readonly wanted: Amounts },
): readonly Refund[] | null {
  const failed = listFailedDeposits(of.ledger, { sender, token: flow.token })
  const known = listRefunds(
    of.db,
    flow,
    failed.flatMap(({ main }) => main?.hash ?? []),
  )
  const total = sumDecimals([...wanted.values()])
  const refunds: Refund[] = []
  let rest = wanted
  for (const deposit of chooseDeposits({ id: flow.id, total }, failed, known)) {
    const came = readCame(of, flow, { sender, deposit, known })
    const others = known.filter((one) => one.flow !== flow.id && one.deposit === deposit)
    const taken = came && takeUpTo(rest, subtract(came, sumById(others)))
    if (!taken) continue
    refunds.push(...toParts(taken).map((part) => ({ flow: flow.id, deposit, ...part })))
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
  { id, total }: { readonly id: number; readonly total: Decimal },
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
  const isExact = (all: Decimal | null) => all !== null && isEqual(all, total)
  const [exact, others] = [true, false].map((is) => open.filter(([, all]) => isExact(all) === is))
  const own = known.filter((one) => one.flow === id).map(({ deposit }) => deposit)
  const falling = [...(exact ?? []), ...(others ?? [])].map(([deposit]) => deposit)
  return [...new Set([...own, ...falling])].slice(0, mostLooked)
}

/**
 * What came in by a main transaction of which all deposits failed, since what moves is judged, or where nothing gave it back
 * before. Null where that is not so, or not known any more.
 */
function readCame(
  of: Known,
  flow: StoredFlow,
  {
    sender,
    deposit,
    known,
  }: { readonly sender: string; readonly deposit: string; readonly known: readonly Refund[] },
): Amounts | null {
  const sharing = of.ledger.listSharing('main', deposit, mostOfTransaction)
  if (sharing.length === 0 || !sharing.every((one) => isFailedOf(one, sender))) return null
  const moved = listFlowsOf(of.db, deposit, flow.token)
  if (moved.length === 0) {
    // Movements of deposits are forgotten before those that gave them back.
    const isForgotten = sharing.every(({ main }) => (main?.time ?? Infinity) < of.clock.now() - flowsKeptMs)
    const isOwn = known.some((one) => one.flow === flow.id && one.deposit === deposit)
    return isForgotten && isOwn ? sumById(known.filter((one) => one.deposit === deposit)) : null
  }
  const isSeen = (one: StoredFlow) => one.at >= of.tellSince || isWholeSince(of, one, sender)
  if (!moved.every((one) => one.height <= flow.height && isSeen(one))) return null
  const came = sumMoved(moved, 'in')
  if (moved.every(({ party }) => party === sender)) return came
  // By a contract of the bridge more may have come than is theirs.
  const { contracts } = of.watch.bridge
  const isByBridge = moved.every(({ party }) => party === sender || contracts.includes(party))
  return isByBridge ? takeUpTo(sumById(sharing.map(toClaim)), came) : null
}

/**
 * What moved before it is judged is read as well, as far back as lists are read again: whether all that did since a deposit
 * is known, and none of it went to who paid it in.
 */
function isWholeSince({ db, tellSince, watch }: Known, deposit: StoredFlow, sender: string): boolean {
  const lists = toNamedStreams(watch, deposit.escrow).map(({ id }) => id)
  if (lowestCursor(db, lists) === null) return false
  const since = listSentOut(db, deposit.token, { from: deposit.at, until: tellSince })
  return since.every((flow) => !partiesOf(flow).includes(sender))
}

function toClaim({ amount, token }: Transfer) {
  return { tokenId: toCanonicalId(token.id), amount: toDecimal(amount ?? '') ?? noAmount }
}

function isFailedOf(transfer: Transfer, sender: string): boolean {
  return isFailedDeposit(transfer) && transfer.sourceAddress === sender
}

/** What more went one way than the other. */
function sumMoved(flows: readonly StoredFlow[], way: 'in' | 'out'): Amounts {
  const net = (move: GrossMove) => subtractDecimals(move[way], move[way === 'in' ? 'out' : 'in'])
  return sumById(flows.flatMap(({ gross }) => gross.map((move) => ({ tokenId: move.id, amount: net(move) }))))
}

function toParts(amounts: Amounts): Part[] {
  return [...amounts].map(([tokenId, amount]) => ({ tokenId, amount }))
}

function sumById(amounts: readonly Part[]): Amounts {
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
