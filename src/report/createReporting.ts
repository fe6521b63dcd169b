import type { Channel } from '../delivery/channels/message.ts'
import { createDailyReportPoll, type DailyReportDeps } from './poll.ts'
import type { Poller } from '../kernel/runner.ts'
import type { Database } from '../store/database.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createReportStore } from './store.ts'
import type { AppConfig } from '../kernel/settings.ts'
import { buildDailyReport } from './buildDailyReport.ts'
import { readReportKnowledge } from './readReportKnowledge.ts'

export interface ReportingDeps extends Pick<DailyReportDeps, 'clock' | 'log' | 'commit'> {
  readonly db: Database
  readonly ledger: Pick<Ledger, 'listUnderWay'>
  readonly channels: readonly Channel[]
  readonly config: Pick<AppConfig, 'reports' | 'http' | 'bridge'>
}

const everyMs = 30_000

/** The daily report as a poller; none when none is configured. */
export function createReporting(deps: ReportingDeps): Poller[] {
  const { db, ledger, config } = deps
  const settings = config.reports.daily
  const channel = deps.channels.find(({ name }) => name === settings?.channel)
  if (!settings || !channel) return []
  const run = createDailyReportPoll({
    ...deps,
    settings,
    channel,
    store: createReportStore(db),
    pageUrl: config.http?.publicUrl ?? null,
    build: (window, before, now) =>
      buildDailyReport(
        { db, ledger, before, knows: readReportKnowledge(db, config.bridge.tokens, window) },
        window,
        now,
      ),
  })
  return [{ name: 'report', schedule: everyMs, run }]
}
