import type { HeightSample } from './heightFilter.ts'
import { noAmount, toDecimal } from '../../bridge/decimal.ts'
import { canonicalToken } from '../../bridge/movedToken.ts'
import { type AtRisk, valueFirst } from '../../ledger/valueFirst.ts'
import type { Direction, Observation } from '../../bridge/observation.ts'
import { destinationLeg, type Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { type AuditProgress, createAuditPoll, noProgress } from './pollList.ts'
import { createAuditChecksPoll } from './pollLacks.ts'
import { createAuditReads, newestTime } from './reads.ts'
import type { AuditPart } from './facts.ts'
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
import type { Database } from '../../store/database.ts'
import { listHeads } from '../../kernel/heads.ts'
import { lacksRecord, nameOfRecord } from '../../ledger/lacksRecord.ts'
import { listLatency, percentileOf } from '../../ledger/latency.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { createMissingRecords } from '../../ledger/missingRecords.ts'
import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { ledgerIncomplete } from './incomplete.ts'
import { purgeZoneAudit } from './zoneStore.ts'
import { createListings } from './listings.ts'
import { createOpenCounts } from './openCounts.ts'
import { createWaker } from '../../kernel/waker.ts'
import { createZoneAudit, zoneTickMs } from './zoneCheck.ts'

const sampleCount = 3
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The audits: the list by ranges against the ledger, a sample of the zone's blocks, and what follows from both. */
export const audit: Check<AuditPart> = {
  name: 'audit',
  kinds: [ledgerIncomplete],
  open(kernel) {
    const { clock, config, db, horizons } = kernel
    const opens = createOpenCounts(db)
    const listings = createListings({ ...kernel, isShown: (direction) => opens.isShown(direction) })
    horizons.follow(() => listings.read())
    // Kept in memory: a look into the table for every transfer that changes would cost more than recording it.
    let names: Set<string> | null = null
    const unlisted = () => (names ??= new Set(listUnlistedNames(db)))
    const suspect: Suspect = (observation, source, dueAt) =>
      addLack(db, toLack(observation, source, clock.now(), dueAt))
    const suspectAction = (action: Observation) => suspect(action, 'action', clock.now())
    const { poll } = config
    return {
      pollers: [
        { name: 'audit', schedule: poll.audit, isBackground: true, run: createListAudit(kernel, suspect) },
        {
          name: 'auditChecks',
          isBackground: true,
          schedule: poll.openTransfers,
          run: createChecks(kernel, opens),
        },
        {
          name: 'zoneAudit',
          isBackground: true,
          schedule: zoneTickMs,
          run: createZoneAudit(kernel, suspectAction),
        },
      ],
      onTransfers(changed, ceased, now) {
        for (const key of ceased) if (unlisted().delete(key)) dropLack(db, key)
        for (const transfer of changed) {
          opens.note(transfer)
          noteUnlisted(db, unlisted(), transfer, now)
        }
        listings.note(changed, ceased)
      },
      onRecords: ({ answers, changes }, now) => (listings.noteListed(answers, changes, now), []),
      facts() {
        const progress = readProgress(db)
        return {
          incomplete: summarizeTold(db).map((told) => ({ ...told, method: methodOf(told.source, progress) })),
        }
      },
      prune: (now) => purgeZoneAudit(db, now - config.retention.transfersMs),
    }
  },
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

function createListAudit(deps: Kernel, suspect: Suspect) {
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

function riskOf({ stakes, ledger }: Kernel, lack: Lack): AtRisk {
  const { observation, transferKey, time } = lack
  const transfer = transferKey === null ? null : ledger.getTransfer(transferKey)
  const amount = toDecimal(observation?.value ?? transfer?.amount ?? '') ?? noAmount
  const token = canonicalToken(observation?.token ?? transfer?.token.address ?? '')
  return { share: stakes.riskOf(token, amount), since: time, counts: true }
}

function createChecks(deps: Kernel, opens: ReturnType<typeof createOpenCounts>) {
  const { clock, db, ledger } = deps
  const missing = createMissingRecords(db, (key) => ledger.seenAt(key))
  return createAuditChecksPoll({
    clock,
    sweptAt: () => deps.list.sweptAt,
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
