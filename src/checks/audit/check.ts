import type { Explorer } from '../../clients/explorer/createExplorer.ts'
import type { HeightSample } from './heightFilter.ts'
import { noAmount, toDecimal } from '../../bridge/decimal.ts'
import type { LearnedActions } from '../../meaning/learnedActions.ts'
import { judgeListLag } from './listLag.ts'
import { canonicalToken } from '../../bridge/movedToken.ts'
import { type AtRisk, valueFirst } from '../../ledger/valueFirst.ts'
import type { Direction, Observation } from '../../bridge/observation.ts'
import { destinationLeg, type Transfer } from '../../bridge/transfer.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import { type AuditProgress, createAuditPoll, noProgress } from './pollList.ts'
import { createAuditChecksPoll } from './pollLacks.ts'
import { createAuditReads, newestTime } from './reads.ts'
import type { Recorded } from '../../kernel/commit.ts'
import type { Commit, ExplorerReads } from '../../kernel/reads.ts'
import type { Poller } from '../../kernel/runner.ts'
import type { SharedFacts } from '../../kernel/facts.ts'
import type { AuditPart as AuditFacts } from './facts.ts'
import {
  addLack,
  dropLack,
  type Lack,
  listDueLacks,
  listUnlistedNames,
  lowestHeightSince,
  readAuditState,
  resolveTold,
  saveAuditState,
  saveLack,
  spansOfTold,
  summarizeTold,
} from './store.ts'
import type { CursorFile } from '../../store/cursors.ts'
import type { Database } from '../../store/database.ts'
import { listHeads } from '../../kernel/heads.ts'
import { lacksRecord, nameOfRecord } from '../../ledger/lacksRecord.ts'
import { listLatency, percentileOf } from '../../ledger/latency.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { createMissingRecords } from '../../ledger/missingRecords.ts'
import type { AppConfig } from '../../kernel/settings.ts'
import type { Listed } from '../../kernel/horizons.ts'
import type { EscrowWatch } from '../escrow/watch.ts'
import { createListings } from './listings.ts'
import { createOpenCounts } from './openCounts.ts'
import { createWaker } from '../../kernel/waker.ts'
import { createZoneAudit, zoneTickMs } from './zoneCheck.ts'

export interface AuditPartDeps {
  readonly clock: Clock
  readonly db: Database
  readonly ledger: Ledger
  readonly learned: LearnedActions
  readonly explorer: Pick<Explorer, 'call' | 'callNonEmpty' | 'walk'>
  readonly reads: Pick<ExplorerReads, 'details' | 'feedByHash'>
  readonly commit: Commit
  readonly cursors: Pick<CursorFile, 'read'>
  readonly config: Pick<AppConfig, 'poll' | 'explorer' | 'retention'>
  readonly tellSince: UnixMs
  readonly startedAt: UnixMs
  readonly settleMs: () => number
  /** What is at stake where. */
  readonly watch: Pick<EscrowWatch, 'riskOf'>
  /** When the newest complete reading of the list began. */
  readonly listReadAt: () => UnixMs | null
  readonly random: () => number
  readonly trigger: (poller: string) => void
}

export interface AuditPart {
  readonly pollers: readonly Poller[]
  /** A pass of the sweep ended that began at this time. */
  noteSwept(startedAt: UnixMs): void
  /** Inside the commit that changed them. */
  noteTransfers(changed: readonly Transfer[], ceased: readonly string[], now: UnixMs): void
  /** What answers told: inside the commit. */
  noteListed(recorded: Recorded, now: UnixMs): void
  /** What the list shows, and what of the chains it does not. */
  listed(): Omit<Listed, 'listReadAt'>
  facts(): AuditFacts
  /** By how much the list lags behind the chains. */
  listLag(now: UnixMs): SharedFacts['listLag']
}

const capMs = 90_000
const sampleCount = 3
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The audits: the list by ranges against the ledger, a sample of the zone's blocks, and what follows from both. */
export function createAudit(deps: AuditPartDeps): AuditPart {
  const { clock, db } = deps
  let sweptAt: UnixMs | null = null
  const opens = createOpenCounts(db)
  const listings = createListings({ ...deps, isShown: (direction) => opens.isShown(direction) })
  // Kept in memory: a look into the table for every transfer that changes would cost more than recording it.
  let names: Set<string> | null = null
  const unlisted = () => (names ??= new Set(listUnlistedNames(db)))
  const suspect = (observation: Observation, source: Lack['source'], dueAt: UnixMs) =>
    addLack(db, toLack(observation, source, clock.now(), dueAt))
  return {
    pollers: [
      {
        name: 'audit',
        schedule: deps.config.poll.audit,
        isBackground: true,
        run: createListAudit(deps, suspect),
      },
      {
        name: 'auditChecks',
        isBackground: true,
        schedule: deps.config.poll.openTransfers,
        run: createChecks(deps, opens, () => sweptAt),
      },
      {
        name: 'zoneAudit',
        isBackground: true,
        schedule: zoneTickMs,
        run: createZoneAudit(deps, (action) => suspect(action, 'action', clock.now())),
      },
    ],
    noteSwept(startedAt) {
      sweptAt = startedAt
    },
    noteTransfers(changed, ceased, now) {
      for (const key of ceased) if (unlisted().delete(key)) dropLack(db, key)
      for (const transfer of changed) {
        opens.note(transfer)
        noteUnlisted(db, unlisted(), transfer, now)
      }
      listings.note(changed, ceased)
    },
    noteListed: ({ answers, changes }, now) => listings.noteListed(answers, changes, now),
    listed: () => listings.read(),
    facts() {
      const progress = readProgress(db)
      return {
        incomplete: summarizeTold(db).map((told) => ({ ...told, method: methodOf(told.source, progress) })),
      }
    },
    listLag: (now) => judgeListLag({ ...listings.read(), readAt: deps.listReadAt() }, capMs, now),
  }
}

function methodOf(source: string, { filter }: AuditProgress): string {
  if (source === 'zone') return 'zone blocks, sampled'
  if (source === 'event') return 'events of the bridge contracts'
  if (filter === null || filter === 'none')
    return 'the list by pages, back in time: its height filter does not work'
  return `the list by ${filter} height`
}

/** A transfer that the chains alone tell of is looked after until its record comes. */
function noteUnlisted(db: Database, known: Set<string>, transfer: Transfer, now: UnixMs): void {
  const { key, direction, main, zone, isListed, state } = transfer
  if (isListed || state !== 'pending' || destinationLeg(transfer) !== null) {
    if (known.delete(key)) dropLack(db, key)
    return
  }
  known.add(key)
  addLack(db, {
    ...emptyLack,
    name: key,
    source: direction === 'MainToZone' ? 'event' : 'zone',
    mainHash: main?.hash ?? null,
    zoneHash: zone?.hash ?? null,
    mainHeight: main?.height ?? null,
    zoneHeight: zone?.height ?? null,
    time: transfer.originAt,
    foundAt: now,
    dueAt: now,
    transferKey: key,
  })
}

const emptyLack = {
  state: 'suspected',
  toldAt: null,
  transferKey: null,
  reads: 0,
  firstAt: null,
  lastAt: null,
  controlAt: null,
  observation: null,
} as const

function toLack(observation: Observation, source: Lack['source'], foundAt: UnixMs, dueAt: UnixMs): Lack {
  const { mainHash, zoneHash, mainHeight, zoneHeight } = observation
  return {
    ...emptyLack,
    name: source === 'action' ? `action ${zoneHash ?? ''}` : nameOfRecord(observation),
    source,
    mainHash,
    zoneHash,
    mainHeight,
    zoneHeight,
    time: newestTime(observation),
    foundAt,
    dueAt,
    observation,
  }
}

type Suspect = (observation: Observation, source: Lack['source'], dueAt: UnixMs) => boolean

function createListAudit(deps: AuditPartDeps, suspect: Suspect) {
  const { clock, db } = deps
  const since = () => Math.max(deps.tellSince, clock.now() - deps.config.retention.transfersMs + dayMs)
  return createAuditPoll({
    clock,
    commit: deps.commit,
    reads: createAuditReads(deps),
    readProgress: () => readProgress(db),
    saveProgress: (progress) => saveAuditState(db, 'list', progress),
    isHistoryRead: () => deps.cursors.read().history.done,
    headHeight: (chain) => listHeads(db).find((head) => head.chain === chain)?.height ?? null,
    listSamples: () => listSamples(deps.ledger),
    lowestHeight: (chain) => lowestHeightSince(db, chain, since()),
    lacks: (record) => lacksRecord(db, record),
    suspect: (record) => suspect(record, 'list', clock.now()),
    listOpenSpans: (by) => spansOfTold(db, by),
    resolve: (span, startedAt) => resolveTold(db, span, startedAt),
    since,
    settleMs: deps.settleMs,
    wakeIn: createWaker(deps, 'audit'),
  })
}

/** So many are looked at for what is at stake. */
const maxDue = 500

function riskOf({ watch, ledger }: AuditPartDeps, lack: Lack): AtRisk {
  const { observation, transferKey, time } = lack
  const transfer = transferKey === null ? null : ledger.getTransfer(transferKey)
  const amount = toDecimal(observation?.value ?? transfer?.amount ?? '') ?? noAmount
  const token = canonicalToken(observation?.token ?? transfer?.token.address ?? '')
  return { share: watch.riskOf(token, amount), since: time, counts: true }
}

function createChecks(
  deps: AuditPartDeps,
  opens: ReturnType<typeof createOpenCounts>,
  sweptAt: () => UnixMs | null,
) {
  const { clock, db, ledger } = deps
  const missing = createMissingRecords(db, (key) => ledger.seenAt(key))
  return createAuditChecksPoll({
    clock,
    sweptAt,
    reads: deps.reads,
    commit: deps.commit,
    listDue: (now, limit) => valueFirst(listDueLacks(db, now, maxDue), (lack) => riskOf(deps, lack), limit),
    save: (lack) => saveLack(db, lack),
    drop: (name) => dropLack(db, name),
    lacks: (record) => lacksRecord(db, record),
    getTransfer: (key) => ledger.getTransfer(key),
    transfersOf: (hash) => ledger.listTransfers({ hash, limit: 200 }),
    findControl: () => missing.findControl(),
    sweepMs: deps.config.poll.sweepMs,
    settleMs: deps.settleMs,
    unlistedMs: (transfer) =>
      opens.isShown(transfer.direction) ? deps.settleMs() : hiddenMs(db, transfer.direction, clock.now()),
  })
}

/** Where the list shows a transfer only when it is complete: several times as long as nearly all of them take. */
function hiddenMs(db: Database, direction: Direction, now: UnixMs): number {
  const own = listLatency(db, now - 30 * dayMs, now).filter((one) => one.direction === direction)
  const p99 = percentileOf(own, 0.99)
  return p99 === null ? dayMs : Math.max(3 * p99, hourMs)
}

function readProgress(db: Database): AuditProgress {
  // Written by saveProgress.
  return { ...noProgress, ...(readAuditState(db, 'list') as AuditProgress | null) }
}

/** Listed transfers that show both heights, of different blocks. */
function listSamples(ledger: Pick<Ledger, 'listTransfers'>): HeightSample[] {
  const seen = new Set<number>()
  return ledger
    .listTransfers({ state: 'completed', limit: 50 })
    .filter(({ isListed }) => isListed)
    .flatMap(({ main, zone }) => {
      if (main === null || zone === null || main.height === null || zone.height === null) return []
      if (seen.has(zone.height)) return []
      seen.add(zone.height)
      return [{ mainHash: main.hash, zoneHash: zone.hash, mainHeight: main.height, zoneHeight: zone.height }]
    })
    .slice(0, sampleCount)
}
