import { preconf } from '../../checks/preconf/check.ts'
import { probes } from '../../checks/probes/check.ts'
import { readProbeLine } from '../../checks/probes/line.ts'
import { readPreconfMetrics } from '../../checks/preconf/metrics.ts'
import { readEscrows } from './readEscrows.ts'
import type { AppParts } from '../../monitor/createMonitor.ts'
import type { Direction } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { clockLeadMs } from '../../kernel/clockLead.ts'
import { eventOpenMs } from '../../alerts/caseOf.ts'
import { showSilence } from '../../alerts/silences.ts'
import type { AlertRow } from '../../alerts/store/alertRows.ts'
import type { ChannelRow } from '../../alerts/store/outboxDeliveries.ts'
import type { QueueDepth } from '../../alerts/store/outboxItems.ts'
import type { Database } from '../../store/database.ts'
import { listHeads } from '../../kernel/heads/heads.ts'
import {
  countDead,
  countOpenByRule,
  countPendingByAge,
  countPendingSince,
  listCriticalEvents,
  listOpenBySeverity,
} from './pageQueries.ts'
import { summarizeQuarantine } from '../../kernel/reads/quarantine.ts'
import { judgeVerdict } from '../judgeVerdict.ts'
import { isFailing } from '../../monitor/voice.ts'
import type { ChannelStatus, InFlight, NormalLatency, StatusSnapshot } from '../statusFacts.ts'
import type { PreconfMetrics } from '../../checks/preconf/metrics.ts'
import { readSources } from '../../kernel/sharedFacts.ts'
import { readStatusCases } from './readStatusCases.ts'
import { createAlertViews, toAlertView } from './toAlertView.ts'
import type { CaseSettings } from './toCaseView.ts'
import { toCoverage } from '../gate/toCoverage.ts'
import { toFollowed } from './toFollowed.ts'

/** How long transfers of each direction took over the past 30 days. */
type Normal = Readonly<Record<Direction, NormalLatency | null>>

const ageBoundsMs = [60_000, 600_000, 1_800_000, 3_600_000, 21_600_000]
const listed = 200

/** Everything about the present in one go, so that the parts of a page agree. */
export function readStatus(
  parts: AppParts,
  { normal, settings }: { readonly normal: Normal; readonly settings: CaseSettings },
  now: UnixMs,
): StatusSnapshot {
  const { alerts, db } = parts
  const read = readSources({ ...parts, intervals: parts.intervals.byEndpoint })
  const replica = parts.replica?.() ?? null
  const heads = listHeads(db)
  const views = createAlertViews(alerts, parts.live.rules, now, clockLeadMs({ now, sources: read, heads }))
  const open = listOpenBySeverity(db, listed)
  const facts = {
    now,
    startedAt: parts.startedAt,
    version: parts.version,
    unchecked: parts.state.integrity.pending(),
    heads,
    ...(replica?.role === 'follower'
      ? toFollowed(db, parts.pollerStatus(), replica)
      : {
          judgedAt: parts.evaluate.counts().lastAt,
          sources: read,
          pollers: parts.pollerStatus(),
          coverage: toCoverage(read, parts.intervals.byEndpoint),
        }),
    replica,
    ...readStatusCases({ ...views, ...settings, db, riskOf: (...of) => parts.stakes.riskOf(...of) }),
    openAlerts: open.map((row) => toAlertView(views, row)),
    openAlertCount:
      open.length < listed ? open.length : countOpenByRule(db).reduce((sum, { count }) => sum + count, 0),
    recentEvents: listEvents(parts, now).map((row) => toAlertView(views, row)),
    inFlight: readInFlight(db, normal, now),
    totals: parts.ledger.countByState(),
    channels: listChannels(parts),
    deadMessages: countDead(db),
    silences: alerts.listSilencesAt(now).map(showSilence),
    preconf: readPreconf(parts, now),
    escrows: readEscrows(db, parts.config.bridge.tokens),
    probes: parts.partOf(probes, now).probes.list.map((probe) => readProbeLine(db, probe, now)),
    panels: [...parts.opened.values()].flatMap((check) => check.panel?.(now) ?? []),
    quarantined: summarizeQuarantine(db, 0).reduce((sum, { count }) => sum + count, 0),
  }
  return { ...facts, verdict: judgeVerdict(facts) }
}

/** The newest events, and the critical ones that others have pushed out of that list. */
function listEvents({ alerts, db }: AppParts, now: UnixMs): AlertRow[] {
  const events = alerts.listAlerts({ nature: 'event', limit: listed })
  if (events.length < listed) return events
  const shown = new Set(events.map(({ id }) => id))
  return [
    ...events,
    ...listCriticalEvents(db, now - eventOpenMs, maxReasons).filter(({ id }) => !shown.has(id)),
  ]
}

const maxReasons = 50

function readInFlight(db: Database, normal: Normal, now: UnixMs): InFlight[] {
  return countPendingByAge(db, ageBoundsMs, now).map(({ direction, counts, oldestAt }) => {
    const own = normal[direction]
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

export function readPreconf(parts: Pick<AppParts, 'db' | 'partOf'>, at: UnixMs): PreconfMetrics | null {
  return readPreconfMetrics(parts.db, parts.partOf(preconf, at), at)
}

function listChannels(parts: AppParts): ChannelStatus[] {
  const depths = new Map(parts.alerts.listDepths().map((depth) => [depth.channel, depth]))
  return parts.sending.channels.map(({ name }) =>
    toChannelStatus(parts.alerts.getChannel(name), depths.get(name)),
  )
}

export function toChannelStatus(row: ChannelRow, depth: QueueDepth | undefined): ChannelStatus {
  return {
    channel: row.name,
    queued: depth?.queued ?? 0,
    oldestAt: depth?.oldestAt ?? null,
    circuit: row.circuit,
    lastAckAt: row.lastAckAt,
    lastError: isFailing(row) ? row.lastError : null,
    refused: row.refused.map(({ recipient, reason }) => `${recipient}: ${reason}`),
  }
}
