import { retryDelayMs } from '../delivery/planDelivery.ts'
import type { Finding } from '../bridge/finding.ts'
import {
  dayOf,
  type DayWindow,
  dueAt,
  type DueDays,
  listDueDays,
  type Period,
  periodOf,
  periods,
  settingNames,
  shiftDay,
  windowOf,
} from './reportDay.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import { errorText } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import { cleanText } from '../lib/text.ts'
import type { Channel, DeliveryResult } from '../delivery/channels/message.ts'
import { renderReport } from './render/renderReport.ts'
import { monitorReportMissed } from '../checks/monitor/reportMissed.ts'
import { toReportMessage } from './render/toReportMessage.ts'
import { type QueuedReport, type ReportResult, type ReportStore, createReportStore } from './store.ts'
import type { Commit } from '../kernel/reads/reads.ts'
import type { Poller } from '../kernel/running/runner.ts'
import type { Database } from '../store/database.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { AppConfig } from '../kernel/settings.ts'
import { kinds } from '../checks/index.ts'
import { buildDailyReport } from './buildDailyReport.ts'
import { readReportKnowledge } from './readReportKnowledge.ts'

export interface DailyReportDeps {
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly store: ReportStore
  readonly commit: Commit
  readonly channel: Channel
  readonly settings: { readonly cron: string; readonly timezone: string }
  readonly period: Period
  readonly pageUrl: string | null
  readonly db: Database
  readonly ledger: Pick<Ledger, 'listUnderWay' | 'getTransfer' | 'listSharing'>
  readonly tokens: AppConfig['bridge']['tokens']
  /** When the last complete reading of the list began; null before the first since the start. */
  readonly list: { readonly readAt: UnixMs | null }
}

/** Reports that are caught up after a time down; what is older is named, not sent one by one. */
const mostCaughtUp = 3
const keptTryingMs = 24 * 3_600_000
/** A report is made at most so much later because the list was not read since its day ended. */
const mostAwaitedMs = 3_600_000
/** A delivery under way is not begun again before this; a process that died in it is followed by the next attempt. */
const attemptMs = 120_000

/**
 * Builds what is due and delivers what waits. Asked every 10 s, whatever the cron says: a restart, a suspended machine or
 * a changed clock then neither skips a day nor reports it twice.
 */
export function createDailyReportPoll(deps: DailyReportDeps): (signal: AbortSignal) => Promise<void> {
  const startedAt = deps.clock.now()
  return async (signal) => {
    const thrown = [await buildDue(deps, startedAt)]
    for (const queued of deps.store.listDue(deps.clock.now()))
      thrown.push(await deliver(deps, queued, signal))
    // What could be done is done all the same; the run has failed, and counts as that.
    for (const failed of thrown) if (failed !== null) throw failed.error
  }
}

/** What was thrown, whatever it is; null when nothing was. */
type Thrown = { readonly error: unknown } | null

async function buildDue(deps: DailyReportDeps, startedAt: UnixMs): Promise<Thrown> {
  const { clock, commit, settings, store, period } = deps
  const now = clock.now()
  const zone = settings.timezone
  const lastDay = store.readLastDay()
  const today = dayOf(now, zone, period)
  // The first report is of the day, week or month of the first start. One of a day that is not over was made by a wrong clock.
  if (lastDay === null || lastDay >= today) {
    commit({ apply: () => (store.startAfter(store.readNewestBefore(today) ?? shiftDay(today, -1)), []) })
    return null
  }
  const found = listDueDays({ lastDay, now, zone, most: mostCaughtUp }, (window) => dueAt(settings, window))
  const skipped = found.skipped === null ? [] : [toSkipped(found.skipped, now)]
  for (const day of found.due) {
    const window = windowOf(day, zone)
    if (window === null) continue
    if (!isRead(deps, window, startedAt)) return null
    const news = day === found.due[0] ? skipped : []
    const failed = await build(deps, window, news)
    if (failed === null) continue
    if (now - dueAt(settings, window) < keptTryingMs) return failed
    // The days after it must not wait for one that cannot be made.
    const reason = `it could not be made within a day: ${cleanText(errorText(failed.error), 300)}`
    commit({ apply: () => (store.startAfter(day), [...news, toMissed(day, reason, now)]) })
  }
  return null
}

/** After an outage the ledger does not know yet what happened meanwhile. */
function isRead({ clock, list, settings }: DailyReportDeps, window: DayWindow, startedAt: UnixMs): boolean {
  const awaitedMs = clock.now() - Math.max(dueAt(settings, window), startedAt)
  return (list.readAt !== null && list.readAt >= window.until) || awaitedMs >= mostAwaitedMs
}

/** Builds and queues one day's. */
async function build(deps: DailyReportDeps, window: DayWindow, news: readonly Finding[]): Promise<Thrown> {
  const { clock, commit, db, ledger, store, tokens } = deps
  try {
    const before = store.find(shiftDay(window.day, -1))
    const knows = await readReportKnowledge({ db, ledger, tokens }, window, clock.now())
    const since = store.readBuiltBefore(window.day)
    const report = await buildDailyReport({ db, ledger, kinds, before, since, knows }, window, clock.now())
    commit({ apply: (now) => (store.queue(report, now + keptTryingMs), [...news]) })
    deps.log.info({ day: window.day }, 'report built')
    return null
  } catch (error) {
    return { error }
  }
}

async function deliver(deps: DailyReportDeps, queued: QueuedReport, signal: AbortSignal): Promise<Thrown> {
  const { store, clock, commit, log } = deps
  const { day } = queued.report.window
  commit({ apply: (now) => (store.beginAttempt(day, now + attemptMs), []) })
  let thrown: Thrown = null
  // Whatever is thrown is an answer: one that never comes would be waited for beyond every limit.
  const answer = await send(deps, queued, signal).catch((error: unknown): DeliveryResult => {
    thrown = { error }
    return {
      result: 'transient',
      reason: `it could not be made or sent: ${cleanText(errorText(error), 300)}`,
    }
  })
  if (signal.aborted) return null
  const result = plan(queued, answer, clock.now())
  commit({
    apply: (now) => {
      store.settle(day, result)
      return result.state === 'dead' ? [toUndelivered(day, result.error, now)] : []
    },
  })
  const facts = { day, attempt: queued.attempt + 1, answer: answer.result }
  if (result.state === 'sent') log.info(facts, 'report delivered')
  else log.warn({ ...facts, error: result.error }, 'report not delivered')
  return thrown
}

async function send(
  deps: DailyReportDeps,
  { report, attempt, recipients }: QueuedReport,
  signal: AbortSignal,
) {
  const { channel, pageUrl } = deps
  const options = { signal, degraded: false, recipients }
  if (!channel.deliverReport) {
    return channel.deliver(
      toReportMessage(report, { channel: channel.name, attempt: attempt + 1, pageUrl }),
      options,
    )
  }
  const rendered = await renderReport(report, pageUrl)
  const answer = await channel.deliverReport(rendered, options)
  // Too large, or not understood: the plain text at least.
  return answer.result === 'bad_message'
    ? channel.deliverReport(rendered, { ...options, degraded: true })
    : answer
}

function plan(queued: QueuedReport, answer: DeliveryResult, now: UnixMs): ReportResult {
  if (answer.result === 'ack' || (answer.result === 'partial' && answer.retry.length === 0)) {
    return { state: 'sent', at: now }
  }
  const error = answer.result === 'partial' ? 'some recipients deferred it' : answer.reason
  const recipients = answer.result === 'partial' ? answer.retry : queued.recipients
  const nextAt = now + retryDelayMs({ channelType: 'email', attempt: queued.attempt + 1, random: 0.5 })
  return nextAt >= queued.expiresAt
    ? { state: 'dead', error }
    : { state: 'queued', error, nextAt, recipients }
}

function toSkipped({ first, last, days }: NonNullable<DueDays['skipped']>, now: UnixMs): Finding {
  const word = periodOf(first) ?? 'day'
  const reason = `spanwatch was not running; ${days} ${word}${days === 1 ? '' : 's'} from ${first} to ${last} without a report: spanwatch report --date prints any of them`
  return toMissed(`${first} to ${last}`, reason, now)
}

function toUndelivered(day: string, error: string, now: UnixMs): Finding {
  return toMissed(day, `it could not be delivered within a day: ${error}`, now)
}

function toMissed(day: string, reason: string, now: UnixMs): Finding {
  return monitorReportMissed.raise({
    subject: `report:${day}`,
    title: `Report of ${day}: ${reason}`,
    transfer: null,
    facts: { day, reason },
    labels: {},
    evidence: [],
    since: now,
  })
}

interface ReportingDeps extends Pick<DailyReportDeps, 'clock' | 'log' | 'commit' | 'db' | 'ledger' | 'list'> {
  readonly channels: readonly Channel[]
  readonly config: Pick<AppConfig, 'reports' | 'http' | 'bridge'>
}

const everyMs = 10_000

const reportPollers = { day: 'report', week: 'reportWeek', month: 'reportMonth' } as const

/** A poller for each report that is configured. */
export function createReporting(deps: ReportingDeps): Poller[] {
  const { db, config } = deps
  return periods.flatMap((period): Poller[] => {
    const settings = config.reports[settingNames[period]]
    const channel = deps.channels.find(({ name }) => name === settings?.channel)
    if (!settings || !channel) return []
    const run = createDailyReportPoll({
      ...deps,
      settings,
      period,
      channel,
      store: createReportStore(db, period),
      pageUrl: config.http?.publicUrl ?? null,
      tokens: config.bridge.tokens,
    })
    return [{ name: reportPollers[period], schedule: everyMs, isBackground: true, run }]
  })
}
