import type { Explorer } from '../clients/explorer/createExplorer.ts'
import { describeLacks, watchedKeys } from '../clients/explorer/describeLacks.ts'
import type { Dialect } from '../clients/explorer/dialect.ts'
import type { EndpointId } from '../clients/explorer/endpoint.ts'
import { endpoints } from '../clients/explorer/endpoints.ts'
import { outsideFilter } from '../clients/explorer/fits.ts'
import type { SourceHealth } from '../clients/sourceHealth.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { withTimes } from '../store/requestNumbers.ts'
import type { SharedFacts } from './facts.ts'
import { listHeads } from './heads/heads.ts'
import type { Kernel } from './kernel.ts'
import { listNodeLacks, listUnreadOfNodes } from './nodeLacks.ts'
import { listUnreadRaws, summarizeQuarantine } from './reads/quarantine.ts'
import {
  listTransactions,
  mayBeUnreadRecord,
  readUnreadRecords,
  type UnreadRecords,
} from './reads/unreadRecords.ts'
import { readRpcHealth } from './rpcs.ts'
import type { PollerStatus } from './running/runner.ts'

/** Bad records of this past are looked at; rules narrow it further. */
const driftWindowMs = 3_600_000

const emptiesWindowMs = 300_000

const unreadMs = 86_400_000

export interface FactSources
  extends Pick<
    Kernel,
    | 'config'
    | 'db'
    | 'endpointLags'
    | 'explorer'
    | 'horizons'
    | 'ledger'
    | 'list'
    | 'nodeHeads'
    | 'numbers'
    | 'rpcs'
    | 'stages'
  > {
  /** How often each endpoint is meant to be asked, ms. */
  readonly intervals: Readonly<Record<string, number>>
  readonly latency: (now: UnixMs) => SharedFacts['latency']
  /** Of each endpoint the keys whose lack is reported. */
  readonly watched: readonly { readonly id: EndpointId; readonly keys: readonly string[] }[]
  readonly pollers: () => readonly PollerStatus[]
}

interface DriftSources {
  readonly db: Database
  readonly explorer: Pick<Explorer, 'mismatches'>
  readonly list: Pick<Kernel['list'], 'readAt'>
}

/** What any condition may look at, as it is now. */
export function readSharedFacts(sources: FactSources, now: UnixMs): SharedFacts {
  return {
    now,
    latency: sources.latency(now),
    heads: listHeads(sources.db),
    sources: readSources(sources),
    canonicalHead: sources.nodeHeads.main,
    zoneRpcHead: sources.nodeHeads.zone,
    pollers: sources.pollers(),
    drift: readDrift(sources, now - driftWindowMs),
    lacks: [
      ...describeLacks(sources.config.explorer.dialect, sources.explorer.keys.list()),
      ...listNodeLacks(sources.rpcs.seats),
    ],
    unreadKeys: listUnread(sources, now),
    empties: {
      source: 'explorer',
      ...sources.explorer.empties.count(now - emptiesWindowMs),
      aside: sources.explorer.empties.listAside(now),
    },
    listReadAt: sources.list.readAt ?? 0,
    listLag: sources.horizons.listLag(now),
    endpointLags: sources.endpointLags.list(),
    *listPending(filter) {
      // Of what was read nobody knows when it is to be read again first.
      for (const transfer of sources.ledger.listPending(filter)) yield withTimes(sources.numbers, transfer, 0)
    },
    mayBeUnread: createUnreadLookup(sources.db),
    standingOf: (transfer) => sources.stages.standingOf(transfer, now),
    countPending: () => sources.ledger.countByState().pending,
  }
}

/** The rows are read once somebody asks: mostly nobody does. */
function createUnreadLookup(db: Database): (transfer: Transfer) => boolean {
  let known: UnreadRecords | null = null
  return (transfer) => {
    known ??= readUnreadRecords(db)
    return mayBeUnreadRecord(known, transfer)
  }
}

/** What was reported of keys before a restart stands until their endpoint is read again, for a day. */
function listUnread({ explorer, rpcs, watched }: FactSources, now: UnixMs): string[] {
  if (now - explorer.health().startedAt > unreadMs) return []
  const own = watched.flatMap(({ id, keys }) => (explorer.keys.hasRead(id) ? [] : keys))
  return [...own, ...listUnreadOfNodes(rpcs.seats)]
}

/** They never change: a tick need not spell them. */
export function listWatched(dialect: Dialect): FactSources['watched'] {
  return endpoints.map(({ id }) => ({ id, keys: watchedKeys(dialect, id).map((key) => `${id} ${key}`) }))
}

/** Every source that is read, the explorer first. */
export function readSources(
  sources: Pick<FactSources, 'config' | 'explorer' | 'intervals' | 'rpcs'>,
): SourceHealth[] {
  return [readSourceHealth(sources), ...readRpcHealth(sources.rpcs, sources.config)]
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

/** Records that were set aside, and answers to other questions than were asked, of which some are among them. */
export function readDrift({ db, explorer, list }: DriftSources, since: UnixMs): SharedFacts['drift'] {
  // What an answer to another question left out a whole reading since has shown.
  const isUnread = (at: UnixMs) => list.readAt === null || at >= list.readAt
  const mismatches = explorer.mismatches
    .list(since)
    .map((one) => ({ ...one, isOfList: !one.problem.startsWith(outsideFilter) && isUnread(one.lastAt) }))
  const all = [...summarizeQuarantine(db, since), ...mismatches]
  return [...Map.groupBy(all, ({ endpoint }) => endpoint).values()].flatMap((of) => {
    const newest = of.toSorted((a, b) => b.lastAt - a.lastAt)[0]
    if (newest === undefined) return []
    const count = Math.max(...of.map((one) => one.count))
    const firstAt = Math.min(...of.map((one) => one.firstAt))
    const named = ofMoney.has(newest.endpoint) ? listNamed(db, newest.endpoint) : []
    return [{ ...newest, count, firstAt, named, isOfList: of.some(({ isOfList }) => isOfList) }]
  })
}

/** What shows transfers, their movements and their events: a row of these that cannot be read may be a theft. */
const ofMoney: ReadonlySet<string> = new Set(['E3', 'E6', 'E8', 'E19'])
/** The newest rows that are looked into at each tick. */
const mostNamed = 100

function listNamed(db: Database, endpoint: string): NonNullable<SharedFacts['drift'][number]['named']> {
  const rows = listUnreadRaws(db, endpoint, mostNamed).toReversed()
  const firstAt = new Map<string, UnixMs>()
  for (const { raw, firstAt: at } of rows)
    for (const hash of listTransactions(raw)) if (!firstAt.has(hash)) firstAt.set(hash, at)
  return [...firstAt].map(([hash, at]) => ({ hash, at }))
}
