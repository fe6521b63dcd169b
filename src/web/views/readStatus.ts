import type { Panel } from '../../kernel/check.ts'
import type { Direction } from '../../bridge/observation.ts'
import type { EscrowLine } from '../../report/dailyReport.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { PollerStatus } from '../../kernel/runner.ts'
import { clockLeadMs } from '../../kernel/clockLead.ts'
import type { LoadedRule } from '../../rules/types.ts'
import type { SourceHealth } from '../../clients/sourceHealth.ts'
import type { AlertRow } from '../../alerts/store/alertRows.ts'
import type { AlertStore } from '../../alerts/store/alertStore.ts'
import type { Database } from '../../store/database.ts'
import { listHeads } from '../../kernel/heads.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import {
  countDead,
  countOpenByRule,
  countPendingByAge,
  countPendingSince,
  listCriticalEvents,
  listOpenBySeverity,
} from './pageQueries.ts'
import { summarizeQuarantine } from '../../kernel/quarantine.ts'
import { judgeVerdict, recentEventMs } from '../judgeVerdict.ts'
import type { ChannelStatus, InFlight, NormalLatency, StatusSnapshot } from '../types.ts'
import type { PreconfMetrics } from '../../checks/preconf/metrics.ts'
import { type FactSources, readSources } from '../../kernel/sharedFacts.ts'
import { createAlertViews, toAlertView } from './toAlertView.ts'

export interface StatusSources extends Pick<FactSources, 'config' | 'explorer' | 'intervals' | 'rpcs'> {
  readonly alerts: AlertStore
  readonly live: { readonly rules: readonly LoadedRule[] }
  readonly db: Database
  readonly ledger: Pick<Ledger, 'countByState'>
  readonly startedAt: UnixMs
  readonly version: string
  pollers(): readonly PollerStatus[]
  channels(now: UnixMs): readonly ChannelStatus[]
  preconf(now: UnixMs): PreconfMetrics | null
  panels(now: UnixMs): readonly Panel[]
  escrows(): readonly EscrowLine[] | null
  /** How long transfers took over the past 30 days. */
  normal(): Readonly<Record<Direction, NormalLatency | null>>
}

const ageBoundsMs = [60_000, 600_000, 1_800_000, 3_600_000, 21_600_000]
const listed = 200

/** Everything about the present in one go, so that the parts of a page agree. */
export function readStatus(sources: StatusSources, now: UnixMs): StatusSnapshot {
  const read = readSources(sources)
  const { alerts, db } = sources
  const heads = listHeads(db)
  const views = createAlertViews(alerts, sources.live.rules, now, clockLeadMs({ now, sources: read, heads }))
  const open = listOpenBySeverity(db, listed)
  const facts = {
    now,
    startedAt: sources.startedAt,
    version: sources.version,
    heads,
    sources: read,
    pollers: sources.pollers(),
    coverage: read.map((source) => ({
      source: source.source,
      lastGoodAt: newest(source.endpoints.map((endpoint) => endpoint.lastGoodAt)),
      staleAfterMs: Math.max(5_000, 3 * shortestInterval(source, sources.intervals)),
    })),
    openAlerts: open.map((row) => toAlertView(views, row)),
    openAlertCount:
      open.length < listed ? open.length : countOpenByRule(db).reduce((sum, { count }) => sum + count, 0),
    recentEvents: listEvents(sources, now).map((row) => toAlertView(views, row)),
    inFlight: readInFlight(sources, now),
    totals: sources.ledger.countByState(),
    channels: sources.channels(now),
    deadMessages: countDead(db),
    silences: alerts.listSilencesAt(now),
    preconf: sources.preconf(now),
    escrows: sources.escrows(),
    panels: sources.panels(now),
    quarantined: summarizeQuarantine(db, 0).reduce((sum, { count }) => sum + count, 0),
  }
  return { ...facts, verdict: judgeVerdict(facts) }
}

/** The newest events, and the critical ones that others have pushed out of that list. */
function listEvents({ alerts, db }: StatusSources, now: UnixMs): AlertRow[] {
  const events = alerts.listAlerts({ nature: 'event', limit: listed })
  if (events.length < listed) return events
  const shown = new Set(events.map(({ id }) => id))
  return [
    ...events,
    ...listCriticalEvents(db, now - recentEventMs, maxReasons).filter(({ id }) => !shown.has(id)),
  ]
}

const maxReasons = 50

function readInFlight(sources: StatusSources, now: UnixMs): InFlight[] {
  const { db } = sources
  const known = sources.normal()
  return countPendingByAge(db, ageBoundsMs, now).map(({ direction, counts, oldestAt }) => {
    const own = known[direction]
    return {
      direction,
      buckets: counts.map((count, index) => ({
        fromMs: ageBoundsMs[index - 1] ?? 0,
        toMs: ageBoundsMs[index] ?? null,
        count,
      })),
      oldestAt,
      normal: own,
      late: own && countPendingSince(db, direction, now - own.p99),
    }
  })
}

function shortestInterval(source: SourceHealth, byEndpoint: FactSources['intervals']): number {
  if (source.source === 'explorer') return Math.min(...Object.values(byEndpoint))
  return Math.min(10_000, ...source.endpoints.map(({ intervalMs }) => intervalMs))
}

function newest(times: readonly (UnixMs | null)[]): UnixMs | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.max(...known)
}
