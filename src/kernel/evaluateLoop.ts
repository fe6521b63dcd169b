import type { AlertEngine } from '../alerts/alertEngine.ts'
import type { Finding } from '../bridge/finding.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { ClockNews, CorrectedClock } from '../lib/correctedClock.ts'
import { errorText } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import type { RuleTimer } from '../lib/timings.ts'
import type { ClockJump } from '../lib/rebaseInstant.ts'
import { evaluateConditions } from '../rules/evaluateRules.ts'
import type { Moment } from '../rules/kind.ts'
import type { LoadedRule } from '../rules/types.ts'
import type { Database } from '../store/database.ts'

export interface EvaluateDeps {
  readonly db: Database
  readonly clock: Pick<CorrectedClock, 'now' | 'monotonicMs' | 'sleep' | 'look'>
  readonly log: Pick<Logger, 'error'>
  readonly engine: Pick<AlertEngine, 'flush'>
  /** Judges everything that is judged by the clock, inside the transaction. */
  readonly judge: (now: UnixMs) => void
  /** The machine slept: times that are kept in memory, once for each sleep. */
  readonly forgetSleep: (jump: ClockJump) => void
  /** The machine slept, or the wall clock was moved by much: inside the next transaction, before anything else. */
  readonly onClock: (news: ClockNews) => void
  /** An evaluation ended; why it came to nothing, null when it did not. A rule's own errors do not come here, so that it is the ledger that refused. */
  readonly onEnded: (failure: string | null, now: UnixMs) => void
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
/** After the machine slept every source is read once more before conditions are judged by new ages. */
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
      deps.db.transaction(() => deps.onClock(loop.pending))
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
    const due = Math.min(loop.scheduled + (missed + 1) * tickMs, nextDue ?? Infinity)
    await clock.sleep(Math.min(Math.max(due - now, 1), tickMs), loop.wake.signal)
    loop.scheduled = Math.min(clock.now(), Math.max(due, loop.scheduled))
    look(loop)
  }
}

function look(loop: Loop): void {
  const { counts, pending } = loop
  const { moved, slept } = loop.clock.look()
  if (moved !== null && isNoticeable(moved)) loop.counts = { ...counts, clockJumps: counts.clockJumps + 1 }
  if (slept !== null) {
    loop.scheduled = slept.now
    loop.settledAt = loop.clock.monotonicMs() + settleMs
    loop.forgetSleep(slept)
  }
  // What could not be saved yet is part of it.
  if (moved !== null || slept !== null)
    loop.pending = { moved: add(pending.moved, moved), slept: add(pending.slept, slept) }
}

function runOnce(loop: Loop, now: UnixMs): UnixMs | null {
  const { db, engine, log } = loop
  try {
    const next = db.transaction(() => {
      if (loop.pending !== nothing) loop.onClock(loop.pending)
      if (loop.clock.monotonicMs() >= loop.settledAt) loop.judge(now)
      return engine.flush(now)
    })
    loop.pending = nothing
    loop.counts = { ...loop.counts, total: loop.counts.total + 1, lastAt: now }
    loop.onEnded(null, now)
    return next
  } catch (error) {
    loop.counts = { ...loop.counts, total: loop.counts.total + 1, failed: loop.counts.failed + 1 }
    log.error({ err: error }, `evaluation failed: ${errorText(error)}`)
    loop.onEnded(errorText(error), now)
    return null
  }
}

const nothing: ClockNews = { moved: null, slept: null }

function add(before: ClockJump | null, after: ClockJump | null): ClockJump | null {
  if (before === null || after === null) return after ?? before
  return { ...after, byMs: before.byMs + after.byMs }
}

/** Whether a jump is more than what a time service corrects. */
export function isNoticeable({ byMs }: ClockJump): boolean {
  return Math.abs(byMs) > noticeableMs
}

/** An `unless` that cannot be answered fails its own rule and no other. */
function readExcuse(
  rule: LoadedRule,
  isFiring: (kind: string) => boolean,
): { holds: boolean } | { failure: string } {
  try {
    return { holds: rule.isExcused(isFiring) }
  } catch (error) {
    return { failure: errorText(error) }
  }
}

/** One evaluation of every condition, inside a transaction; `raised` are those that other parts hold to be true now. */
export function evaluate(
  of: {
    readonly engine: Pick<
      AlertEngine,
      'applyCondition' | 'excuseCondition' | 'keepCondition' | 'dropRules' | 'isFiring'
    >
    readonly rules: readonly LoadedRule[]
    readonly facts: Moment
    readonly raised: readonly Finding[]
    /** Measures what each rule takes. */
    readonly timer?: RuleTimer
  },
  now: UnixMs,
): void {
  const { engine, rules } = of
  const judged = evaluateConditions(rules, of.facts, of.raised, of.timer)
  of.timer?.done()
  for (const { rule, judgement, errors } of judged) {
    const failure = errors.find(({ subject }) => subject === null)?.error
    const excuse = failure === undefined ? readExcuse(rule, (kind) => engine.isFiring(kind)) : { failure }
    if ('failure' in excuse) engine.keepCondition(rule, excuse.failure, now)
    // An excused rule says nothing new, and takes nothing back either.
    else if (excuse.holds) engine.excuseCondition(rule, now)
    else engine.applyCondition(rule, judgement, now)
  }
  engine.dropRules(new Set(rules.map(({ name }) => name)), now)
}
