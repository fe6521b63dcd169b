import type { AlertEngine } from '../alerts/alertEngine.ts'
import { createOperations } from '../alerts/operations.ts'
import type { Finding } from '../bridge/finding.ts'
import type { UnixMs } from '../lib/clock.ts'
import { createEvaluateLoop } from '../kernel/evaluateLoop.ts'
import type { PollerStatus } from '../kernel/runner.ts'
import { matchFinding } from '../rules/evaluateRules.ts'
import type { Moment } from '../rules/kind.ts'
import type { LoadedRule } from '../rules/types.ts'
import type { PartDeps } from './createMonitor.ts'
import type { Base } from './openKernel.ts'
import { createCoverageNotes } from '../kernel/coverageNotes.ts'
import { createStateWatch } from '../checks/monitor/stateWatch.ts'
import { readRpcHealth } from '../kernel/rpcs.ts'
import type { createWatching } from './watching.ts'
import { toClockJump } from '../checks/monitor/ownFindings.ts'
import { readSharedFacts } from '../kernel/sharedFacts.ts'
import { readEscrowFacts } from '../checks/escrow/facts.ts'
import { createLatency } from '../ledger/readLatency.ts'

/** Everything that judges the present, and what people change by hand. */
export function createJudging(deps: PartDeps, base: Base, watching: ReturnType<typeof createWatching>) {
  const { clock, log } = deps
  const { config, db, engine, rules, sending, watch } = base
  const { pollerStatus, preconf, runner } = watching
  const rpcHealth = () => readRpcHealth(base.rpcs, config)
  const latency = createLatency(db)
  const shared = {
    ...base,
    dialect: config.explorer.dialect,
    intervals: base.intervals.byEndpoint,
    rpcHealth,
    latency,
    listLag: (now: UnixMs) => watching.audit.listLag(now),
    canonicalHead: () => preconf.canonicalHead(),
    pollers: pollerStatus,
  }
  const parts = (at: UnixMs) => [
    { preconf: preconf.facts(), rulesRejected: base.live.rejected },
    watching.audit.facts(),
    readEscrowFacts({ db, watch, horizons: base.horizons }, at),
    ...watching.partsOf(at),
  ]
  const facts = (at: UnixMs) =>
    parts(at).reduce<Moment>((all, part) => ({ ...all, ...part }), readSharedFacts(shared, at))
  const noteReadings = createCoverageNotes(db, pollerStatus)
  const evaluate = createEvaluateLoop({
    db,
    clock,
    log,
    engine,
    rules,
    facts,
    raised: createStateWatch(base.state),
    startRules: () => base.timings.startRules(),
    judgeMore: (at) => {
      noteReadings()
      base.eventRetries.tick(base.commit, at)
      if (runner.status().every(hasRun)) engine.releaseStart()
    },
    forgetSleep: (jump) => {
      base.explorer.rebaseClock(jump)
      runner.rebaseClock(jump)
      preconf.rebaseClock(jump)
    },
    onSlept: (jump) => engine.rebaseClock(jump.byMs, jump.now),
    onClockJump: (jump) => tellFinding(engine, rules(), toClockJump(jump), jump.now),
    onCommitted: () => (sending.distress.saved(clock.now()), base.onCommitted()),
    onFailed: (reason, at) => sending.distress.failed(reason, at),
  })
  base.clockFollowers.add(() => evaluate.followClock())
  const operations = {
    ...createOperations({
      store: base.alerts,
      log,
      now: () => clock.now(),
      onChanged: () => (evaluate.wake(), base.onCommitted()),
    }),
    rewindCursors: (until: UnixMs) => (watching.pollers.rewind(until), { until }),
  }
  return { evaluate, operations, rpcHealth }
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
