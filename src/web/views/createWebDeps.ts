import { openBreakSources } from '../../breaks/breakSources.ts'
import { type JudgedBreaks, judgeBreaks, readBreakList } from '../../breaks/listBreaks.ts'
import { listShownEntries } from '../../breaks/showEntry.ts'
import { kinds } from '../../checks/index.ts'
import { listUnwatched } from '../../config/listUnwatched.ts'
import { type Clock, createSystemClock } from '../../lib/clock.ts'
import { createChartDrawer } from '../../lib/drawChart.ts'
import type { Logger } from '../../lib/log.ts'
import { watchLoopLag } from '../../lib/loopLag.ts'
import { runInSlices } from '../../lib/steps.ts'
import type { AppParts } from '../../monitor/createMonitor.ts'
import { windowOf } from '../../report/reportDay.ts'
import { createReportStore } from '../../report/store.ts'
import { addUntold } from '../../rules/addUntold.ts'
import { createRegistry } from '../metrics.ts'
import type { MetricsFacts, WebDeps } from '../types.ts'
import type { StatusSnapshot } from '../statusFacts.ts'
import { readGate } from '../gate/readGate.ts'
import { toGateView } from '../gate/toGateView.ts'
import { toPageOf } from '../readBreakQuery.ts'
import type { EscrowSources } from './readEscrowStory.ts'
import { readRules } from './readRules.ts'
import { readRuleTests } from './readRuleTests.ts'
import { nothingKept, nothingRenewed, readKept, readRenewed } from './kept.ts'
import { readNormal } from './readSeries.ts'
import { readPreconf, readStatus } from './readStatus.ts'
import { toCaseSettings } from './toCaseView.ts'
import { toOutboxView } from './toOutboxView.ts'
import { forgetAfter, listTransfers, mostListed, readNamed } from './pageLists.ts'

/** Many open pages cost what two readings a second do; what changes slowly is read less often. */
const quickMs = 500

const slowMs = 15_000

/** Files that people change now and then. */
const ruleTestsMs = 120_000

/** In a storm there are thousands, and to judge them takes a while. */
const breaksMs = 3_000

const oldBreaksMs = 10_000

/** What the HTTP side reads of the monitor. */
export function createWebDeps(deps: { clock: Clock; log: Logger }, parts: AppParts): WebDeps {
  const now = () => deps.clock.now()
  const real = createSystemClock()
  const loop = watchLoopLag(real)
  const { db, alerts } = parts
  const left = listUnwatched(parts.config, kinds.all)
  const settings = toCaseSettings(parts.config)
  const named = readNamed(parts, settings, now)
  const judgedBreaks = nothingRenewed<JudgedBreaks>(breaksMs, oldBreaksMs)
  const normal = nothingKept<ReturnType<typeof readNormal>>(slowMs)
  const ruleTests = nothingKept<ReturnType<typeof readRuleTests>>(ruleTestsMs)
  const kept = nothingKept<StatusSnapshot>(quickMs)
  const readAt = () => ({
    normal: readKept(normal, real.monotonicMs(), () => readNormal(db, now())),
    settings,
  })
  const status = () => readKept(kept, real.monotonicMs(), () => readStatus(parts, readAt(), now()))
  const accesses: WebDeps['accesses'] = new Map()
  const { registry, ...observer } = createRegistry({
    collect: () => ({ ...toMetrics(parts, status(), loop.read()), accesses }),
  })
  parts.timings.observers.add(observer)
  return {
    ...named,
    // A reader's connection lives in real time, whatever the speed of the world that is watched.
    clock: { ...real, now },
    log: deps.log,
    registry,
    accesses,
    db,
    links: parts.config.explorer.links.tx,
    readStatus: status,
    charts: createChartDrawer(),
    series: nothingKept(slowMs),
    readRules() {
      const { rules } = parts.live
      const tests = readKept(ruleTests, real.monotonicMs(), () => readRuleTests(parts.config.rulesDir))
      const sources = { db, alerts, rules, coverage: status().coverage, unwatched: left, tests }
      return { rules: readRules(sources, now()), unwatched: addUntold(rules, left, kinds) }
    },
    dailyReport: parts.config.reports.daily,
    listOutbox: (state) =>
      alerts.listOutbox({ state, limit: mostListed }).map((item) => toOutboxView(alerts, item)),
    listTransfers: (filter) => listTransfers(parts, filter, now()),
    askGate: (name, asked) => toGateView(readGate(parts, name, asked, now())),
    operations: forgetAfter(parts.operations, () => (kept.now = judgedBreaks.now = null), named.showCase),
    async readBreaks(query, entries) {
      const sources = openBreakSources({ ...parts, tokens: parts.config.bridge.tokens })
      const judge = () => runInSlices(judgeBreaks(sources, now()), real)
      const judged = query && (await readRenewed(judgedBreaks, real.monotonicMs(), judge))
      return {
        page: query && judged && toPageOf(query, readBreakList(sources, query, now(), judged)),
        entries: listShownEntries(sources, entries, now()),
      }
    },
    escrows: toEscrowSources(parts),
    listeners: parts.after,
    replica: parts.replica,
    health: { ...parts, pollers: parts.pollerStatus },
    loopLag: loop,
  }
}

function toEscrowSources({ db, ledger, config }: AppParts): EscrowSources {
  const { tokens } = config.bridge
  return { db, ledger, tokens, hasNode: config.canonical !== null || config.preconf !== null }
}

/** The end of the newest reported day; null without a daily report. */
function readLastReportAt({ db, config }: AppParts): number | null {
  const reports = config.reports.daily
  const day = reports === null ? null : createReportStore(db).readLastDay()
  return day === null || reports === null ? null : (windowOf(day, reports.timezone)?.until ?? null)
}

function toMetrics(
  parts: AppParts,
  status: MetricsFacts['status'],
  eventLoopLagMs: number,
): Omit<MetricsFacts, 'accesses'> {
  const { total, failed, missed } = parts.evaluate.counts()
  const pace = parts.explorer.paceMetrics()
  const { tail, sweep } = parts.cursors.read()
  const cursors = [
    // What is kept of it is only as new as the newest record.
    { cursor: 'transfers', at: parts.list.readAt ?? tail.completeAt },
    { cursor: 'sweep', at: sweep.finishedAt },
  ]
  return {
    status,
    evaluations: { total, failed, missed },
    notifications: parts.sending.counts.list().map((entry) => ({ ...entry, reason: '' })),
    preconf: readPreconf(parts, status.now),
    requests: [
      {
        source: 'explorer',
        inFlight: pace.inFlight,
        waiting: pace.queued,
        waitedSeconds: pace.waitedMs / 1_000,
        rate: pace.requestsPerSecond,
        total: pace.requests,
        failed: parts.runner.status().reduce((sum, { errors }) => sum + errors, 0),
        throttleSigns: pace.throttleSigns,
      },
    ],
    cursors: cursors.flatMap(({ cursor, at }) => (at === null ? [] : [{ cursor, at }])),
    stateBytes: parts.state.bytes(),
    stateCommitsFailed: parts.state.commitsFailed(),
    clockJumps: parts.evaluate.counts().clockJumps,
    eventLoopLagMs,
    lastReportAt: readLastReportAt(parts),
    checks: Object.assign({}, ...[...parts.opened.values()].map((check) => check.metrics?.() ?? {})),
  }
}
