import type { AlertEngine } from '../alerts/alertEngine.ts'
import { toClockJump } from '../checks/monitor/clockJump.ts'
import type { Distress } from '../delivery/distress.ts'
import type { OpenCheck } from '../kernel/check.ts'
import { tellFinding } from '../kernel/evaluate.ts'
import type { LiveRules } from '../kernel/kernel.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { ClockNews, CorrectedClock } from '../lib/correctedClock.ts'
import { errorText } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import type { ClockJump } from '../lib/rebaseInstant.ts'
import { DamagedLedger } from '../store/damage.ts'
import type { Database } from '../store/database.ts'

export interface EvaluateDeps {
  readonly db: Database
  readonly clock: Pick<CorrectedClock, 'now' | 'monotonicMs' | 'sleep' | 'look'>
  readonly log: Pick<Logger, 'error'>
  readonly engine: Pick<AlertEngine, 'flush' | 'rebaseClock' | 'tellEvents'>
  readonly live: Pick<LiveRules, 'rules'>
  /** Says that nothing can be saved. A rule's own errors do not come here, so that it is the ledger that refused. */
  readonly distress: Pick<Distress, 'failed' | 'saved'>
  /** What waits for each commit. */
  readonly after: Iterable<() => void>
  /** What keeps times in memory: set on once for each sleep of the machine, and by nothing where the process alone stood still. */
  readonly sleepers: readonly Pick<OpenCheck, 'rebaseClock'>[]
  /** Judges everything that is judged by the clock, inside the transaction. */
  readonly judge: (now: UnixMs) => void
}

interface EvaluationCounts {
  readonly total: number
  readonly failed: number
  readonly missed: number
  readonly lastAt: UnixMs | null
  readonly clockJumps: number
}

export interface EvaluateLoop {
  start(): void
  /** Evaluates at the next turn of the event loop instead of at the next tick. */
  wake(): void
  /** Before anything is saved: what the clock did since the last evaluation. */
  followClock(): void
  counts(): EvaluationCounts
  stop(): Promise<void>
}

const tickMs = 1_000
/** After the machine slept, or the process stood still, every source is read once more before conditions are judged by new ages. */
const settleMs = 15_000
const noticeableMs = 30_000

/**
 * Judges every condition once a second: a level, not an edge, so that what is true is found again after any crash.
 * An evaluation that takes longer than a tick skips ticks, and counts them; two never run at once.
 */
export function createEvaluateLoop(deps: EvaluateDeps): EvaluateLoop {
  const loop: Loop = {
    ...deps,
    ending: new AbortController(),
    wake: new AbortController(),
    counts: { total: 0, failed: 0, missed: 0, lastAt: null, clockJumps: 0 },
    pending: nothing,
    settledAt: -Infinity,
    stoodStill: false,
    scheduled: -Infinity,
  }
  let running: Promise<void> | null = null
  return {
    start() {
      running ??= run(loop)
    },
    wake: () => loop.wake.abort(),
    followClock() {
      look(loop)
      if (loop.pending === nothing) return
      deps.db.transaction(() => noteClock(loop))
      loop.pending = nothing
    },
    counts: () => loop.counts,
    async stop() {
      loop.ending.abort()
      loop.wake.abort()
      await running
    },
  }
}

interface Loop extends EvaluateDeps {
  readonly ending: AbortController
  wake: AbortController
  counts: EvaluationCounts
  /** What the clock did that is not saved yet. */
  pending: ClockNews
  /** When conditions are judged again after a sleep, by the clock that nobody sets. */
  settledAt: number
  /** Whether the newest turn came far too late. */
  stoodStill: boolean
  scheduled: UnixMs
}

async function run(loop: Loop): Promise<void> {
  const { clock } = loop
  loop.scheduled = clock.now()
  while (!loop.ending.signal.aborted) {
    loop.wake = new AbortController()
    const nextDue = runOnce(loop, loop.scheduled)
    const now = clock.now()
    const missed = Math.max(0, Math.floor((now - loop.scheduled) / tickMs) - 1)
    loop.counts = { ...loop.counts, missed: loop.counts.missed + missed }
    // What is due still though it was judged comes no sooner than with the next tick: time goes on whatever it is.
    const isAhead = nextDue !== null && nextDue > loop.scheduled
    const due = Math.min(loop.scheduled + (missed + 1) * tickMs, isAhead ? nextDue : Infinity)
    const restMs = Math.min(Math.max(due - now, 1), tickMs)
    const from = clock.monotonicMs()
    await clock.sleep(restMs, loop.wake.signal)
    noticeStandstill(loop, clock.monotonicMs() - from - restMs)
    loop.scheduled = Math.min(clock.now(), Math.max(due, loop.scheduled))
    look(loop)
  }
}

/**
 * The process was stopped, as by a suspended container. On a machine that is always that late it is judged all the same:
 * only the first such turn waits.
 */
function noticeStandstill(loop: Loop, lateMs: number): void {
  const stoodStill = lateMs > noticeableMs
  if (stoodStill && !loop.stoodStill) {
    loop.settledAt = loop.clock.monotonicMs() + settleMs
    const jump = { byMs: 0, now: loop.clock.now() }
    for (const sleeper of loop.sleepers) sleeper.rebaseClock?.(jump)
  }
  loop.stoodStill = stoodStill
}

function look(loop: Loop): void {
  const { counts, pending } = loop
  const { moved, slept } = loop.clock.look()
  if (moved !== null && isNoticeable(moved)) loop.counts = { ...counts, clockJumps: counts.clockJumps + 1 }
  if (slept !== null) {
    loop.scheduled = slept.now
    loop.settledAt = loop.clock.monotonicMs() + settleMs
    for (const sleeper of loop.sleepers) sleeper.rebaseClock?.(slept)
  }
  // What could not be saved yet is part of it.
  if (moved !== null || slept !== null)
    loop.pending = { moved: add(pending.moved, moved), slept: add(pending.slept, slept) }
}

function runOnce(loop: Loop, now: UnixMs): UnixMs | null {
  const { db, engine, log } = loop
  try {
    const next = db.transaction(() => {
      if (loop.pending !== nothing) noteClock(loop)
      if (loop.clock.monotonicMs() >= loop.settledAt) loop.judge(now)
      return engine.flush(now)
    })
    loop.pending = nothing
    loop.counts = { ...loop.counts, total: loop.counts.total + 1, lastAt: now }
    loop.distress.saved(loop.clock.now())
    for (const notify of loop.after) notify()
    return next
  } catch (error) {
    loop.counts = { ...loop.counts, total: loop.counts.total + 1, failed: loop.counts.failed + 1 }
    log.error({ err: error }, `evaluation failed: ${errorText(error)}`)
    // A damaged ledger ends the process, which tells it itself.
    if (!(error instanceof DamagedLedger)) loop.distress.failed(errorText(error), now)
    return null
  }
}

/** The machine slept, or the wall clock was moved by much: inside a transaction, before anything else is judged. */
function noteClock({ engine, live, pending: { moved, slept } }: Loop): void {
  if (slept !== null) engine.rebaseClock(slept.byMs, slept.now)
  if (moved !== null && isNoticeable(moved)) tellFinding(engine, live.rules, toClockJump(moved), moved.now)
}

const nothing: ClockNews = { moved: null, slept: null }

function add(before: ClockJump | null, after: ClockJump | null): ClockJump | null {
  if (before === null || after === null) return after ?? before
  return { ...after, byMs: before.byMs + after.byMs }
}

/** Whether a jump is more than what a time service corrects. */
function isNoticeable({ byMs }: ClockJump): boolean {
  return Math.abs(byMs) > noticeableMs
}
