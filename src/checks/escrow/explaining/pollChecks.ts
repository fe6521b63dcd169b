import { type Decimal, noAmount, subtractDecimals } from '../../../bridge/decimal.ts'
import { type Absence, completesAt } from '../../../clients/explorer/absence.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { askQuorum } from '../../../kernel/quorum.ts'
import { recordAccusation } from '../../../kernel/recordWord.ts'
import { isContradicted } from '../../../kernel/sources/sourceWords.ts'
import { valueFirst } from '../../../ledger/sightings/valueFirst.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import type { Wait } from '../../../meaning/standing.ts'
import type { Database } from '../../../store/database.ts'
import { accountFlows } from './keepAccounts.ts'
import { type Explaining, findWait, judge, listExplaining, type Verdict } from './explain.ts'
import { createGasJudge } from './judgeGas.ts'
import { asUnlisted, listBeginsAt, noteListBegin } from './listBegin.ts'
import { isGas } from '../flows/gas.ts'
import type { Lack } from '../flows/judgeFlow.ts'
import type { StoredFlow } from '../flows/flowRow.ts'
import { type FlowJudgement, listDueFlows, partiesOf, settleFlow, wakeSentTo } from '../flows/flowStore.ts'
import { restOfGap } from '../flows/flowSums.ts'
import { noteLeft } from './pollGained.ts'
import { findRefunds } from './refund.ts'
import { saveRefunds } from '../flows/refundStore.ts'
import { askControl, recordMs, type Reread, rereadFlow, toUnasked } from '../flows/rereadFlow.ts'
import { adoptWrapping, type EscrowWatch, isBridgeToken, isNewWrapping, riskOf } from '../watched/watch.ts'

/** What is due to be judged is read with, and by. */
type Checking = Explaining &
  Pick<
    Kernel,
    | 'blockListeners'
    | 'commit'
    | 'cursors'
    | 'explorers'
    | 'firstStartAt'
    | 'list'
    | 'reads'
    | 'settleMs'
    | 'startedAt'
    | 'trigger'
  >

/** What came in is nobody's loss: its record may take longer, and is not asked for one by one. */
const inwardSettleMs = 600_000
const rereadMs = 15_000
const heldMs = 30_000
/** How often what waits for a source that lags is judged again. */
const waitMs = 15_000
/** What sources contradict each other about is asked again after this. */
const putOffMs = 60_000
const contradicted = 'sources contradict each other about its record'
/** What a record does not say, evidence and what other transfers taught say within this. */
export const unsaidMs = 105_000
const maxDue = 500
/** Readings of the record list in one run: what is due next is chosen anew by its value, in a run that follows at once. */
const rereadsPerRun = 10
/** More than these cannot all be asked for three times in time. */
const crowdSize = 30

/**
 * Judges movements at the escrows: explained by transfers, or not. What seems unexplained is asked for in the record
 * list by its main hash, by the rules of absence, so that a record that comes late is no drift.
 */
export async function checkFlows(of: Checking, signal: AbortSignal): Promise<void> {
  if (isNewWrapping(of.watch)) of.commit({ apply: (now) => (adoptWrapping(of.watch, now), []) })
  noteListBegin(of)
  const judgeable = listDueFlows(of.db, of.clock.now()).filter((flow) => isListRead(of, flow))
  const due = orderDue(of.watch, judgeable, maxDue)
  const open = settleKnown(of, due)
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
  const control = await attempt(() => askControl(of, signal))
  // Of a crowd, that the list was read whole since counts as one reading.
  const how = { control: control === true, isCrowd: open.length > crowdSize }
  const beginsAt = listBeginsAt(of)
  for (const flow of orderDue(of.watch, open, rereadsPerRun)) {
    const round = { ...how, reachesBack: flow.at >= beginsAt }
    const read = control === null ? null : await attempt(() => rereadFlow(of, flow, round, signal))
    const asked = read ?? toUnasked(of, flow, round)
    const verdict = judge(of, flow, listExplaining(of, flow.hash))
    const concluded = conclude(of, { verdict, flow, asked })
    const isSaid = await agreeOnRecord(of, { flow, concluded, count: asked.count }, signal)
    settle(of, [[flow, isSaid ? concluded : putOff(flow, of.clock.now())]])
  }
  // One record that cannot be asked for holds up none of the others.
  if (failures.length > 0) throw failures[0]
  if (open.length > rereadsPerRun) of.trigger('escrowChecks')
}

/**
 * What moved before the start may have its record on pages that a walk still has to read, through history or over what the
 * tail left out after hours in which nothing ran; of what moved since the tail shows it, however long that walk takes.
 */
function isListRead({ cursors, list, startedAt }: Checking, { at }: StoredFlow): boolean {
  return at >= startedAt || (cursors.read().history.done && (list.readAt ?? 0) >= at)
}

/** @returns whether it may be said that no record tells of a movement */
async function agreeOnRecord(
  of: Checking,
  {
    flow,
    concluded,
    count,
  }: { readonly flow: StoredFlow; readonly concluded: FlowJudgement; readonly count: number },
  signal: AbortSignal,
): Promise<boolean> {
  if (concluded.verdict !== 'unexplained' || concluded.direction === 'in') return true
  const seat = { name: 'explorer', seat: of.explorers } as const
  return (await askQuorum(of, seat, recordAccusation(of, flow.hash, count), signal)) !== null
}

/** Sources contradict each other about its record, which is told: of the movement itself nothing is said until they agree. */
function putOff(flow: StoredFlow, now: UnixMs): FlowJudgement {
  const { absence } = flow
  const nothing = { unexplained: null, reason: contradicted, waitsFor: null } as const
  return { ...nothing, verdict: 'explained', direction: directionOf(flow), checkAt: now + putOffMs, absence }
}

function orderDue(watch: EscrowWatch, due: readonly StoredFlow[], turns: number): StoredFlow[] {
  const toRisk = ({ token, unexplained, outward, net, at }: StoredFlow) => ({
    share: Math.abs(riskOf(watch, token, unexplained ?? (outward.digits === 0n ? net : outward))),
    counts: isBridgeToken(watch, token),
    since: at,
  })
  return valueFirst(due, toRisk, turns)
}

/** Judges in one commit what needs no further reading, and notes that the rest is not explained so far. @returns the rest */
function settleKnown(of: Checking, due: readonly StoredFlow[]): StoredFlow[] {
  const now = of.clock.now()
  const beginsAt = listBeginsAt(of)
  const open: StoredFlow[] = []
  const judgeGas = createGasJudge(of.watch, due)
  const judged = due.flatMap((flow): [StoredFlow, FlowJudgement][] => {
    if (flow.fromHeight !== null) return [[flow, judgeGap(of.db, flow)]]
    if (isGas(flow)) return [[flow, judgeGas(flow)]]
    const transfers = listExplaining(of, flow.hash)
    const found = judge(of, flow, transfers)
    const waits = findWait(of, flow, { transfers, verdict: found })
    if (waits !== null) return [[flow, holdBack(waits, found, flow, now)]]
    const isOlder = flow.at < beginsAt && transfers.length === 0
    const verdict = isOlder ? asUnlisted(of.watch, flow, found) : found
    if (!wantsReread(verdict, flow)) return [[flow, conclude(of, { verdict, flow, asked: null })]]
    open.push(flow)
    const isPutOff = isContradicted(of.db, 'record', flow.hash)
    const isNoted = isOlder || isPutOff || (flow.unexplained !== null && flow.waitsFor === null)
    return isNoted
      ? []
      : [[flow, { ...conclude(of, { verdict, flow, asked: null }), verdict: 'open', checkAt: now }]]
  })
  settle(of, judged)
  return open
}

function holdBack(waits: Wait, verdict: Verdict, flow: StoredFlow, now: UnixMs): FlowJudgement {
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

function wantsReread(verdict: Verdict, flow: StoredFlow): boolean {
  if (verdict.kind !== 'unexplained' || verdict.direction === 'in' || verdict.isSettled) return false
  return flow.verdict !== 'unexplained'
}

/** What a judgement comes to, and when it is looked at again. */
function conclude(
  of: Pick<Checking, 'clock' | 'settleMs'>,
  {
    verdict,
    flow,
    asked,
  }: { readonly verdict: Verdict; readonly flow: StoredFlow; readonly asked: Reread | null },
): FlowJudgement {
  const now = of.clock.now()
  const direction = verdict.kind === 'unexplained' ? verdict.direction : directionOf(flow)
  const common = { direction, unexplained: null, reason: '', absence: null, waitsFor: null } as const
  if (verdict.kind === 'explained') {
    // A proof may be pending still; that it fails wakes this movement too.
    const later = verdict.isProven || flow.checks > 8 ? null : now + rereadMs * 2 ** flow.checks
    if (!verdict.isProven && flow.verdict === 'unexplained') return { ...toUnchanged(flow), checkAt: later }
    return { ...common, verdict: 'explained', checkAt: later }
  }
  // It is judged anew when a deposit of who was paid changes: it may be tried again.
  if (verdict.kind === 'refund')
    return { ...common, verdict: 'refund', reason: 'it gives a failed deposit back', checkAt: null }
  if (verdict.kind === 'unjudged') return concludeUnjudged(verdict, flow, now)
  // Until it is known, what left may turn out to be a payout.
  if (verdict.kind === 'held') return { ...common, verdict: 'open', checkAt: now + heldMs }
  const reason = asked?.isAsked === false ? `${verdict.reason}; ${notAsked}` : verdict.reason
  const told = { direction, unexplained: verdict.amount, reason, waitsFor: null } as const
  const absence = asked ? JSON.stringify(asked.absence) : flow.absence
  const open = (checkAt: UnixMs): FlowJudgement => ({ ...told, verdict: 'open', checkAt, absence })
  const unexplained: FlowJudgement = { ...told, verdict: 'unexplained', checkAt: null, absence }
  if (verdict.isSettled || flow.verdict === 'unexplained') return unexplained
  const dueAt = flow.at + (direction === 'in' ? inwardSettleMs : recordMs(of))
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

/** What was reported is not over for a record whose origin is not proven, however long that takes. */
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
  const rest = restOfGap(db, flow)
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

/**
 * Two that were judged together may give the same deposit back: the first has it.
 * @returns whether accounts take it for something else by now
 */
function settleOne(of: Checking, flow: StoredFlow, judgement: FlowJudgement, now: UnixMs): boolean {
  const { db } = of
  const given = judgement.verdict === 'refund' ? findRefunds(of, flow, listExplaining(of, flow.hash)) : []
  const settled: FlowJudgement = given === null ? { ...judgement, verdict: 'open', checkAt: now } : judgement
  settleFlow(db, flow, settled, now)
  noteLeft(of, flow, settled)
  const gaveBefore = saveRefunds(db, flow.id, given ?? [])
  // What it gave back before may be what another one did.
  if (gaveBefore && judgement.verdict !== 'refund') wakeSentTo(db, partiesOf(flow), now)
  // Of a gap the amount may be another.
  return flow.fromHeight !== null || settled.verdict !== flow.verdict
}

function settle(of: Checking, judged: readonly (readonly [StoredFlow, FlowJudgement])[]): void {
  if (judged.length === 0) return
  of.commit({
    apply: (now) => {
      const turned = judged.filter(([flow, judgement]) => settleOne(of, flow, judgement, now))
      accountFlows(
        of,
        turned.map(([flow]) => flow),
        now,
      )
      return []
    },
  })
}
