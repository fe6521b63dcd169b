import { compareDecimals, subtractDecimals, sumDecimals, toDecimal } from '../../../bridge/decimal.ts'
import { asHeld, heldAs, movedToken } from '../../../bridge/movedToken.ts'
import type { Transfer } from '../../../bridge/transfer.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { fillFromZone } from '../../../ledger/deriving/fillFromZone.ts'
import { mostOfTransaction } from '../../../ledger/transfers/transferRows.ts'
import { isClaimFree } from '../../../meaning/claimedOrigin.ts'
import type { Shown } from '../../../meaning/horizon.ts'
import { judgeTwin } from '../../../meaning/judgeMoney.ts'
import type { MostKept } from '../../../meaning/mostKept.ts'
import { type Beside, hiddenBy, type Wait, waitsFor } from '../../../meaning/standing.ts'
import type { Database } from '../../../store/database.ts'
import { isHash } from '../../../store/hash.ts'
import { nameOf } from '../../../store/names.ts'
import { type EscrowFlow, joinGross } from '../flows/flow.ts'
import { type FlowVerdict, judgeFlow } from '../flows/judgeFlow.ts'
import type { StoredFlow } from '../flows/flowRow.ts'
import { keepsDeposits } from '../flows/flowStore.ts'
import { findRefunds } from './refund.ts'
import { isNamed, isVault } from '../watched/held.ts'
import type { EscrowWatch } from '../watched/watch.ts'
import { listTogether } from '../flows/wrapped.ts'

/** What a movement at an escrow is explained by: the ledger's transfers, and how far the sources have come. */
export interface Explaining extends Pick<Kernel, 'clock' | 'db' | 'horizons' | 'ledger' | 'tellSince'> {
  readonly watch: EscrowWatch
}

/** An event is set beside the list within this. */
const eventMs = 100_000

/** The transfers of a main transaction, oldest first, as far as they can explain what moved in it. */
export function listExplaining(of: Explaining, mainHash: string): Transfer[] {
  const { ledger, watch } = of
  return ledger
    .listSharing('main', mainHash, mostOfTransaction)
    .map((one) => asHeld(fillFromZone(withoutTakenClaim(of, one), watch.learned), watch.bridge))
}

/** An origin that was paid before explains no second payout, however well it is proven. */
function withoutTakenClaim(of: Explaining, transfer: Transfer): Transfer {
  const { claim } = transfer
  if (claim === undefined || isClaimFree(transfer, beside(of, transfer).sharing)) return transfer
  return { ...transfer, claim: { ...claim, proof: 'refuted' } }
}

function beside({ ledger, horizons, clock }: Explaining, { claim }: Transfer): Beside {
  return {
    sharing: claim ? ledger.listSharing('zone', claim.hash, mostOfTransaction) : [],
    partner: null,
    horizons: horizons.read(),
    now: clock.now(),
  }
}

/** What transfers of its own transaction say of a movement, or that it gives failed deposits back to who made them. */
export type Verdict = FlowVerdict | { readonly kind: 'refund' }

export function judge(of: Explaining, flow: StoredFlow, transfers: readonly Transfer[]): Verdict {
  const verdict = judgeByTransfers(of, flow, transfers)
  const isLost = verdict.kind === 'unexplained' && verdict.direction === 'out'
  // Of what is wrapped on the way it does not show who gets it.
  const isPlain = heldAs(flow.token, of.watch.bridge) !== of.watch.bridge.wrappedNative
  return isLost && isPlain && findRefunds(of, flow, transfers) !== null ? { kind: 'refund' } : verdict
}

/** All that left in this transaction together is compared with all its transfers: one may be paid by two escrows. */
function judgeByTransfers(
  { clock, db, watch }: Explaining,
  flow: StoredFlow,
  transfers: readonly Transfer[],
): FlowVerdict {
  const { bridge, learned, mostKept } = watch
  const { token, flows: all, outward, ...moved } = listTogether(db, flow, bridge)
  const gross = joinGross(moved.gross)
  const isThrough = gross.some((move) => move.in.digits > 0n)
  const isWrapped = token === bridge.wrappedNative
  const isKept =
    isWrapped ||
    !isThrough ||
    all.some((one) => isNamed(watch, one) || keepsDeposits(db, one) || isVault(watch, one))
  const of = { hash: flow.hash, token, outward, gross, isKept }
  const verdict = judgeFlow(of, transfers, mostKept, (transfer, moved) =>
    judgeTwin(transfer, moved, { learned, bridge, now: clock.now() }),
  )
  if (verdict.kind !== 'unexplained') return verdict
  const isTold = isWrapped ? findTeller(all)?.id === flow.id : isPartOf(verdict, flow)
  return isTold ? verdict : { kind: 'explained', isProven: true }
}

/**
 * What is wrapped and unwrapped shows in no movement by itself: all of it together is told of at one of them, the largest.
 * One list may show its part sooner than the other: what was told there stays there.
 */
function findTeller(all: readonly StoredFlow[]): StoredFlow | undefined {
  const told = all.find(({ verdict }) => verdict === 'unexplained')
  const sizeOf = ({ gross }: StoredFlow) => sumDecimals(gross.flatMap((move) => [move.in, move.out]))
  return told ?? all.toSorted((a, b) => compareDecimals(sizeOf(b), sizeOf(a)) || a.id - b.id)[0]
}

/** Of what several escrows moved, what went out is reported at those that paid it, and what came in where it came. */
function isPartOf({ direction }: Extract<FlowVerdict, { kind: 'unexplained' }>, flow: StoredFlow): boolean {
  if (direction === 'in') return flow.outward.digits < 0n
  return flow.outward.digits > 0n || flow.gross.some(({ out }) => out.digits > 0n)
}

/**
 * What a movement waits for before it is called unexplained, or explained by a record whose origin cannot be shown yet.
 * A source that lags, `answer` when it is under way, `record` when that alone can say what left; null for nothing.
 */
export function findWait(
  of: Explaining,
  flow: StoredFlow,
  { transfers, verdict }: { readonly transfers: readonly Transfer[]; readonly verdict: Verdict },
): Wait | null {
  if (flow.outward.digits <= 0n || verdict.kind === 'held') return null
  const payouts = transfers
    .filter(({ direction }) => direction === 'ZoneToMain')
    .map((one) => ({ one, wait: waitsFor(one, beside(of, one)) }))
  const waits = payouts.map(({ wait }) => wait).filter((wait) => wait !== 'record')
  const wait = waits.find((one) => one !== null && one !== 'answer') ?? waits.find((one) => one !== null)
  if (wait && isCoveredBy(of, flow, payouts)) return wait
  // What an event leaves out its record may say.
  if (verdict.kind === 'unjudged') return payouts.some((payout) => payout.wait === 'record') ? 'record' : null
  if (verdict.kind !== 'unexplained') return null
  const isFresh = of.clock.now() < flow.at + eventMs
  if (payouts.length === 0 && isFresh && hasOpenPayout(of.db, flow.hash)) return 'answer'
  return payouts.length === 0 ? fitsWaiting(of, flow) : null
}

/** Whether the payouts would explain the movement if all that they wait for turned out well. */
function isCoveredBy(
  of: Explaining,
  flow: StoredFlow,
  payouts: readonly { readonly one: Transfer; readonly wait: Wait | null }[],
): boolean {
  // One that failed waits for nothing that would make it a payout.
  const hoped = payouts.map(
    ({ one, wait }): Transfer =>
      one.state === 'failed' || wait === null ? one : { ...one, state: 'pending' },
  )
  return judge(of, flow, hoped).kind !== 'unexplained'
}

/** A movement that fits the only transfer on its way that could be paid by it waits as long as its record may be hidden. */
function fitsWaiting({ ledger, horizons, clock, watch }: Explaining, flow: StoredFlow): Shown | null {
  const hidden = hiddenBy(horizons.read(), 'zone', flow.at)
  if (hidden === null) return null
  const pending = ledger.listPending({ direction: 'ZoneToMain', originAtOrBefore: clock.now() })
  return findPartner(flow, pending, watch.mostKept) === null ? null : hidden
}

type Payment = Pick<EscrowFlow, 'token' | 'outward' | 'party'>

/**
 * The one withdrawal on its way that a movement may be the payout of: its token, its recipient, its amount but for a
 * fee. Null when none fits, or several do.
 */
export function findPartner(flow: Payment, pending: Iterable<Transfer>, mostKept: MostKept): Transfer | null {
  const fitting: Transfer[] = []
  for (const transfer of pending) {
    if (transfer.main !== null || !fits(flow, transfer, mostKept)) continue
    if (fitting.push(transfer) > 1) return null
  }
  return fitting[0] ?? null
}

function fits(flow: Payment, transfer: Transfer, mostKept: MostKept): boolean {
  if (transfer.direction !== 'ZoneToMain' || transfer.status === 'failed') return false
  if (movedToken(transfer.token) !== flow.token || transfer.targetAddress !== flow.party) return false
  const amount = toDecimal(transfer.amount ?? '')
  if (amount === null) return false
  const kept = subtractDecimals(amount, flow.outward)
  return kept.digits >= 0n && compareDecimals(kept, mostKept(transfer).less) <= 0
}

/** Whether a log of a transaction that is known to mean a payout is still to be set beside the list. */
function hasOpenPayout(db: Database, hash: string): boolean {
  const sql = `SELECT 1 FROM bridge_logs l JOIN bridge_topics t ON t.contract = ${nameOf('l.contract')} AND t.topic = ${nameOf('l.topic')}
    WHERE ${isHash('l.hash', '?1')} AND l.check_at IS NOT NULL AND json_extract(t.template, '$.direction') = 'ZoneToMain' LIMIT 1`
  return db.prepare(sql).get(hash) !== undefined
}
