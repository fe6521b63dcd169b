import { findCaseNamed } from '../../alerts/caseOperations.ts'
import { findAlert, type Operations } from '../../alerts/operations.ts'
import { openBreakSources } from '../../breaks/breakSources.ts'
import { type JudgedBreaks, judgeBreaks, readBreakList } from '../../breaks/listBreaks.ts'
import type { BreakOperations } from '../../breaks/operations.ts'
import { listShownEntries } from '../../breaks/showEntry.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import { kinds } from '../../checks/index.ts'
import { listUnwatched } from '../../config/listUnwatched.ts'
import {
  type Place,
  readHashEnds,
  type TransferFilter as LedgerFilter,
} from '../../ledger/transfers/transferFilter.ts'
import { type Clock, createSystemClock, type UnixMs } from '../../lib/clock.ts'
import { createChartDrawer } from '../../lib/drawChart.ts'
import type { Logger } from '../../lib/log.ts'
import { watchLoopLag } from '../../lib/loopLag.ts'
import { runInSlices } from '../../lib/steps.ts'
import type { AppParts } from '../../monitor/createMonitor.ts'
import { windowOf } from '../../report/reportDay.ts'
import { createReportStore } from '../../report/store.ts'
import { addUntold } from '../../rules/addUntold.ts'
import { createRegistry } from '../metrics.ts'
import type { AlertView } from '../caseTypes.ts'
import type {
  AlertQuery,
  MetricsFacts,
  TransferFilter,
  TransferPage,
  TransferStory,
  WebDeps,
  WebOperations,
} from '../types.ts'
import type { StatusSnapshot } from '../statusFacts.ts'
import { readGate } from '../gate/readGate.ts'
import { toGateView } from '../gate/toGateView.ts'
import { toPageOf } from '../readBreakQuery.ts'
import { listOpenBySeverity, searchAlerts } from './pageQueries.ts'
import type { EscrowSources } from './readEscrowStory.ts'
import { readRules } from './readRules.ts'
import { readRuleTests } from './readRuleTests.ts'
import { nothingKept, nothingRenewed, readKept, readRenewed } from './kept.ts'
import { readNormal } from './readSeries.ts'
import { readPreconf, readStatus } from './readStatus.ts'
import { toAlertStory } from './toAlertStory.ts'
import { createAlertViews, toAlertView } from './toAlertView.ts'
import {
  type CaseSettings,
  type CaseStorySource,
  listCaseViews,
  toCaseSettings,
  toCaseStory,
  toFinding,
} from './toCaseView.ts'
import { toOutboxView } from './toOutboxView.ts'

/** Many open pages cost what two readings a second do; what changes slowly is read less often. */
const quickMs = 500

const slowMs = 15_000

/** Files that people change now and then. */
const ruleTestsMs = 120_000

/** In a storm there are thousands, and to judge them takes a while. */
const breaksMs = 3_000
const oldBreaksMs = 10_000

const mostListed = 500

const mostFound = 50

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

/** Alerts, and what names them. */
function readNamed(
  parts: AppParts,
  settings: CaseSettings,
  now: () => UnixMs,
): Pick<WebDeps, 'listAlerts' | 'showAlert' | 'listCases' | 'showCase' | 'showTransfer'> {
  const { alerts } = parts
  const views = () => ({
    ...createAlertViews(alerts, parts.live.rules, now(), parts.clockLeadMs()),
    ...settings,
  })
  return {
    listAlerts: (query) => listAlerts(parts, views(), query),
    showAlert: (id) => toAlertStory(views(), findAlert(alerts, id), settings.links),
    listCases: (query) => listCaseViews(views(), query),
    showCase: (id) => toCaseStory(views(), findCaseNamed(alerts, id)),
    showTransfer: (name) =>
      showTransfer(parts, name).map((transfer) => toStory(parts, views(), transfer, now())),
  }
}

function listAlerts(
  { alerts, db }: AppParts,
  source: CaseStorySource,
  { text, case: caseId, bySeverity = false, limit = mostListed, offset = 0, ...query }: AlertQuery,
): AlertView[] {
  if (caseId !== undefined)
    return alerts
      .listCaseAlerts(findCaseNamed(alerts, caseId).id, limit, offset)
      .map((row) => toFinding(source, row))
  const rows =
    text !== undefined
      ? searchAlerts(db, text, mostFound)
      : bySeverity
        ? listOpenBySeverity(db, limit, offset)
        : alerts.listAlerts({ ...query, limit, offset })
  return rows.map((row) => toAlertView(source, row))
}

/** What a person changed shows at once. */
function forgetAfter(
  operations: Operations & BreakOperations & Pick<WebOperations, 'rewindCursors'>,
  forget: () => unknown,
  showCase: WebDeps['showCase'],
): WebOperations {
  const then = <T>(result: T): T => (forget(), result)
  return {
    ackAlert: (...given) => then(operations.ackAlert(...given)),
    changeCase: (...given) => showCase(`c${then(operations.changeCase(...given)).id}`),
    addSilence: (...given) => then(operations.addSilence(...given)),
    previewSilence: (input) => operations.previewSilence(input),
    expireSilence: (...given) => then(operations.expireSilence(...given)),
    retryOutbox: (...given) => then(operations.retryOutbox(...given)),
    dropOutbox: (...given) => then(operations.dropOutbox(...given)),
    matchBreaks: (...given) => then(operations.matchBreaks(...given)),
    writeOffBreak: (...given) => then(operations.writeOffBreak(...given)),
    undoEntry: (...given) => then(operations.undoEntry(...given)),
    rewindCursors: (...given) => then(operations.rewindCursors(...given)),
  }
}

function listTransfers(parts: AppParts, filter: TransferFilter, now: UnixMs): TransferPage {
  const { tokens } = parts.config.bridge
  const text = filter.text === null ? {} : toTextFilter(filter.text, tokens)
  const token = filter.token === null ? null : (addressOf(filter.token, tokens) ?? filter.token)
  if (token !== null && text.token !== undefined && text.token.toLowerCase() !== token.toLowerCase())
    return { transfers: [], next: null }
  const { transfers, next } = parts.ledger.pageTransfers({
    ...text,
    ...(filter.state !== null && { state: filter.state }),
    ...(filter.direction !== null && { direction: filter.direction }),
    ...(token !== null && { token }),
    ...(filter.minAgeMs !== null && { originAtOrBefore: now - filter.minAgeMs }),
    limit: filter.limit,
    after: filter.cursor === null ? null : readCursor(filter.cursor),
  })
  return { transfers, next: next && `${next.originAt}-${next.key}` }
}

/** The query was read: it has both numbers. */
function readCursor(cursor: string): Place {
  const [originAt = 0, key = 0] = cursor.split('-').map(Number)
  return { originAt, key }
}

type Named = Pick<AppParts['config']['bridge']['tokens'][number], 'symbol' | 'address'>

/**
 * Addresses have 20 bytes, short forms are cut in the middle, symbols are the configured ones; everything else names
 * transactions or transfers.
 */
export function toTextFilter(
  text: string,
  tokens: readonly Named[] = [],
): Pick<LedgerFilter, 'address' | 'hash' | 'ends' | 'token'> {
  const ends = readHashEnds(text)
  if (ends !== null) return { ends }
  if (/^0x[0-9a-f]{40}$/i.test(text)) return { address: text }
  const token = addressOf(text, tokens)
  return token === null ? { hash: text } : { token }
}

function addressOf(symbol: string, tokens: readonly Named[]): string | null {
  return tokens.find((one) => one.symbol.toLowerCase() === symbol.toLowerCase())?.address ?? null
}

/** By key, alias, id or hash; one hash can be of many transfers. */
function showTransfer(parts: Pick<AppParts, 'ledger'>, name: string): Transfer[] {
  const direct = parts.ledger.getTransfer(name)
  return direct ? [direct] : parts.ledger.listTransfers({ hash: name, limit: 200 })
}

function toStory(
  parts: AppParts,
  views: Parameters<typeof toAlertStory>[0],
  transfer: Transfer,
  now: UnixMs,
): TransferStory {
  return {
    transfer,
    standing: parts.stages.standingOf(transfer, now),
    observations: parts.ledger
      .listSightings(transfer.key)
      .map(({ firstAt, ...sighting }) => ({ ...sighting, requestedAt: firstAt })),
    alerts: parts.alerts
      .listAlertsOfTransfer(transfer.key)
      .map((row) => toAlertStory(views, row, parts.config.explorer.links.tx)),
  }
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
