import { type AlertViewSource, toAlertView } from './toAlertView.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { PollerStatus } from '../pollers/runner.ts'
import type { Direction } from '../domain/observation.ts'
import type { Database } from '../store/database.ts'
import { listHeads } from '../store/heads.ts'
import type { Ledger } from '../store/ledger.ts'
import { summarizeQuarantine } from '../store/quarantine.ts'
import { judgeVerdict } from '../web/judgeVerdict.ts'
import type { ChannelStatus, InFlight, StatusSnapshot } from '../web/types.ts'
import type { SourceHealth } from '../rules/types.ts'
import { type FactSources, readSources } from './readFacts.ts'

export interface StatusSources
  extends Pick<FactSources, 'explorer' | 'intervals' | 'rpcHealth'>,
    AlertViewSource {
  readonly db: Database
  readonly ledger: Ledger
  readonly startedAt: UnixMs
  readonly version: string
  pollers(): readonly PollerStatus[]
  channels(now: UnixMs): readonly ChannelStatus[]
}

const ageBoundsMs = [60_000, 600_000, 1_800_000, 3_600_000, 21_600_000]
/** Ages are counted over at most so many open transfers; beyond it the oldest bucket holds the rest. */
const maxCounted = 20_000
const listed = 200

/** Everything about the present in one go, so that the parts of a page agree. */
export function readStatus(sources: StatusSources, now: UnixMs): StatusSnapshot {
  const read = readSources(sources)
  const facts = {
    now,
    startedAt: sources.startedAt,
    version: sources.version,
    heads: listHeads(sources.db),
    sources: read,
    pollers: sources.pollers(),
    coverage: read.map((source) => ({
      source: source.source,
      lastGoodAt: newest(source.endpoints.map((endpoint) => endpoint.lastGoodAt)),
      staleAfterMs: Math.max(5_000, 3 * shortestInterval(source, sources.intervals)),
    })),
    openAlerts: sources.alerts
      .listAlerts({ state: 'open', limit: listed })
      .map((row) => toAlertView(sources, row)),
    recentEvents: sources.alerts
      .listAlerts({ nature: 'event', limit: listed })
      .map((row) => toAlertView(sources, row)),
    inFlight: (['MainToZone', 'ZoneToMain'] as const).map((direction) =>
      countAges(sources.ledger, direction, now),
    ),
    totals: sources.ledger.countByState(),
    channels: sources.channels(now),
    quarantined: summarizeQuarantine(sources.db, 0).reduce((sum, { count }) => sum + count, 0),
  }
  return { ...facts, verdict: judgeVerdict(facts) }
}

function countAges(ledger: Ledger, direction: Direction, now: UnixMs): InFlight {
  const counts = [...ageBoundsMs, Infinity].map(() => 0)
  let oldestAt: UnixMs | null = null
  let counted = 0
  for (const transfer of ledger.listPending({ direction, originAtOrBefore: now })) {
    oldestAt ??= transfer.originAt
    const age = now - transfer.originAt
    const bucket = ageBoundsMs.findIndex((bound) => age < bound)
    const index = bucket === -1 ? ageBoundsMs.length : bucket
    counts[index] = (counts[index] ?? 0) + 1
    counted += 1
    if (counted === maxCounted) break
  }
  const buckets = counts.map((count, index) => ({
    fromMs: ageBoundsMs[index - 1] ?? 0,
    toMs: ageBoundsMs[index] ?? null,
    count,
  }))
  return { direction, buckets, oldestAt }
}

function shortestInterval(source: SourceHealth, byEndpoint: FactSources['intervals']): number {
  if (source.source === 'explorer') return Math.min(...Object.values(byEndpoint))
  return Math.min(10_000, ...source.endpoints.map(({ intervalMs }) => intervalMs))
}

function newest(times: readonly (UnixMs | null)[]): UnixMs | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.max(...known)
}
