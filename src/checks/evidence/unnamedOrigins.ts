import type { Observation } from '../../bridge/observation.ts'
import { originLeg, type Transfer } from '../../bridge/transfer.ts'
import { isAbsent, noteReading } from '../../clients/explorer/absence.ts'
import { askEach } from '../../kernel/reads/askInParts.ts'
import { readWatermark } from '../../kernel/heads/heads.ts'
import { isHiding } from '../../kernel/reads/hiddenRows.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { askQuorum } from '../../kernel/quorum.ts'
import { recordAccusation } from '../../kernel/recordWord.ts'
import type { Read } from '../../kernel/reads/reads.ts'
import type { RecordLookup } from '../../kernel/reads/recordLookup.ts'
import { dropQueued, listQueued, type QueuedLeg, saveQueued } from '../../ledger/evidence/evidenceQueue.ts'
import { mostOfTransaction } from '../../ledger/transfers/transferRows.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { type Wait, waitsFor } from '../../meaning/standing.ts'
import { withTimes } from '../../store/requestNumbers.ts'

interface UnnamedOrigins
  extends Pick<
    Kernel,
    | 'blockListeners'
    | 'clock'
    | 'clockAheadMs'
    | 'commit'
    | 'db'
    | 'explorer'
    | 'explorers'
    | 'horizons'
    | 'ledger'
    | 'list'
    | 'numbers'
    | 'reads'
    | 'settleMs'
  > {
  /** The records of a main transaction. */
  readonly lookUp: RecordLookup
}

const maxPerRun = 20
const retryMs = 5_000
const doubtMs = 15_000
/** What sources contradict each other about is asked again after this. */
const contradictedMs = 60_000
/** How often what waits for a chain or the list is judged again, and asked for then. */
const waitMs = 20_000
/** The readings of one run share their control question. */
const checkMs = 5_000
/** Heads and lists that lag are waited for no longer than this. */
const capMs = 90_000

/**
 * Looks for the origins of value that arrived and names none. A record is read again once its time is over; a payout
 * that only the chain shows is looked for in the list until the rules of absence have been met.
 */
export async function lookForOrigins(deps: UnnamedOrigins, signal: AbortSignal): Promise<void> {
  const { clock, commit, db } = deps
  const queued = listQueued(db, 'record', false, clock.now(), maxPerRun)
  const due = queued.filter((leg) => leg.dueAt <= clock.now())
  const waiting = new Set(due.filter((leg) => isWaiting(deps, leg)))
  if (waiting.size > 0) commit({ apply: () => (waiting.forEach((leg) => again(deps, leg, waitMs)), []) })
  const open = due.filter((one) => !waiting.has(one))
  await askEach(open.map((leg) => () => attempt(deps, leg, signal)))
}

/** What could not be asked is asked again: one that the source stumbles over holds up none of the others. */
async function attempt(deps: UnnamedOrigins, leg: QueuedLeg, signal: AbortSignal): Promise<void> {
  try {
    await look(deps, leg, signal)
  } catch (error) {
    again(deps, leg, retryMs)
    throw error
  }
}

/** Transfers that bear this hash as their destination's. */
function transfersOf({ ledger, numbers }: UnnamedOrigins, hash: string): Transfer[] {
  return ledger.listTransfers({ hash, limit: mostOfTransaction }).map((one) => withTimes(numbers, one, 0))
}

/** A record would say no more than what is waited for: a source that lags, or an origin that is proven without it. */
function isWaiting(deps: UnnamedOrigins, leg: QueuedLeg): boolean {
  const isLate = deps.horizons.read().lacksSince !== null
  const open = listOpen(deps, leg)
  return (
    open.length > 0 &&
    open.every((one) => {
      const wait = waits(deps, one)
      // Of a list that is in time readings are counted before it has come so far.
      return wait !== null && (wait !== 'list' || isLate || one.claim !== undefined)
    })
  )
}

/** What keeps a payout from being judged, as its judgement asks it (checks/transfers/unbacked.ts). */
function waits({ clock, horizons, ledger }: UnnamedOrigins, transfer: Transfer): Wait | null {
  return waitsFor(transfer, {
    sharing: transfer.claim ? ledger.listSharing('zone', transfer.claim.hash, mostOfTransaction) : [],
    partner: ledger.joinedByAmount(transfer),
    horizons: horizons.read(),
    now: clock.now(),
  })
}

async function look(deps: UnnamedOrigins, leg: QueuedLeg, signal: AbortSignal): Promise<void> {
  const open = listOpen(deps, leg)
  const [first] = open
  if (!first) return dropQueued(deps.db, 'record', leg.hash)
  const unlisted = open.filter((transfer) => !transfer.isListed)
  // A record that names no origin, beside a payout without a record: each is looked after.
  if (unlisted.length === 0) return readAgain(deps, { leg, transfer: first }, signal)
  const addresses = unlisted.flatMap(({ targetAddress, sourceAddress }) => [targetAddress, sourceAddress])
  const options = { priority: 'urgent', signal, checkedWithinMs: checkMs } as const
  // What is read of heads while it is asked says nothing of the answer.
  const wasOver = isOver(deps, leg)
  const read = await deps.lookUp({ hash: leg.hash, addresses }, options)
  const named = read.records.filter((record) => record.mainHash === leg.hash)
  if (named.length > 0) {
    deps.commit({ answers: [read.records], bad: read.bad, judge: open.map(({ key }) => key) })
    if (listOpen(deps, leg).every((transfer) => transfer.isListed)) return again(deps, leg, retryMs)
    // Another row of this transaction may be its record: that it could not be read does not make it absent.
    const others = read.records.filter((record) => record.mainHash !== leg.hash)
    if (isHiding({ ...read, records: others })) return again(deps, leg, doubtMs)
    // The records of this transaction are those of other payouts in it: the list was asked, and lacks this one.
    return noteAbsent(deps, leg, { at: read.requestedAt, count: named.length, wasOver }, signal)
  }
  if (read.isHidden) return again(deps, leg, doubtMs)
  // Filters that do not work say nothing of this transaction: then the list itself has to have been read since.
  const isAnswer = read.isAnswer || (deps.list.readAt ?? 0) >= settledAt(deps, leg)
  if (!isAnswer) return again(deps, leg, retryMs)
  return noteAbsent(deps, leg, { at: read.requestedAt, count: 0, wasOver }, signal)
}

/** One more reading of the list that did not hold the record of a payout; the last one that is needed proves it. */
async function noteAbsent(
  deps: UnnamedOrigins,
  leg: QueuedLeg,
  read: { readonly at: UnixMs; readonly count: number; readonly wasOver: boolean },
  signal: AbortSignal,
): Promise<void> {
  // Requests are numbered on from before the clock was set back: numbers order answers, and measure no time.
  const at = Math.min(read.at, deps.clock.now())
  const next = { ...leg, ...noteReading(leg, { kind: 'absent-among-others', at }) }
  if (!isAbsent(next)) return again(deps, next, doubtMs)
  if (!read.wasOver) return again(deps, next, isOver(deps, leg) ? retryMs : doubtMs)
  const { hash } = leg
  const seat = { name: 'explorer', seat: deps.explorers } as const
  const agreement = await askQuorum(deps, seat, recordAccusation(deps, hash, read.count), signal)
  if (agreement === null) return again(deps, next, contradictedMs)
  const open = listOpen(deps, leg)
  const held = open.filter((one) => waits(deps, one) !== null)
  // Nobody else would have them judged once what they wait for has come.
  if (held.length > 0 && held.length === open.length) return again(deps, next, retryMs)
  const proof = { chain: 'main', hash, source: 'E3', requestedAt: read.at, status: 'absent' } as const
  deps.commit({
    evidence: [{ ...proof, errorMessage: '', moves: null, reads: next.reads, agreement }],
    judge: open.map(({ key }) => key),
    apply: () => {
      if (held.length > 0) again(deps, next, waitMs)
      else dropQueued(deps.db, 'record', hash)
      return []
    },
  })
}

/** Value that arrived in a transaction, or was paid in it, and names no origin. */
function listOpen(deps: UnnamedOrigins, leg: QueuedLeg): Transfer[] {
  return transfersOf(deps, leg.hash).filter((transfer) => originLeg(transfer) === null)
}

/** The record as it is now; what it says when its time is over is judged. */
async function readAgain(
  deps: UnnamedOrigins,
  { leg, transfer }: { readonly leg: QueuedLeg; readonly transfer: Transfer },
  signal: AbortSignal,
): Promise<void> {
  if (!isOver(deps, leg)) {
    return again(deps, leg, Math.max(settledAt(deps, leg) - deps.clock.now(), retryMs))
  }
  const read = await readRecord(deps, transfer, signal)
  // Where no filter finds it the list itself may have shown it since, as it is.
  const isThere =
    transfer.readAt >= settledAt(deps, leg) ||
    read.records.some(({ mainHash, zoneHash }) => mainHash === leg.hash || zoneHash === leg.hash)
  deps.commit({
    answers: [read.records],
    bad: read.bad,
    judge: isThere ? transfersOf(deps, leg.hash).map(({ key }) => key) : [],
    apply: () => {
      // Nobody else would have it judged once what it waits for has come.
      const isJudged = isThere && listOpen(deps, leg).every((one) => waits(deps, one) === null)
      if (isJudged) dropQueued(deps.db, 'record', leg.hash)
      else again(deps, leg, retryMs)
      return []
    },
  })
}

function readRecord(
  { reads, lookUp }: UnnamedOrigins,
  { zone, main, targetAddress, sourceAddress }: Transfer,
  signal: AbortSignal,
): Promise<Read<Observation>> {
  const options = { priority: 'urgent', signal } as const
  if (zone !== null) return reads.details([zone.hash], options)
  const wanted = { hash: main?.hash ?? '', addresses: [targetAddress, sourceAddress] }
  return lookUp(wanted, { ...options, checkedWithinMs: checkMs })
}

/** Records have had the time that they take, and both chains were read beyond the payout, or have lagged too long. */
function isOver(deps: UnnamedOrigins, leg: QueuedLeg): boolean {
  const { clock, clockAheadMs, db } = deps
  const now = clock.now()
  if (now < settledAt(deps, leg)) return false
  return (readWatermark(db, clockAheadMs()) ?? 0) >= leg.time || now - leg.addedAt >= capMs
}

/**
 * Where our clock is ahead of the service's, by that; and a service that gives a wrong time cannot put it off. Never sooner
 * than a record that names no origin is judged: what is given up by then would be told by nobody.
 */
function settledAt({ explorer, settleMs }: UnnamedOrigins, { time, addedAt }: QueuedLeg): UnixMs {
  const oursAheadMs = Math.max(0, -(explorer.health().clockAheadMs ?? 0))
  return Math.min(time + oursAheadMs, addedAt) + settleMs()
}

function again(deps: UnnamedOrigins, leg: QueuedLeg, ms: number): void {
  const at = deps.clock.now() + ms
  saveQueued(deps.db, { ...leg, readyAt: at, dueAt: at })
}
