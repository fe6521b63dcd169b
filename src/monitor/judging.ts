import { listFollowing } from '../delivery/channels/createChannel.ts'
import { createOperations, recordRewind } from '../alerts/operations.ts'
import { createBreakOperations } from '../breaks/operations.ts'
import { kinds } from '../checks/index.ts'
import type { OpenCheck } from '../kernel/check.ts'
import { createCoverageNotes } from '../kernel/running/coverage.ts'
import { evaluate } from '../kernel/evaluate.ts'
import type { PollerStatus } from '../kernel/running/runner.ts'
import { listWatched, readSharedFacts } from '../kernel/sharedFacts.ts'
import { createLatency } from '../ledger/transfers/readLatency.ts'
import type { UnixMs } from '../lib/clock.ts'
import { MonitorError } from '../lib/errors.ts'
import type { Actor } from '../store/actor.ts'
import { attempt } from '../store/misread.ts'
import type { Moment } from '../rules/kind.ts'
import { createEvaluateLoop } from './evaluateLoop.ts'
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
    watched: listWatched(kernel.config.explorer.dialect),
    pollers: pollerStatus,
  }
  const readers = [
    (at: UnixMs) => readSharedFacts(shared, at),
    ...opened.map((check) => (at: UnixMs) => check.facts(at)),
  ]
  const noteReadings = createCoverageNotes(db, pollerStatus)
  const evaluateLoop = createEvaluateLoop({
    db,
    clock,
    log,
    engine,
    live: kernel.live,
    distress: sending.distress,
    after,
    sleepers: [kernel.explorer, runner, ...opened],
    judge(at) {
      const facts = readFacts(kernel, readers, at)
      const raised = opened.flatMap((check) => check.raised?.(at) ?? [])
      evaluate({ engine, rules: rules(), facts, raised, timer: kernel.timings.startRules() }, at)
      noteReadings()
      kernel.eventRetries.tick(kernel.commit, at)
      if (runner.status().every(hasRun)) engine.releaseStart()
    },
  })
  kernel.before.add(() => evaluateLoop.followClock())
  const following = listFollowing(kernel.config.channels)
  const operations = {
    ...createOperations({
      store: kernel.alerts,
      kinds,
      vocabulary: {
        get rules() {
          return rules()
        },
        channels: kernel.channels.map(({ name }) => name),
        symbols: kernel.config.bridge.tokens.map(({ symbol }) => symbol),
      },
      log,
      clock,
      following,
      onChanged() {
        evaluateLoop.wake()
        for (const run of after) run()
      },
    }),
    ...createBreakOperations({ ...kernel, tokens: kernel.config.bridge.tokens, following }),
    rewindCursors(until: UnixMs, actor: Actor) {
      db.transaction(() => recordRewind(db, actor, until, clock.now()))
      kernel.list.rewind(until)
      return { until }
    },
  }
  return { evaluate: evaluateLoop, operations }
}

function hasRun({ runs, lastSuccessAt, failures }: PollerStatus): boolean {
  return runs > 0 && (lastSuccessAt !== null || failures > 0)
}

/**
 * What conditions are judged on. A row that cannot be read withholds the part that it belongs to: rules that look at it fail, and keep
 * the state of their alerts; all others are judged.
 */
function readFacts(
  { db }: Pick<OpenedKernel, 'db'>,
  readers: readonly ((now: UnixMs) => object)[],
  now: UnixMs,
): Moment {
  const facts: Moment = { now }
  let problem: string | null = null
  for (const read of readers) {
    const failed = attempt(db, () => void Object.assign(facts, read(now)))
    problem ??= failed
  }
  if (problem === null) return facts
  return new Proxy(facts, {
    get(of, name) {
      if (!(name in of)) throw new MonitorError('state.invalid', problem)
      return Reflect.get(of, name)
    },
  })
}
