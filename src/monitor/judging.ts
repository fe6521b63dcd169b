import type { AlertEngine } from '../alerts/alertEngine.ts'
import { createOperations } from '../alerts/operations.ts'
import type { Finding } from '../bridge/finding.ts'
import { toClockJump } from '../checks/monitor/clockJump.ts'
import type { OpenCheck } from '../kernel/check.ts'
import { createCoverageNotes } from '../kernel/coverage.ts'
import { createEvaluateLoop, evaluate, isNoticeable } from '../kernel/evaluateLoop.ts'
import type { PollerStatus } from '../kernel/runner.ts'
import { readSharedFacts } from '../kernel/sharedFacts.ts'
import { createLatency } from '../ledger/readLatency.ts'
import type { UnixMs } from '../lib/clock.ts'
import { matchFinding } from '../rules/evaluateRules.ts'
import type { Moment } from '../rules/kind.ts'
import type { LoadedRule } from '../rules/types.ts'
import type { OpenedKernel } from './openKernel.ts'
import type { createWatching } from './watching.ts'

/** Everything that judges the present, and what people change by hand. */
export function createJudging(
  kernel: OpenedKernel,
  opened: readonly OpenCheck[],
  { pollerStatus, runner }: ReturnType<typeof createWatching>,
) {
  const { after, clock, db, engine, log, rules, sending } = kernel
  const shared = {
    ...kernel,
    intervals: kernel.intervals.byEndpoint,
    latency: createLatency(db),
    pollers: pollerStatus,
  }
  const readFacts = (at: UnixMs) =>
    opened.reduce<Moment>((all, check) => ({ ...all, ...check.facts(at) }), readSharedFacts(shared, at))
  const noteReadings = createCoverageNotes(db, pollerStatus)
  const onCommitted = () => {
    for (const run of after) run()
  }
  const evaluateLoop = createEvaluateLoop({
    db,
    clock,
    log,
    engine,
    judge(at) {
      const facts = readFacts(at)
      const raised = opened.flatMap((check) => check.raised?.(at) ?? [])
      evaluate({ engine, rules: rules(), facts, raised, timer: kernel.timings.startRules() }, at)
      noteReadings()
      kernel.eventRetries.tick(kernel.commit, at)
      if (runner.status().every(hasRun)) engine.releaseStart()
    },
    forgetSleep(jump) {
      kernel.explorer.rebaseClock(jump)
      runner.rebaseClock(jump)
      for (const check of opened) check.rebaseClock?.(jump)
    },
    onClock({ moved, slept }) {
      if (slept !== null) engine.rebaseClock(slept.byMs, slept.now)
      if (moved !== null && isNoticeable(moved)) tellFinding(engine, rules(), toClockJump(moved), moved.now)
    },
    onEnded(failure, at) {
      if (failure !== null) return sending.distress.failed(failure, at)
      sending.distress.saved(clock.now())
      onCommitted()
    },
  })
  kernel.before.add(() => evaluateLoop.followClock())
  const operations = {
    ...createOperations({
      store: kernel.alerts,
      log,
      clock,
      onChanged: () => (evaluateLoop.wake(), onCommitted()),
    }),
    rewindCursors: (until: UnixMs) => (kernel.list.rewind(until), { until }),
  }
  return { evaluate: evaluateLoop, operations }
}

function hasRun({ runs, lastSuccessAt, failures }: PollerStatus): boolean {
  return runs > 0 && (lastSuccessAt !== null || failures > 0)
}

/** A finding of the program about itself. */
export function tellFinding(
  engine: AlertEngine,
  rules: readonly LoadedRule[],
  finding: Finding,
  now: UnixMs,
): void {
  engine.tellEvents(matchFinding(rules, finding, now).matches, now)
}
