import type { Leave } from '../delivery/gateChannel.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import {
  endHolder,
  type HolderDeps,
  type HolderState,
  noteReached,
  readMoment,
  type Trouble,
  waitForProgress,
} from './holderState.ts'
import { type Lease, releaseLease, renewLease } from './lease.ts'
import { isSurelyHeld, renewMs } from './leaseTime.ts'
import { type Asked, noteNode } from './nodes.ts'
import { findBasis, isSnapshotDue, publish, pushBatch, wantSnapshot } from './pushing.ts'

export interface Holder {
  /** @param lease null: PostgreSQL could not be asked, and this node was the holder when it last ran */
  start(lease: Lease | null): void
  /** Something was committed. */
  wake(): void
  /**
   * Returns when what was committed so far is in PostgreSQL and nobody else can hold the lease: it may leave unmarked.
   * Where that takes longer than a message can wait it leaves marked; where another node holds the lease, never.
   */
  mayLeave(of: { readonly isCritical: boolean }): Promise<Leave>
  status(): HolderStatus
  /** Aborted with a HolderEnd once this node has to stop watching. */
  readonly ended: AbortSignal
  /** What somebody asked this node to do; null for nothing. */
  asked(): Asked | null
  /** Pushes what is left and gives the lease away. */
  stop(): Promise<void>
}

interface HolderStatus {
  readonly epoch: number
  /** Since when PostgreSQL does not do what is asked of it; null while it does. */
  readonly trouble: Trouble | null
  /** Changes that are not there yet. */
  readonly behind: number
  /** Whether followers have a copy to begin with. */
  readonly hasBasis: boolean
}

const retryMs = 500
/** Commits wake the pushing; this is for one that did not. */
const longestIdleMs = 250
const snapshotLookMs = 500
/** A copy of a whole ledger that fails costs disk and network: it is tried ever more rarely. */
const longestSnapshotRetryMs = 15_000
/** How long a message waits for PostgreSQL. */
const criticalWaitMs = 1_000
const otherWaitMs = 10_000
/** How long a stop waits for what is left to push. */
const stopMs = 3_000

/** The node that watches: it keeps its lease, and puts each commit into PostgreSQL. */
export function createHolder(deps: HolderDeps): Holder {
  const state: HolderState = {
    ...deps,
    epoch: deps.db.changes.state()?.epoch ?? 0,
    head: { seq: 0, hash: new Uint8Array() },
    renewedFrom: null,
    hasBasis: false,
    pushedBytes: 0,
    troubles: new Map(),
    isLost: false,
    asked: null,
    ending: new AbortController(),
    ended: new AbortController(),
    work: new AbortController(),
    progress: new AbortController(),
  }
  let loops: Promise<unknown> = Promise.resolve()
  return {
    start(lease) {
      if (lease === null)
        state.troubles.set('lease', {
          since: deps.clock.now(),
          sinceMs: deps.clock.monotonicMs(),
          problem: 'it was not reached at the start',
        })
      loops = Promise.all([
        loop(state, 'lease', { work: () => renew(state) }),
        loop(state, 'changes', { work: () => push(state), wake: () => state.work.signal }),
        loop(state, 'snapshot', {
          work: () => publishWhenDue(state),
          longestRetryMs: longestSnapshotRetryMs,
        }),
      ])
    },
    wake: () => state.work.abort(),
    mayLeave: (of) => mayLeave(state, of),
    status: () => ({
      epoch: state.epoch,
      trouble: firstTrouble(state),
      behind: (deps.db.changes.state()?.seq ?? 0) - state.head.seq,
      hasBasis: state.hasBasis,
    }),
    ended: state.ended.signal,
    asked: () => state.asked,
    async stop() {
      saveWaiting(state)
      const deadline = deps.clock.monotonicMs() + stopMs
      const isDone = () => state.isLost || hasAll(state, deps.db.changes.state()?.seq ?? 0)
      while (!isDone() && deps.clock.monotonicMs() < deadline) {
        state.work.abort()
        await waitForProgress(state, deadline)
      }
      state.ending.abort()
      state.work.abort()
      await loops
      if (!isDone() || state.isLost) return
      await releaseLease(deps.lease.query, deps, state.epoch).catch((error: unknown) =>
        deps.log.warn(`the lease could not be given away, it ends by itself: ${errorText(error)}`),
      )
    },
  }
}

/** What is held in memory for a full disk is no change yet. */
function hasAll({ hasBasis, head, db }: HolderState, seq: number): boolean {
  return hasBasis && head.seq >= seq && !db.held.isHeld()
}

/** A commit that waits for the next one is no change yet; nothing is ordered by it. */
function saveWaiting({ db, log }: HolderState): void {
  try {
    db.held.save()
  } catch (error) {
    // The disk's trouble is told by whoever commits next.
    log.debug(`what waits could not be saved: ${errorText(error)}`)
  }
}

async function mayLeave(
  state: HolderState,
  { isCritical }: { readonly isCritical: boolean },
): Promise<Leave> {
  const seq = state.db.changes.state()?.seq ?? 0
  const deadline = deadlineOf(state, isCritical ? criticalWaitMs : otherWaitMs)
  for (;;) {
    if (state.isLost) return { may: false, reason: 'another node holds the lease' }
    if (hasAll(state, seq) && isSurelyHeld(state.renewedFrom, readMoment(state)))
      return { may: true, mark: null }
    if (state.clock.monotonicMs() >= deadline) return { may: true, mark: sayWhy(state) }
    state.work.abort()
    await waitForProgress(state, deadline)
  }
}

/** In an outage that lasts already nobody waits again, or a storm would leave one message at a time. */
function deadlineOf(state: HolderState, waitMs: number): number {
  const now = state.clock.monotonicMs()
  const from = firstTrouble(state)?.sinceMs ?? now
  return Math.max(Math.min(from, now) + waitMs, now)
}

function firstTrouble({ troubles }: HolderState): Trouble | null {
  return [...troubles.values()].toSorted((a, b) => a.since - b.since)[0] ?? null
}

function sayWhy(state: HolderState): string {
  const trouble = firstTrouble(state)
  if (trouble !== null)
    return `may come twice: replicas cannot be reached since ${new Date(trouble.since).toISOString()}`
  return state.hasBasis
    ? 'may come twice: replicas have not taken over yet what led to it'
    : 'may come twice: replicas have no whole copy of the ledger yet'
}

/** Runs `work` over and over; it says how long to wait then. What it throws is trouble with PostgreSQL. */
async function loop(
  state: HolderState,
  name: string,
  of: {
    readonly work: () => Promise<number>
    readonly wake?: () => AbortSignal
    /** Left out, each retry comes as soon as the first. */
    readonly longestRetryMs?: number
  },
): Promise<void> {
  const { clock, ending, troubles, log } = state
  const { work, wake = () => ending.signal, longestRetryMs = retryMs } = of
  let failedMs = retryMs
  while (!ending.signal.aborted && !state.isLost) {
    let waitMs = failedMs
    try {
      waitMs = await work()
      failedMs = retryMs
      if (troubles.delete(name)) log.info({ what: name }, 'PostgreSQL does again what is asked of it')
    } catch (error) {
      failedMs = Math.min(failedMs * 2, longestRetryMs)
      noteTrouble(state, name, error)
    }
    await clock.sleep(waitMs, wake())
  }
}

function noteTrouble({ troubles, clock, log }: HolderState, name: string, error: unknown): void {
  const problem = errorText(error)
  const before = troubles.get(name)
  troubles.set(name, {
    since: before?.since ?? clock.now(),
    sinceMs: before?.sinceMs ?? clock.monotonicMs(),
    problem,
  })
  if (before === undefined || !(error instanceof MonitorError))
    log.error({ err: error, what: name }, `what is committed cannot be replicated: ${problem}`)
}

async function renew(state: HolderState): Promise<number> {
  const from = readMoment(state)
  const lease = await renewLease(state.lease.query, state, state.epoch)
  if (lease === null) {
    endHolder(state, 'lost')
    return 0
  }
  noteReached(state, from)
  const { program, pageUrl } = state
  const seq = state.db.changes.state()?.seq ?? 0
  const asked = await noteNode(state.lease.query, state, { role: 'holder', seq, program, pageUrl })
  if (asked === 'snapshot') wantSnapshot(state)
  else state.asked ??= asked
  if (state.asked !== null || (lease.wanted !== null && lease.wanted !== state.node))
    endHolder(state, 'asked')
  return renewMs
}

async function push(state: HolderState): Promise<number> {
  if (!state.hasBasis && !(await findBasis(state))) return retryMs
  state.work = new AbortController()
  while (await pushBatch(state)) if (state.ending.signal.aborted) return 0
  return state.hasBasis ? longestIdleMs : 0
}

async function publishWhenDue(state: HolderState): Promise<number> {
  if (!(await isSnapshotDue(state))) return snapshotLookMs
  const isThere = await publish(state)
  state.work.abort()
  return isThere ? snapshotLookMs : longestSnapshotRetryMs
}
