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
  readonly engine: Pick<
    AlertEngine,
    'applyCondition' | 'excuseCondition' | 'keepCondition' | 'dropRules' | 'flush' | 'isFiring'
  >
  rules(): readonly LoadedRule[]
  facts(now: UnixMs): Moment
  /** Conditions that other parts hold to be true now. */
  raised(now: UnixMs): readonly Finding[]
  /** Inside the transaction, after the rules: what is judged of the monitor itself. */
  judgeMore(now: UnixMs): void
  /** Measures what each rule takes. */
  startRules?(): RuleTimer
  /** The machine slept: times that are kept in memory, once for each sleep. */
  forgetSleep(jump: ClockJump): void
  /** The same for times that are saved; inside the transaction of the next evaluation, before anything else. */
  onSlept(jump: ClockJump): void
  /** The wall clock was moved by much; inside that transaction too. */
  onClockJump(jump: ClockJump): void
  onCommitted(): void
  /** The evaluation came to nothing: a rule's own errors do not come here, so that it is the ledger that refused. */
  onFailed(reason: string, now: UnixMs): void
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
/** Less is what a time service corrects, and not told. */
const noticeableMs = 30_000

/**
 * Judges every condition once a second: a level, not an edge, so that what is true is found again after any crash.
 * An evaluation that takes longer than a tick skips ticks, and counts them; two never run at once.
 */
export function createEvaluateLoop(deps: EvaluateDeps): EvaluateLoop {
  const ending = new AbortController()
  let wake = new AbortController()
  let running: Promise<void> | null = null
  let counts: EvaluationCounts = { total: 0, failed: 0, missed: 0, lastAt: null, clockJumps: 0 }
  let pending: ClockNews = nothing
  let settledAt = -Infinity
  let scheduled: UnixMs = -Infinity

  async function loop(): Promise<void> {
    scheduled = deps.clock.now()
    while (!ending.signal.aborted) {
      wake = new AbortController()
      const nextDue = runOnce(scheduled)
      const now = deps.clock.now()
      const missed = Math.max(0, Math.floor((now - scheduled) / tickMs) - 1)
      counts = { ...counts, missed: counts.missed + missed }
      const due = Math.min(scheduled + (missed + 1) * tickMs, nextDue ?? Infinity)
      await deps.clock.sleep(Math.min(Math.max(due - now, 1), tickMs), wake.signal)
      scheduled = Math.min(deps.clock.now(), Math.max(due, scheduled))
      look()
    }
  }

  function look(): void {
    const { moved, slept } = deps.clock.look()
    if (moved !== null && isNoticeable(moved)) counts = { ...counts, clockJumps: counts.clockJumps + 1 }
    if (slept !== null) {
      scheduled = slept.now
      settledAt = deps.clock.monotonicMs() + settleMs
      deps.forgetSleep(slept)
    }
    // What could not be saved yet is part of it.
    if (moved !== null || slept !== null)
      pending = { moved: add(pending.moved, moved), slept: add(pending.slept, slept) }
  }

  function applyPending(): void {
    const { moved, slept } = pending
    if (slept !== null) deps.onSlept(slept)
    if (moved !== null && isNoticeable(moved)) deps.onClockJump(moved)
  }

  function evaluateOnce(now: UnixMs): UnixMs | null {
    applyPending()
    return deps.clock.monotonicMs() < settledAt ? deps.engine.flush(now) : evaluate(deps, now)
  }

  function runOnce(now: UnixMs): UnixMs | null {
    try {
      const next = deps.db.transaction(() => evaluateOnce(now))
      pending = nothing
      counts = { ...counts, total: counts.total + 1, lastAt: now }
      deps.onCommitted()
      return next
    } catch (error) {
      counts = { ...counts, total: counts.total + 1, failed: counts.failed + 1 }
      deps.log.error({ err: error }, `evaluation failed: ${errorText(error)}`)
      deps.onFailed(errorText(error), now)
      return null
    }
  }

  return {
    start() {
      running ??= loop()
    },
    wake: () => wake.abort(),
    followClock() {
      look()
      if (pending === nothing) return
      deps.db.transaction(applyPending)
      pending = nothing
    },
    counts: () => counts,
    async stop() {
      ending.abort()
      wake.abort()
      await running
    },
  }
}

const nothing: ClockNews = { moved: null, slept: null }

function add(before: ClockJump | null, after: ClockJump | null): ClockJump | null {
  if (before === null || after === null) return after ?? before
  return { ...after, byMs: before.byMs + after.byMs }
}

function isNoticeable({ byMs }: ClockJump): boolean {
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

/**
 * One evaluation of every condition, inside a transaction.
 * @returns when something is due at the latest, null when nothing waits
 */
export function evaluate(
  deps: Pick<EvaluateDeps, 'engine' | 'rules' | 'facts' | 'raised' | 'judgeMore' | 'startRules'>,
  now: UnixMs,
): UnixMs | null {
  const rules = deps.rules()
  const facts = deps.facts(now)
  const isFiring = (kind: string) => deps.engine.isFiring(kind)
  const timer = deps.startRules?.()
  const judged = evaluateConditions(rules, facts, deps.raised(now), timer)
  timer?.done()
  for (const { rule, judgement, errors } of judged) {
    const failure = errors.find(({ subject }) => subject === null)?.error
    const excuse = failure === undefined ? readExcuse(rule, isFiring) : { failure }
    if ('failure' in excuse) deps.engine.keepCondition(rule, excuse.failure, now)
    // An excused rule says nothing new, and takes nothing back either.
    else if (excuse.holds) deps.engine.excuseCondition(rule, now)
    else deps.engine.applyCondition(rule, judgement, now)
  }
  deps.engine.dropRules(new Set(rules.map(({ name }) => name)), now)
  deps.judgeMore(now)
  return deps.engine.flush(now)
}
