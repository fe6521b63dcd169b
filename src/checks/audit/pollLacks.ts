import { isAbsent, noteReading } from '../../clients/explorer/absence.ts'
import type { Observation } from '../../bridge/observation.ts'
import { destinationLeg, type Transfer } from '../../bridge/transfer.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { Lack } from './store.ts'
import { isClean } from '../../kernel/hiddenRows.ts'
import type { Commit, ExplorerReads, Read } from '../../kernel/reads.ts'

export interface AuditChecksDeps {
  readonly clock: Clock
  readonly reads: Pick<ExplorerReads, 'details' | 'feedByHash'>
  readonly commit: Commit
  listDue(now: UnixMs, limit: number): readonly Lack[]
  save(lack: Lack): void
  drop(name: string): void
  lacks(record: Observation): boolean
  getTransfer(key: string): Transfer | null
  /** Transfers that bear a hash. */
  transfersOf(hash: string): readonly Transfer[]
  /** Hashes of a record that is known to be listed. */
  findControl(): { readonly mainHash: string; readonly zoneHash: string } | null
  /** When the newest complete pass of the sweep began; null before the first. */
  sweptAt(): UnixMs | null
  /** How far back the sweep reads, ms. */
  readonly sweepMs: number
  readonly settleMs: () => number
  /** How long a transfer that the chains alone tell of may be without a record, ms. */
  unlistedMs(transfer: Transfer): number
}

/** One place in a question by hash is the control's. */
const batchSize = 19
const maxSingles = 5
const retryMs = 10_000
const doubtMs = 15_000
/** The sweep is waited for no longer than this. */
const sweepWaitMs = 15 * 60_000
/** After so long without an answer by hash a record is taken as the list gave it. */
const unansweredMs = 20 * 60_000
/** Second sources are given so long to say whether a record found late is backed. */
const proofMs = 180_000
const proofStepMs = 20_000
const toldMs = 60_000

/**
 * Looks again at what an audit found to lack. Records that the tail or the sweep bring meanwhile were late; one that
 * the ledger lacks even then is read again by hash, recorded, and told. A zone action whose record three reads do not
 * find opens a transfer; one that the chains alone tell of is told when its record has had its time.
 */
export function createAuditChecksPoll(deps: AuditChecksDeps): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    const due = deps.listDue(deps.clock.now(), batchSize)
    const asked = due.filter((lack) => prepare(deps, lack))
    if (asked.length === 0) return
    const control = deps.findControl()
    const byZone = asked.filter(({ zoneHash }) => zoneHash !== null)
    if (byZone.length > 0) await readByZone(deps, byZone, control?.zoneHash ?? null, signal)
    const byMain = asked.filter(({ zoneHash }) => zoneHash === null).slice(0, maxSingles)
    for (const lack of byMain) await readByMain(deps, lack, control?.mainHash ?? null, signal)
  }
}

/** Settles what needs no question. @returns whether the record has to be asked for */
function prepare(deps: AuditChecksDeps, lack: Lack): boolean {
  if (lack.state === 'recorded') return judgeRecorded(deps, lack)
  if (lack.source === 'list' || lack.source === 'action') return prepareRecord(deps, lack)
  const transfer = lack.transferKey === null ? null : deps.getTransfer(lack.transferKey)
  if (!transfer || transfer.isListed || destinationLeg(transfer) !== null) return drop(deps, lack)
  if (lack.state === 'told') return again(deps, lack, toldMs)
  const dueAt = lack.time + deps.unlistedMs(transfer)
  if (deps.clock.now() < dueAt) return again(deps, lack, dueAt - deps.clock.now())
  // The absence of a withdrawal's record was proven before its transfer was opened.
  if (lack.source === 'event') return true
  return tell(deps, lack)
}

function prepareRecord(deps: AuditChecksDeps, lack: Lack): boolean {
  const { observation, source, foundAt, time } = lack
  const now = deps.clock.now()
  if (observation === null || !deps.lacks(observation)) return drop(deps, lack)
  if (source === 'action') return true
  const isInSweep = time >= foundAt - deps.sweepMs
  const isSwept = (deps.sweptAt() ?? 0) >= foundAt || now - foundAt >= sweepWaitMs
  if (now - foundAt < deps.settleMs() || (isInSweep && !isSwept)) return again(deps, lack, retryMs)
  return true
}

/** A record without a proven origin is told as unbacked, and of one hash only one thing is told. */
function judgeRecorded(deps: AuditChecksDeps, lack: Lack): boolean {
  const transfer = lack.transferKey === null ? null : deps.getTransfer(lack.transferKey)
  if (transfer?.state === 'unbacked') return drop(deps, lack)
  const isOpen = transfer?.originProof === 'unverified'
  if (isOpen && deps.clock.now() - (lack.lastAt ?? 0) < proofMs) return again(deps, lack, proofStepMs)
  return tell(deps, lack)
}

async function readByZone(
  deps: AuditChecksDeps,
  lacks: readonly Lack[],
  control: string | null,
  signal: AbortSignal,
): Promise<void> {
  const hashes = new Set(lacks.flatMap(({ zoneHash }) => zoneHash ?? []))
  const asked = control === null ? [...hashes] : [...new Set([...hashes, control])]
  const read = await orRetry(deps, lacks, () => deps.reads.details(asked, { priority: 'sweep', signal }))
  const isShown = control !== null && read.records.some(({ zoneHash }) => zoneHash === control)
  const isAnswered = isShown && isClean(read)
  for (const lack of lacks) {
    settle(deps, lack, {
      read,
      isAnswered,
      shown: read.records.filter((one) => one.zoneHash === lack.zoneHash),
    })
  }
}

async function readByMain(
  deps: AuditChecksDeps,
  lack: Lack,
  control: string | null,
  signal: AbortSignal,
): Promise<void> {
  const options = { priority: 'sweep', signal } as const
  // Whether the service filters by hash at all is told by a record that is known to be there.
  const known =
    control === null ? null : await orRetry(deps, [lack], () => deps.reads.feedByHash(control, options))
  const works =
    known !== null &&
    isClean(known) &&
    known.records.length > 0 &&
    known.records.every(({ mainHash }) => mainHash === control)
  const read = await orRetry(deps, [lack], () => deps.reads.feedByHash(lack.mainHash ?? '', options))
  const isAnswered = works && isClean(read)
  settle(deps, lack, {
    read,
    isAnswered,
    shown: read.records.filter((one) => one.mainHash === lack.mainHash),
  })
}

interface Reading {
  readonly read: Read<Observation>
  /** A record that is known to be there was found beside it. */
  readonly isAnswered: boolean
  readonly shown: readonly Observation[]
}

function settle(deps: AuditChecksDeps, lack: Lack, reading: Reading): void {
  const { read, shown, isAnswered } = reading
  if (shown.length > 0) return record(deps, lack, reading)
  if (!isAnswered) {
    const { observation, source, foundAt } = lack
    // What cannot be asked for by hash is believed as the list gave it, rather than never recorded.
    if (source === 'list' && observation !== null && deps.clock.now() - foundAt >= unansweredMs)
      return record(deps, lack, {
        read: { ...read, requestedAt: observation.requestedAt },
        shown: [observation],
      })
    return void again(deps, lack, retryMs)
  }
  // By the clock: requests are numbered on from before it was set back.
  const at = Math.min(read.requestedAt, deps.clock.now())
  const absence = noteReading(lack, { kind: 'absent-among-others', at })
  const next = { ...lack, ...absence }
  if (!isAbsent(next)) return void again(deps, next, doubtMs)
  if (lack.source === 'event') return void tell(deps, next)
  // A record that was in the list once and is nowhere now: there is nothing to record.
  if (lack.source === 'list') return void drop(deps, lack)
  deps.commit({
    answers: lack.observation === null ? [] : [[lack.observation]],
    apply: () => {
      deps.drop(lack.name)
      return []
    },
  })
}

/** The record is there. Whether the ledger did not hold it is told by whether this reading made a new transfer. */
function record(deps: AuditChecksDeps, lack: Lack, { read, shown }: Omit<Reading, 'isAnswered'>): void {
  // An action whose record is there after all: then the list has yet to show it.
  if (lack.source === 'action' && lack.observation?.source === 'chain') {
    const [observation] = shown
    deps.commit({
      apply: () => {
        const now = deps.clock.now()
        if (observation && deps.lacks(observation))
          deps.save({ ...lack, source: 'list', observation, foundAt: now, dueAt: now })
        else deps.drop(lack.name)
        return []
      },
    })
    return
  }
  deps.commit({
    answers: [shown],
    bad: read.bad,
    apply: (now) => {
      const hash = lack.zoneHash ?? lack.mainHash ?? ''
      const made = deps
        .transfersOf(hash)
        .filter((transfer) => transfer.firstSeenAt >= read.requestedAt && transfer.isListed)
      const [first] = made
      if (lack.source !== 'list' || !first) deps.drop(lack.name)
      else {
        const transferKey = first.key
        deps.save({ ...lack, state: 'recorded', transferKey, lastAt: now, dueAt: now + proofStepMs })
      }
      return []
    },
  })
}

async function orRetry<T>(deps: AuditChecksDeps, lacks: readonly Lack[], ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    for (const lack of lacks) again(deps, lack, retryMs)
    throw error
  }
}

function again(deps: AuditChecksDeps, lack: Lack, ms: number): false {
  const dueAt = deps.clock.now() + ms
  deps.commit({ apply: () => (deps.save({ ...lack, dueAt }), []) })
  return false
}

function drop(deps: AuditChecksDeps, lack: Lack): false {
  deps.commit({ apply: () => (deps.drop(lack.name), []) })
  return false
}

function tell(deps: AuditChecksDeps, lack: Lack): false {
  const toldAt = deps.clock.now()
  // What the list lacked ends by a later audit; what the chains tell of, as soon as it has its record.
  const dueAt = lack.source === 'list' ? null : toldAt + toldMs
  deps.commit({ apply: () => (deps.save({ ...lack, state: 'told', dueAt, toldAt }), []) })
  return false
}
