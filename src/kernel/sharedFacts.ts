import type { Explorer } from '../clients/explorer/createExplorer.ts'
import { describeLacks, watchedKeys } from '../clients/explorer/describeLacks.ts'
import type { Dialect } from '../clients/explorer/dialect.ts'
import type { SharedFacts } from './facts.ts'
import { endpoints } from '../clients/explorer/endpoints.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { PollerStatus } from './runner.ts'
import type { SourceHealth } from '../clients/sourceHealth.ts'
import type { Database } from '../store/database.ts'
import { listHeads } from './heads.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { readDrift } from './readDrift.ts'
import { type RequestNumbers, withTimes } from '../store/requestNumbers.ts'

/** Bad records of this past are looked at; rules narrow it further. */
const driftWindowMs = 3_600_000
const emptiesWindowMs = 300_000
const unreadMs = 86_400_000

export interface FactSources {
  readonly db: Database
  readonly ledger: Ledger
  readonly numbers: Pick<RequestNumbers, 'timeOf'>
  readonly explorer: Pick<Explorer, 'health' | 'empties' | 'keys' | 'mismatches'>
  readonly dialect: Dialect
  /** How often each endpoint is meant to be asked, ms. */
  readonly intervals: Readonly<Record<string, number>>
  /** Sources beside the explorer. */
  rpcHealth(): readonly SourceHealth[]
  listLag(now: UnixMs): SharedFacts['listLag']
  latency(now: UnixMs): SharedFacts['latency']
  canonicalHead(): SharedFacts['canonicalHead']
  pollers(): readonly PollerStatus[]
}

/** What any condition may look at, as it is now. */
export function readSharedFacts(sources: FactSources, now: UnixMs): SharedFacts {
  return {
    now,
    latency: sources.latency(now),
    heads: listHeads(sources.db),
    sources: readSources(sources),
    canonicalHead: sources.canonicalHead(),
    pollers: sources.pollers(),
    drift: readDrift(sources, now - driftWindowMs),
    lacks: describeLacks(sources.dialect, sources.explorer.keys.list()),
    unreadKeys: listUnread(sources, now),
    empties: {
      source: 'explorer',
      since: now - emptiesWindowMs,
      ...sources.explorer.empties.count(now - emptiesWindowMs),
      aside: sources.explorer.empties.listAside(now),
    },
    listLag: sources.listLag(now),
    *listPending(filter) {
      // Of what was read nobody knows when it is to be read again first.
      for (const transfer of sources.ledger.listPending(filter)) yield withTimes(sources.numbers, transfer, 0)
    },
    countPending: () => sources.ledger.countByState().pending,
  }
}

/** What was told of keys before a restart stands until their endpoint is read again, for a day. */
function listUnread({ explorer, dialect }: Pick<FactSources, 'explorer' | 'dialect'>, now: UnixMs): string[] {
  if (now - explorer.health().startedAt > unreadMs) return []
  const unread = endpoints.filter(({ id }) => !explorer.keys.hasRead(id))
  return unread.flatMap(({ id }) => watchedKeys(dialect, id).map((key) => `${id} ${key}`))
}

/** Every source that is read, the explorer first. */
export function readSources(
  sources: Pick<FactSources, 'explorer' | 'intervals' | 'rpcHealth'>,
): SourceHealth[] {
  return [readSourceHealth(sources), ...sources.rpcHealth()]
}

function readSourceHealth(sources: Pick<FactSources, 'explorer' | 'intervals'>): SourceHealth {
  const health = sources.explorer.health()
  const slowest = Math.max(...Object.values(sources.intervals))
  return {
    ...health,
    endpoints: health.endpoints.map((endpoint) => ({
      ...endpoint,
      intervalMs: sources.intervals[endpoint.endpoint] ?? slowest,
    })),
  }
}
