import type { AlertEngine } from '../alerts/alertEngine.ts'
import { createOperations } from '../alerts/operations.ts'
import type { Finding } from '../bridge/finding.ts'
import { toClockJump } from '../checks/monitor/clockJump.ts'
import type { OpenCheck } from '../kernel/check.ts'
import { createCoverageNotes } from '../kernel/coverageNotes.ts'
import { createEvaluateLoop } from '../kernel/evaluateLoop.ts'
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
  const noteReadings = createCoverageNotes(db, pollerStatus)
  const onChanged = () => {
    for (const run of after) run()
  }
  const evaluate = createEvaluateLoop({
    db,
    clock,
    log,
    engine,
    rules,
    facts: (at) =>
      opened.reduce<Moment>((all, check) => ({ ...all, ...check.facts(at) }), readSharedFacts(shared, at)),
    raised: (at) => opened.flatMap((check) => check.raised?.(at) ?? []),
    startRules: () => kernel.timings.startRules(),
    judgeMore: (at) => {
      noteReadings()
      kernel.eventRetries.tick(kernel.commit, at)
      if (runner.status().every(hasRun)) engine.releaseStart()
    },
    forgetSleep: (jump) => {
      kernel.explorer.rebaseClock(jump)
      runner.rebaseClock(jump)
      for (const check of opened) check.rebaseClock?.(jump)
    },
    onSlept: (jump) => engine.rebaseClock(jump.byMs, jump.now),
    onClockJump: (jump) => tellFinding(engine, rules(), toClockJump(jump), jump.now),
    onCommitted: () => (sending.distress.saved(clock.now()), onChanged()),
    onFailed: (reason, at) => sending.distress.failed(reason, at),
  })
  kernel.before.add(() => evaluate.followClock())
  const operations = {
    ...createOperations({
      store: kernel.alerts,
      log,
      clock,
      onChanged: () => (evaluate.wake(), onChanged()),
    }),
    rewindCursors: (until: UnixMs) => (kernel.list.rewind(until), { until }),
  }
  return { evaluate, operations }
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
