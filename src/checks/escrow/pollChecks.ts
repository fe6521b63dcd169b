import { type Absence, completesAt } from '../../clients/explorer/absence.ts'
import { type Decimal, noAmount, subtractDecimals, sumDecimals } from '../../bridge/decimal.ts'
import { type FlowVerdict, joinGross, type JudgeToken, judgeFlow, type Lack } from './flow.ts'
import type { MostKept } from '../../meaning/mostKept.ts'
import type { Shown } from '../../meaning/horizon.ts'
import type { Wait } from '../../meaning/standing.ts'
import { type AtRisk, valueFirst } from '../../ledger/valueFirst.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import type { StoredFlow } from './flowRow.ts'
import {
  type FlowJudgement,
  keepsDeposits,
  listDueFlows,
  listFlowsOf,
  settleFlow,
  sumListed,
} from './flowStore.ts'
import { askControl, type Reread, type RereadDeps, rereadFlow, settleMs, toUnasked } from './rereadFlow.ts'

export interface EscrowChecksDeps extends RereadDeps {
  readonly clock: Clock
  readonly db: Database
  readonly mostKept: MostKept
  readonly judgeToken: JudgeToken
  /** The history was filled and the list read: what the ledger lacks now is worth asking for. */
  isReady(): boolean
  listTransfers(mainHash: string): readonly Transfer[]
  /** What of an escrow's holdings a movement is, and whether its token is known to be the bridge's. */
  riskOf(flow: StoredFlow): Pick<AtRisk, 'share' | 'counts'>
  /** What the judgement of a transfer waits for. */
  waitsFor(transfer: Transfer): Wait | null
  /** The source that has not come so far as a movement which may be the payout of the one transfer that it fits; else null. */
  fitsWaiting(flow: StoredFlow): Shown | null
  /** Whether an event that means a payout was seen in the transaction and is not set beside the list yet. */
  hasOpenEvent(mainHash: string): boolean
}

/** What came in is nobody's loss: its record may take longer, and is not asked for one by one. */
const inwardSettleMs = 600_000
const rereadMs = 15_000
const heldMs = 30_000
/** What waits for a source that lags is looked at again so often. */
const waitMs = 15_000
/** An event is set beside the list within this. */
const eventMs = 100_000
/** What a record does not say, evidence and what other transfers taught say within this. */
export const unsaidMs = 105_000
const maxDue = 500
/** Readings of the record list in one tick; the rest comes first in the next one. */
const maxRereads = 30

/**
 * Judges movements at the escrows: explained by transfers, or not. What seems unexplained is asked for in the record
 * list by its main hash, by the rules of absence, so that a record that comes late is no drift.
 */
export function createEscrowChecksPoll(deps: EscrowChecksDeps): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    if (!deps.isReady()) return
    const due = orderDue(deps, listDueFlows(deps.db, deps.clock.now()), maxDue)
    const open = settleKnown(deps, due)
    if (open.length === 0) return
    const failures: unknown[] = []
    const attempt = async <T>(ask: () => Promise<T>): Promise<T | null> => {
      try {
        return await ask()
      } catch (error) {
        signal.throwIfAborted()
        failures.push(error)
        return null
      }
    }
    const control = await attempt(() => askControl(deps, signal))
    // What cannot all be asked for three times in time: that the list was read whole since counts as one reading.
    const how = { control: control === true, isCrowd: open.length > maxRereads }
    for (const flow of orderDue(deps, open, maxRereads).slice(0, maxRereads)) {
      const read = control === null ? null : await attempt(() => rereadFlow(deps, flow, how, signal))
      const asked = read ?? toUnasked(deps, flow)
      const verdict = judge(deps, flow, deps.listTransfers(flow.hash))
      settle(deps, [[flow, conclude(verdict, flow, deps.clock.now(), asked)]])
    }
    // One record that cannot be asked for holds up none of the others.
    if (failures.length > 0) throw failures[0]
  }
}

function orderDue(deps: EscrowChecksDeps, due: readonly StoredFlow[], turns: number): StoredFlow[] {
  return valueFirst(due, (flow) => ({ ...deps.riskOf(flow), since: flow.at }), turns)
}

/** Judges in one commit what needs no further reading, and notes that the rest is not explained so far. @returns the rest */
function settleKnown(deps: EscrowChecksDeps, due: readonly StoredFlow[]): StoredFlow[] {
  const now = deps.clock.now()
  const open: StoredFlow[] = []
  const judged = due.flatMap((flow): [StoredFlow, FlowJudgement][] => {
    if (flow.fromHeight !== null) return [[flow, judgeGap(deps.db, flow)]]
    const transfers = deps.listTransfers(flow.hash)
    const verdict = judge(deps, flow, transfers)
    const waits = findWait(deps, flow, transfers, verdict)
    if (waits !== null) return [[flow, holdBack(waits, verdict, flow, now)]]
    if (!wantsReread(verdict, flow)) return [[flow, conclude(verdict, flow, now, null)]]
    open.push(flow)
    const isNoted = flow.unexplained !== null && flow.waitsFor === null
    return isNoted ? [] : [[flow, { ...conclude(verdict, flow, now, null), verdict: 'open', checkAt: now }]]
  })
  settle(deps, judged)
  return open
}

/** All that left in this transaction together is compared with all its transfers: one may be paid by two escrows. */
function judge(deps: EscrowChecksDeps, flow: StoredFlow, transfers: readonly Transfer[]): FlowVerdict {
  const all = listFlowsOf(deps.db, flow.hash, flow.token)
  const outward = sumDecimals(all.map((one) => one.outward))
  const gross = joinGross(all.flatMap((one) => one.gross))
  const isThrough = gross.some((move) => move.in.digits > 0n)
  const isKept = !isThrough || all.some((one) => keepsDeposits(deps.db, one))
  const of = { hash: flow.hash, token: flow.token, outward, gross, isKept }
  const verdict = judgeFlow(of, transfers, deps.mostKept, deps.judgeToken)
  return verdict.kind === 'unexplained' && !isPartOf(verdict, flow)
    ? { kind: 'explained', isProven: true }
    : verdict
}

/** Of what several escrows moved, what went out is told at those that paid it, and what came in where it came. */
function isPartOf({ direction }: Extract<FlowVerdict, { kind: 'unexplained' }>, flow: StoredFlow): boolean {
  if (direction === 'in') return flow.outward.digits < 0n
  return flow.outward.digits > 0n || flow.gross.some(({ out }) => out.digits > 0n)
}

/**
 * What a movement waits for before it is called unexplained, or explained by a record whose origin cannot be shown yet.
 * A source that lags, `answer` when it is under way, `record` when that alone can say what left; null for nothing.
 */
function findWait(
  deps: EscrowChecksDeps,
  flow: StoredFlow,
  transfers: readonly Transfer[],
  verdict: FlowVerdict,
): Wait | null {
  if (flow.outward.digits <= 0n || verdict.kind === 'held') return null
  const payouts = transfers.filter(({ direction }) => direction === 'ZoneToMain')
  const all = payouts.map((one) => deps.waitsFor(one))
  const waits = all.filter((one) => one !== 'record')
  const wait = waits.find((one) => one !== null && one !== 'answer') ?? waits.find((one) => one !== null)
  if (wait && isCoveredBy(deps, flow, payouts)) return wait
  // What an event leaves out its record may say.
  if (verdict.kind === 'unjudged') return all.includes('record') ? 'record' : null
  if (verdict.kind !== 'unexplained') return null
  const isFresh = deps.clock.now() < flow.at + eventMs
  if (payouts.length === 0 && isFresh && deps.hasOpenEvent(flow.hash)) return 'answer'
  return payouts.length === 0 ? deps.fitsWaiting(flow) : null
}

/** Whether the payouts would explain the movement if all that they wait for turned out well. */
function isCoveredBy(deps: EscrowChecksDeps, flow: StoredFlow, payouts: readonly Transfer[]): boolean {
  // One that failed waits for nothing that would make it a payout.
  const hoped = payouts.map(
    (one): Transfer =>
      one.state === 'failed' || deps.waitsFor(one) === null ? one : { ...one, state: 'pending' },
  )
  return judge(deps, flow, hoped).kind !== 'unexplained'
}

function holdBack(waits: Wait, verdict: FlowVerdict, flow: StoredFlow, now: UnixMs): FlowJudgement {
  if (flow.verdict === 'unexplained') return { ...toUnchanged(flow), checkAt: now + waitMs }
  const source = waits === 'answer' || waits === 'record' ? null : waits
  return {
    verdict: verdict.kind === 'unexplained' ? 'open' : 'explained',
    direction: 'out',
    unexplained: verdict.kind === 'unexplained' && source !== null ? verdict.amount : null,
    reason:
      waits === 'answer' ? 'its origin is being asked for' : `the ${source ?? 'list'} does not show it yet`,
    checkAt: now + waitMs,
    absence: flow.absence,
    waitsFor: source,
  }
}

function wantsReread(verdict: FlowVerdict, flow: StoredFlow): boolean {
  if (verdict.kind !== 'unexplained' || verdict.direction === 'in' || verdict.isSettled) return false
  return flow.verdict !== 'unexplained'
}

/** What a judgement comes to, and when it is looked at again. */
function conclude(verdict: FlowVerdict, flow: StoredFlow, now: UnixMs, asked: Reread | null): FlowJudgement {
  const direction = verdict.kind === 'unexplained' ? verdict.direction : directionOf(flow)
  const common = { direction, unexplained: null, reason: '', absence: null, waitsFor: null } as const
  if (verdict.kind === 'explained') {
    // A proof may be pending still; that it fails wakes this movement too.
    const later = verdict.isProven || flow.checks > 8 ? null : now + rereadMs * 2 ** flow.checks
    if (!verdict.isProven && flow.verdict === 'unexplained') return { ...toUnchanged(flow), checkAt: later }
    return { ...common, verdict: 'explained', checkAt: later }
  }
  if (verdict.kind === 'unjudged') return concludeUnjudged(verdict, flow, now)
  // Until it is known, what left may turn out to be a payout.
  if (verdict.kind === 'held') return { ...common, verdict: 'open', checkAt: now + heldMs }
  const reason = asked?.isAsked === false ? `${verdict.reason}; ${notAsked}` : verdict.reason
  const told = { direction, unexplained: verdict.amount, reason, waitsFor: null } as const
  const absence = asked ? JSON.stringify(asked.absence) : flow.absence
  const open = (checkAt: UnixMs): FlowJudgement => ({ ...told, verdict: 'open', checkAt, absence })
  const unexplained: FlowJudgement = { ...told, verdict: 'unexplained', checkAt: null, absence }
  if (verdict.isSettled || flow.verdict === 'unexplained') return unexplained
  const dueAt = flow.at + (direction === 'in' ? inwardSettleMs : settleMs)
  if (direction === 'in') return now >= dueAt ? unexplained : open(dueAt)
  if (!asked?.isGone) return open(Math.max(now + rereadMs, asked ? lastReadingAt(asked.absence, dueAt) : 0))
  return now >= dueAt ? unexplained : open(dueAt)
}

/** Explained for as long as what others teach may complete the record; and looked at again ever more rarely. */
function concludeUnjudged({ lacks }: { lacks: Lack }, flow: StoredFlow, now: UnixMs): FlowJudgement {
  const later = flow.checks > 8 ? null : now + rereadMs * 2 ** flow.checks
  if (flow.verdict === 'unexplained') return { ...toUnchanged(flow), checkAt: later }
  const common = { direction: directionOf(flow), unexplained: null, absence: null, waitsFor: null } as const
  const dueAt = flow.at + unsaidMs
  if (now < dueAt) return { ...common, verdict: 'explained', reason: '', checkAt: dueAt }
  return { ...common, verdict: 'unjudged', reason: lacks, checkAt: later }
}

/** What was told is not over for a record whose origin is not proven, however long that takes. */
function toUnchanged({ verdict, direction, unexplained, reason, absence, waitsFor }: StoredFlow) {
  return { verdict, direction, unexplained, reason, absence, waitsFor }
}

const notAsked = 'its record could not be asked for by its hash (E3)'

/** The reading that completes a proof is of use only once the proof may be believed. */
function lastReadingAt(absence: Absence, dueAt: UnixMs): UnixMs {
  const at = completesAt(absence)
  return at === null ? 0 : Math.max(at, dueAt)
}

function directionOf({ outward }: Pick<StoredFlow, 'outward'>): 'out' | 'in' {
  return outward.digits > 0n ? 'out' : 'in'
}

/** A change of balance: what movements that were listed since do not make of it. */
function judgeGap(db: Database, flow: StoredFlow): FlowJudgement {
  const listed = sumListed(db, flow, flow.fromHeight ?? 0, flow.height).sum
  const rest = subtractDecimals(flow.net, listed)
  return {
    verdict: rest.digits === 0n ? 'explained' : 'unexplained',
    direction: rest.digits < 0n ? 'out' : 'in',
    unexplained: rest.digits === 0n ? null : absolute(rest),
    reason: 'the balance changed by more than the listed movements',
    checkAt: null,
    absence: null,
    waitsFor: null,
  }
}

function absolute(number: Decimal): Decimal {
  return number.digits < 0n ? subtractDecimals(noAmount, number) : number
}

function settle(deps: EscrowChecksDeps, judged: readonly (readonly [StoredFlow, FlowJudgement])[]): void {
  if (judged.length === 0) return
  deps.commit({
    apply: (now) => {
      for (const [flow, judgement] of judged) settleFlow(deps.db, flow, judgement, now)
      return []
    },
  })
}
