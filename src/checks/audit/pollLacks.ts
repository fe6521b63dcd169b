import { noAmount, toDecimal } from '../../bridge/decimal.ts'
import { canonicalToken } from '../../bridge/movedToken.ts'
import type { Direction, Observation } from '../../bridge/observation.ts'
import { destinationLeg, type Transfer } from '../../bridge/transfer.ts'
import { isAbsent, noteReading } from '../../clients/explorer/absence.ts'
import { askEach, askInParts } from '../../kernel/reads/askInParts.ts'
import { isClean, isCleanOf } from '../../kernel/reads/hiddenRows.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Read } from '../../kernel/reads/reads.ts'
import type { RecordLookup } from '../../kernel/reads/recordLookup.ts'
import { lacksRecord } from '../../ledger/transfers/lacksRecord.ts'
import { listLatency, percentileOf } from '../../ledger/lessons/latency.ts'
import { createMissingRecords } from '../../ledger/transfers/missingRecords.ts'
import { type AtRisk, valueFirst } from '../../ledger/sightings/valueFirst.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { isShown, type Listings, readListed } from './listings.ts'
import { dropLack, type Lack, listDueLacks, saveLack } from './store.ts'

interface Looking
  extends Pick<
    Kernel,
    'clock' | 'commit' | 'config' | 'db' | 'horizons' | 'ledger' | 'list' | 'reads' | 'settleMs' | 'stakes'
  > {
  readonly listings: Listings
  /** The records of a main transaction. */
  readonly lookUp: RecordLookup
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** How many that are due are looked at in one run, those due longest: most of them need no question. */
const maxDue = 1_000
/** One place in a question by hash is the control's. */
const batchSize = 19
const maxSingles = 5
const retryMs = 10_000
const doubtMs = 15_000
/** The readings of one run share their control question. */
const controlMs = 5_000
/** The sweep is waited for no longer than this. */
const sweepWaitMs = 15 * 60_000
/** A list that stands still is waited for no longer than this. */
const standsWaitMs = 15 * 60_000
/** How long without an answer by hash before a record is taken as the list gave it, ms. */
const unansweredMs = 20 * 60_000
/** How long second sources have to say whether a record found late is backed, ms. */
const proofMs = 180_000
const proofStepMs = 20_000
const toldMs = 60_000

/**
 * Looks again at what an audit found to lack. Records that the tail or the sweep bring meanwhile were late; one that
 * the ledger lacks even then is read again by hash, recorded, and reported. A zone action whose record three reads do not
 * find opens a transfer; one that the chains alone show is reported when its record has had its time.
 */
export async function lookAgain(audit: Looking, signal: AbortSignal): Promise<void> {
  const { clock, db, ledger } = audit
  // What needs no question takes nobody's turn.
  const due = listDueLacks(db, clock.now(), maxDue)
  if (due.length === 0) return
  const isBehind = readStanding(audit)
  const open = db.transaction(() => due.filter((lack) => prepare(audit, lack, isBehind)))
  const asked = valueFirst(open, (lack) => riskOf(audit, lack), batchSize)
  if (asked.length === 0) return
  const control = createMissingRecords(db, (key) => ledger.seenAt(key)).findControl()
  const byZone = asked.filter(({ zoneHash }) => zoneHash !== null)
  const ask = (some: readonly Lack[]) =>
    readByZone(audit, some, { control: control?.zoneHash ?? null, signal })
  const byMain = asked.filter(({ zoneHash }) => zoneHash === null).slice(0, maxSingles)
  await askEach([
    () => askInParts(byZone, ask, (some) => some.forEach((lack) => again(audit, lack, retryMs))),
    ...byMain.map((lack) => () => readByMain(audit, lack, signal)),
  ])
}

function riskOf({ stakes, ledger }: Looking, { observation, transferKey, time }: Lack): AtRisk {
  const transfer = transferKey === null ? null : ledger.getTransfer(transferKey)
  const amount = toDecimal(observation?.value ?? transfer?.amount ?? '') ?? noAmount
  const token = canonicalToken(observation?.token ?? transfer?.token.address ?? '')
  return { share: stakes.riskOf(token, amount), since: time, counts: true }
}

/** How long a transfer that the chains alone show may be without a record, ms. */
function unlistedMs({ clock, db, listings, settleMs }: Looking, { direction }: Transfer): number {
  return isShown(listings, direction) ? settleMs() : hiddenMs(db, direction, clock.now())
}

/** Where the list shows a transfer only when it is complete: several times as long as nearly all of them take. */
function hiddenMs(db: Database, direction: Direction, now: UnixMs): number {
  const own = listLatency(db, now - 30 * dayMs, now).filter((one) => one.direction === direction)
  const p99 = percentileOf(own, 0.99)
  return p99 === null ? dayMs : Math.max(3 * p99, hourMs)
}

/** Settles what needs no question. @returns whether the record has to be asked for */
function prepare(audit: Looking, lack: Lack, isBehind: (lack: Lack) => boolean): boolean {
  if (lack.state === 'recorded') return judgeRecorded(audit, lack)
  if (lack.source === 'list' || lack.source === 'action') return prepareRecord(audit, lack)
  const transfer = lack.transferKey === null ? null : audit.ledger.getTransfer(lack.transferKey)
  if (!transfer || transfer.isListed || destinationLeg(transfer) !== null) return drop(audit, lack)
  if (lack.state === 'told') return again(audit, lack, toldMs)
  const dueAt = lack.time + unlistedMs(audit, transfer)
  if (audit.clock.now() < dueAt) return again(audit, lack, dueAt - audit.clock.now())
  if (isBehind(lack)) return again(audit, lack, retryMs)
  // The absence of a withdrawal's record was proven before its transfer was opened.
  if (lack.source === 'event') return true
  return tell(audit, lack)
}

/**
 * Of each whether nothing shows yet that its record is missing: a chain's head has not come so far, or the list has shown nothing
 * newer, while the chains tell of others that it lacks too. A chain that was never read holds up nothing.
 */
function readStanding({ clock, horizons, listings }: Looking): (lack: Lack) => boolean {
  const { main, zone } = horizons.read()
  const { newestListedAt, unlisted } = readListed(listings)
  const waitsSince = clock.now() - standsWaitMs
  return ({ time }) => {
    if ([main, zone].some((shown) => shown !== null && shown <= time)) return true
    return unlisted.length > 1 && time > (newestListedAt ?? -Infinity) && time > waitsSince
  }
}

function hasShownNewer({ clock, listings }: Looking, { time }: Lack): boolean {
  return time < (readListed(listings).newestListedAt ?? -Infinity) || time < clock.now() - standsWaitMs
}

function prepareRecord(audit: Looking, lack: Lack): boolean {
  const { observation, source, foundAt, time } = lack
  const now = audit.clock.now()
  if (observation === null || !lacksRecord(audit.db, observation)) return drop(audit, lack)
  if (source === 'action') {
    // Without a record it is told as a theft: the list has to have come so far.
    const isAccused = observation.direction === 'MainToZone'
    return !isAccused || hasShownNewer(audit, lack) || again(audit, lack, retryMs)
  }
  const isInSweep = time >= foundAt - audit.config.poll.sweepMs
  const isSwept = (audit.list.sweptAt ?? 0) >= foundAt || now - foundAt >= sweepWaitMs
  if (now - foundAt < audit.settleMs() || (isInSweep && !isSwept)) return again(audit, lack, retryMs)
  return true
}

/** A record without a proven origin is reported as unbacked, and of one hash only one thing is reported. */
function judgeRecorded(audit: Looking, lack: Lack): boolean {
  const transfer = lack.transferKey === null ? null : audit.ledger.getTransfer(lack.transferKey)
  if (transfer?.state === 'unbacked') return drop(audit, lack)
  const isOpen = transfer?.originProof === 'unverified'
  if (isOpen && audit.clock.now() - (lack.lastAt ?? 0) < proofMs) return again(audit, lack, proofStepMs)
  return tell(audit, lack)
}

async function readByZone(
  audit: Looking,
  lacks: readonly Lack[],
  { control, signal }: { readonly control: string | null; readonly signal: AbortSignal },
): Promise<void> {
  const hashes = new Set(lacks.flatMap(({ zoneHash }) => zoneHash ?? []))
  const asked = control === null ? [...hashes] : [...new Set([...hashes, control])]
  const read = await audit.reads.details(asked, { priority: 'sweep', signal })
  const isShown = control !== null && read.records.some(({ zoneHash }) => zoneHash === control)
  const wouldShow = isCleanOf(read, asked)
  for (const lack of lacks) {
    settle(audit, lack, {
      read,
      isAnswered: isShown && wouldShow(lack.zoneHash ?? ''),
      shown: read.records.filter((one) => one.zoneHash === lack.zoneHash),
    })
  }
}

async function readByMain(audit: Looking, lack: Lack, signal: AbortSignal): Promise<void> {
  const wanted = { hash: lack.mainHash ?? '', addresses: listAddresses(audit, lack) }
  const read = await audit.lookUp(wanted, { priority: 'sweep', signal, checkedWithinMs: controlMs })
  settle(audit, lack, {
    read,
    isAnswered: read.isAnswer && isClean(read),
    shown: read.records.filter((one) => one.mainHash === lack.mainHash),
  })
}

/** Who a record or a transfer names, the recipient first. */
function listAddresses({ ledger }: Looking, { observation, transferKey }: Lack): string[] {
  const of = observation ?? (transferKey === null ? null : ledger.getTransfer(transferKey))
  return of === null ? [] : [of.targetAddress, of.sourceAddress]
}

interface Reading {
  readonly read: Read<Observation>
  /** A record that is known to be there was found beside it. */
  readonly isAnswered: boolean
  readonly shown: readonly Observation[]
}

function settle(audit: Looking, lack: Lack, reading: Reading): void {
  const { read, shown, isAnswered } = reading
  if (shown.length > 0) return record(audit, lack, reading)
  if (!isAnswered) {
    const { observation, source, foundAt } = lack
    // What cannot be asked for by hash is believed as the list gave it, rather than never recorded.
    if (source === 'list' && observation !== null && audit.clock.now() - foundAt >= unansweredMs)
      return record(audit, lack, {
        read: { ...read, requestedAt: observation.requestedAt },
        shown: [observation],
      })
    return void again(audit, lack, retryMs)
  }
  // By the clock: requests are numbered on from before it was set back.
  const at = Math.min(read.requestedAt, audit.clock.now())
  const absence = noteReading(lack, { kind: 'absent-among-others', at })
  const next = { ...lack, ...absence }
  if (!isAbsent(next)) return void again(audit, next, doubtMs)
  if (lack.source === 'event') return void tell(audit, next)
  // A record that was in the list once and is nowhere now: there is nothing to record.
  if (lack.source === 'list') return void drop(audit, lack)
  audit.commit({
    answers: lack.observation === null ? [] : [[lack.observation]],
    apply: () => {
      dropLack(audit.db, lack.name)
      return []
    },
  })
}

/** The record is there. The ledger did not hold it when this reading made a new transfer. */
function record(audit: Looking, lack: Lack, { read, shown }: Omit<Reading, 'isAnswered'>): void {
  // An action whose record is there after all: then the list has yet to show it.
  if (lack.source === 'action' && lack.observation?.source === 'chain') {
    const [observation] = shown
    audit.commit({
      apply: () => {
        const now = audit.clock.now()
        if (observation && lacksRecord(audit.db, observation))
          saveLack(audit.db, { ...lack, source: 'list', observation, foundAt: now, dueAt: now })
        else dropLack(audit.db, lack.name)
        return []
      },
    })
    return
  }
  audit.commit({
    answers: [shown],
    bad: read.bad,
    apply: (now) => {
      const hash = lack.zoneHash ?? lack.mainHash ?? ''
      const made = audit.ledger
        .listTransfers({ hash, limit: 200 })
        .filter((transfer) => transfer.firstSeenAt >= read.requestedAt && transfer.isListed)
      const [first] = made
      if (lack.source !== 'list' || !first) dropLack(audit.db, lack.name)
      else {
        const transferKey = first.key
        saveLack(audit.db, { ...lack, state: 'recorded', transferKey, lastAt: now, dueAt: now + proofStepMs })
      }
      return []
    },
  })
}

function again(audit: Looking, lack: Lack, ms: number): false {
  const dueAt = audit.clock.now() + ms
  audit.commit({ apply: () => (saveLack(audit.db, { ...lack, dueAt }), []) })
  return false
}

function drop(audit: Looking, lack: Lack): false {
  audit.commit({ apply: () => (dropLack(audit.db, lack.name), []) })
  return false
}

function tell(audit: Looking, lack: Lack): false {
  const toldAt = audit.clock.now()
  // What the list lacked ends by a later audit; what the chains show, as soon as it has its record.
  const dueAt = lack.source === 'list' ? null : toldAt + toldMs
  audit.commit({ apply: () => (saveLack(audit.db, { ...lack, state: 'told', dueAt, toldAt }), []) })
  return false
}
