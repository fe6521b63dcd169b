import type { Clock, UnixMs } from '../lib/clock.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import { type Head, isSameHash } from '../store/changeLog.ts'
import { type Database, migrations } from '../store/database.ts'
import { pushChanges } from './changes.ts'
import type { Connections } from './connect.ts'
import { type Identity, type Lease, readLease, releaseLease, renewLease } from './lease.ts'
import { isSurelyHeld, type Moment, renewMs } from './leaseTime.ts'
import { type Asked, noteNode } from './nodes.ts'
import { readSnapshot } from './snapshots.ts'

export interface HolderDeps extends Identity {
  readonly clock: Pick<Clock, 'now' | 'monotonicMs' | 'sleep'>
  /** How long the machine is up, suspended time included, ms; null where that is not known. */
  readonly bootMs: () => number | null
  readonly log: Logger
  /** Small statements: the lease must not wait behind a snapshot. */
  readonly lease: Connections
  readonly data: Connections
  readonly db: Pick<Database, 'changes' | 'held'>
  readonly program: string
  readonly pageUrl: string | null
  /** Puts a copy of the ledger into PostgreSQL. @returns the change that it is of; null when the lease is gone */
  readonly publish: (signal: AbortSignal, mayFinish: (head: Head) => Promise<void>) => Promise<Head | null>
}

/** Why a holder ended: somebody wants another one, or another one is it. */
export type HolderEnd = 'asked' | 'lost'

export interface Holder {
  start(lease: Lease | null): void
  /** Something was committed. */
  wake(): void
  /**
   * Returns when what was committed so far is in PostgreSQL and nobody else can hold the lease: null. Where that takes
   * longer than a message can wait, why it may come twice.
   */
  mayLeave(of: { readonly isCritical: boolean }): Promise<string | null>
  status(): HolderStatus
  /** Aborted with a HolderEnd once this node has to stop watching. */
  readonly ended: AbortSignal
  /** What it was asked to do beside. */
  readonly asked: () => Asked | null
  /** Pushes what is left and gives the lease away. */
  stop(): Promise<void>
}

export interface HolderStatus {
  readonly epoch: number
  /** Since when PostgreSQL does not answer; null while it does. */
  readonly unreachableSince: UnixMs | null
  readonly problem: string | null
  /** Changes that are not there yet. */
  readonly behind: number
  /** Whether followers have a copy to begin with. */
  readonly hasBasis: boolean
}

interface State extends HolderDeps {
  epoch: number
  /** The last change that PostgreSQL acknowledged. */
  head: Head
  /** When the last renewal that succeeded was sent. */
  renewedFrom: Moment | null
  /** Whether what is there joins what is here, so that a follower can go on with it. */
  hasBasis: boolean
  pushedBytes: number
  unreachableSince: UnixMs | null
  problem: string | null
  asked: Asked | null
  isStopping: boolean
  readonly ending: AbortController
  readonly ended: AbortController
  work: AbortController
  progress: AbortController
  loops: Promise<void>[]
}

const batchBytes = 256 * 1024
/** After so much a follower that begins anew would have to read more than a copy. */
const snapshotBytes = 64 * 1024 * 1024
const retryMs = 500
/** How long a message waits for PostgreSQL. */
const criticalWaitMs = 1_000
const otherWaitMs = 10_000
/** How long a stop waits for what is left to push. */
const stopMs = 3_000

/** The node that watches: it keeps its lease, and puts each commit into PostgreSQL. */
export function createHolder(deps: HolderDeps): Holder {
  const replica = deps.db.changes.state()
  const state: State = {
    ...deps,
    epoch: replica?.epoch ?? 0,
    head: { seq: 0, hash: new Uint8Array() },
    renewedFrom: null,
    hasBasis: false,
    pushedBytes: 0,
    unreachableSince: null,
    problem: null,
    asked: null,
    isStopping: false,
    ending: new AbortController(),
    ended: new AbortController(),
    work: new AbortController(),
    progress: new AbortController(),
    loops: [],
  }
  return {
    start(lease) {
      // Null: PostgreSQL could not be asked, and this node was the holder when it last ran.
      if (lease === null) state.unreachableSince = deps.clock.now()
      state.loops = [renewing(state), pushing(state), snapshotting(state)]
    },
    wake: () => state.work.abort(),
    mayLeave: (of) => mayLeave(state, of),
    status: () => ({
      epoch: state.epoch,
      unreachableSince: state.unreachableSince,
      problem: state.problem,
      behind: (state.db.changes.state()?.seq ?? 0) - state.head.seq,
      hasBasis: state.hasBasis,
    }),
    ended: state.ended.signal,
    asked: () => state.asked,
    async stop() {
      const deadline = deps.clock.monotonicMs() + stopMs
      state.isStopping = true
      state.work.abort()
      while (!isDone(state) && deps.clock.monotonicMs() < deadline) await waitForProgress(state, deadline)
      state.ending.abort()
      state.work.abort()
      await Promise.all(state.loops)
      if (!isDone(state)) return
      await releaseLease(deps.lease.query, deps, state.epoch).catch((error: unknown) =>
        deps.log.warn(`the lease could not be given away, it ends by itself: ${errorText(error)}`),
      )
    },
  }
}

function isDone(state: State): boolean {
  return state.ended.signal.reason === 'lost' || hasAll(state, state.db.changes.state()?.seq ?? 0)
}

function hasAll(state: State, seq: number): boolean {
  return state.hasBasis && state.head.seq >= seq && !state.db.held.isUnsaved()
}

function readMoment({ clock, bootMs }: Pick<HolderDeps, 'clock' | 'bootMs'>): Moment {
  return { monotonicMs: clock.monotonicMs(), bootMs: bootMs() }
}

async function mayLeave(
  state: State,
  { isCritical }: { readonly isCritical: boolean },
): Promise<string | null> {
  const seq = state.db.changes.state()?.seq ?? 0
  const deadline = state.clock.monotonicMs() + (isCritical ? criticalWaitMs : otherWaitMs)
  for (;;) {
    if (hasAll(state, seq) && isSurelyHeld(state.renewedFrom, readMoment(state))) return null
    if (state.clock.monotonicMs() >= deadline) return sayWhy(state)
    state.work.abort()
    await waitForProgress(state, deadline)
  }
}

function sayWhy({ unreachableSince, hasBasis }: State): string {
  if (unreachableSince !== null)
    return `may come twice: replicas cannot be reached since ${new Date(unreachableSince).toISOString()}`
  return hasBasis
    ? 'may come twice: replicas have not taken over yet what led to it'
    : 'may come twice: replicas are being given their first copy of the ledger'
}

async function waitForProgress(state: State, deadline: number): Promise<void> {
  const leftMs = Math.max(deadline - state.clock.monotonicMs(), 1)
  await state.clock.sleep(leftMs, state.progress.signal)
}

function noteProgress(state: State): void {
  const { progress } = state
  state.progress = new AbortController()
  progress.abort()
}

function noteReached(state: State, sentFrom: Moment): void {
  state.renewedFrom = sentFrom
  if (state.unreachableSince !== null) state.log.info('PostgreSQL answers again')
  state.unreachableSince = null
  state.problem = null
}

function noteTrouble(state: State, error: unknown): void {
  if (state.unreachableSince === null)
    state.log.error({ err: error }, `what is committed cannot be replicated: ${errorText(error)}`)
  state.unreachableSince ??= state.clock.now()
  state.problem = errorText(error)
}

function end(state: State, why: HolderEnd): void {
  state.ended.abort(why)
  noteProgress(state)
}

/** Runs `work` over and over; what it throws is trouble with PostgreSQL. `work` says how long to wait. */
async function loop(state: State, work: () => Promise<number>, signal: () => AbortSignal): Promise<void> {
  while (!state.ending.signal.aborted && !state.ended.signal.aborted) {
    let waitMs = retryMs
    try {
      waitMs = await work()
    } catch (error) {
      if (!(error instanceof MonitorError)) state.log.error({ err: error }, 'replication failed')
      noteTrouble(state, error)
    }
    const any = AbortSignal.any([state.ending.signal, state.ended.signal, signal()])
    await state.clock.sleep(waitMs, any)
  }
}

const never = new AbortController().signal

function renewing(state: State): Promise<void> {
  return loop(
    state,
    async () => {
      const from = readMoment(state)
      const lease = await renewLease(state.lease.query, state, state.epoch)
      if (lease === null) {
        end(state, 'lost')
        return 0
      }
      noteReached(state, from)
      noteProgress(state)
      const { program, pageUrl } = state
      const seq = state.db.changes.state()?.seq ?? 0
      state.asked =
        (await noteNode(state.lease.query, state, { role: 'holder', seq, program, pageUrl })) ?? state.asked
      if (state.asked !== null || (lease.wanted !== null && lease.wanted !== state.node)) end(state, 'asked')
      return renewMs
    },
    () => never,
  )
}

function pushing(state: State): Promise<void> {
  return loop(
    state,
    async () => {
      if (!state.hasBasis && !(await findBasis(state))) return retryMs
      state.work = new AbortController()
      while (await pushBatch(state)) if (state.ending.signal.aborted) return 0
      return longestIdleMs
    },
    () => state.work.signal,
  )
}

/** Commits wake it; this is for one that did not. */
const longestIdleMs = 250

/** @returns whether there is more */
async function pushBatch(state: State): Promise<boolean> {
  const changes = state.db.changes.listPending(state.head.seq, batchBytes)
  const last = changes.at(-1)
  if (last === undefined) return false
  const from = readMoment(state)
  const { bridge, epoch, head: after } = state
  const isThere = await pushChanges(state.data.query, {
    bridge,
    epoch,
    after,
    changes,
    ledgerVersion: migrations.length,
  })
  // A statement whose answer was lost may have done its work; and after a failover less may be there than was.
  if (!isThere) return (state.hasBasis = false)
  noteReached(state, from)
  state.pushedBytes += changes.reduce((sum, { body }) => sum + body.length, 0)
  noteHead(state, last)
  return true
}

function noteHead(state: State, head: Head): void {
  state.head = head
  state.db.changes.acknowledge(head.seq)
  noteProgress(state)
}

/** Finds where PostgreSQL stands in what is pending here. @returns false when it stands nowhere: a snapshot has to come first */
async function findBasis(state: State): Promise<boolean> {
  const from = readMoment(state)
  const lease = await readLease(state.lease.query, state.bridge)
  if (lease.epoch !== state.epoch || lease.node !== state.node) {
    end(state, 'lost')
    return false
  }
  const snapshot = await readSnapshot(state.data.query, state.bridge)
  const isOurs = snapshot?.ledgerVersion === migrations.length && isOnLine(state, lease.head)
  if (!isOurs) return false
  state.unreachableSince = null
  state.renewedFrom ??= lease.isOver ? null : from
  state.hasBasis = true
  noteHead(state, lease.head)
  return true
}

function isOnLine({ db }: State, head: Head): boolean {
  const own = db.changes.state()
  if (own !== null && own.seq === head.seq) return isSameHash(own.hash, head.hash)
  const [next] = db.changes.listPending(head.seq, 1)
  return next?.seq === head.seq + 1 && isSameHash(next.previous, head.hash)
}

function snapshotting(state: State): Promise<void> {
  return loop(
    state,
    async () => {
      const needsOne = state.hasBasis ? state.pushedBytes >= snapshotBytes : await lacksBasis(state)
      if (!needsOne) return renewMs / 4
      const bytes = state.pushedBytes
      const hadBasis = state.hasBasis
      const head = await state.publish(state.ending.signal, async ({ seq }) => {
        // What follows a change that is not there yet would be a gap for whoever is just behind.
        while (hadBasis && state.head.seq < seq && !state.ending.signal.aborted)
          await waitForProgress(state, state.clock.monotonicMs() + renewMs)
      })
      if (head !== null) state.pushedBytes -= bytes
      state.work.abort()
      return renewMs / 4
    },
    () => never,
  )
}

/** Looked at again here: `pushing` may just be about to find it. */
async function lacksBasis(state: State): Promise<boolean> {
  return !(await findBasis(state)) && !state.ended.signal.aborted
}
