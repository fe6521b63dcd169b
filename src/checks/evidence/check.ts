import { createHmac } from 'node:crypto'
import type { Explorer } from '../../clients/explorer/createExplorer.ts'
import type { Rpc } from '../../clients/rpc/createRpc.ts'
import { passedTime } from '../../kernel/trackHead.ts'
import { parseDecimal } from '../../bridge/amount.ts'
import { coverMoney } from '../../meaning/coverMoney.ts'
import type { LearnedMoney } from '../../meaning/learnedMoney.ts'
import { movedToken } from '../../bridge/movedToken.ts'
import { showsMoney } from '../../meaning/showsMoney.ts'
import { waitsFor } from '../../meaning/standing.ts'
import { toMoneySettings } from '../../meaning/toMoneySettings.ts'
import { originLeg, type Transfer } from '../../bridge/transfer.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { ContractReads } from '../../kernel/contractReads.ts'
import { createEarlierLogs } from './earlierLogs.ts'
import { createEarlierPayoutsPoll } from './earlierPayouts.ts'
import { createDisputesPoll } from './pollDisputes.ts'
import { createEvidencePoll, type EvidenceDeps } from './poll.ts'
import { createRecordLookup } from '../../kernel/recordLookup.ts'
import { createEvidenceReads } from './reads.ts'
import { createReceiptsPoll } from './pollReceipts.ts'
import type { Commit, ExplorerReads } from '../../kernel/reads.ts'
import type { Poller } from '../../kernel/runner.ts'
import { createUnnamedOriginsPoll } from './unnamedOrigins.ts'
import type { Database } from '../../store/database.ts'
import { listDisputes } from '../../ledger/disputes.ts'
import { type EvidenceReading, listKnownHashes, listListingLags } from '../../ledger/evidence.ts'
import {
  dropQueued,
  hurryMain,
  listQueued,
  nextDueAt,
  type QueuedLeg,
  saveQueued,
} from '../../ledger/evidenceQueue.ts'
import { listHeads } from '../../kernel/heads.ts'
import { takeHeldJudgements } from '../../ledger/learned.ts'
import { releaseLessons } from '../../ledger/openLessons.ts'
import { isLearned } from '../../meaning/openLessons.ts'
import { toTeaching } from '../../ledger/learnMoney.ts'
import { type RequestNumbers, withTimes } from '../../store/requestNumbers.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { AppConfig } from '../../kernel/settings.ts'
import { readControl } from '../transfers/check.ts'
import type { HorizonWatch } from '../../kernel/horizons.ts'
import { createWaker } from '../../kernel/waker.ts'

export interface EvidencePartDeps {
  readonly clock: Clock
  readonly numbers: Pick<RequestNumbers, 'next' | 'timeOf'>
  readonly db: Database
  readonly ledger: Ledger
  readonly explorer: Pick<Explorer, 'callNonEmpty' | 'health'>
  readonly commit: Commit
  readonly reads: Pick<ExplorerReads, 'details' | 'feedByHash' | 'feedByAddress' | 'mainBlock'>
  readonly contractReads: Pick<ContractReads, 'logs'>
  /** The second source; null without one. */
  readonly canonical: Pick<Rpc, 'call' | 'callMany'> | null
  readonly config: Pick<AppConfig, 'bridge' | 'poll' | 'canonical'>
  /** When the newest complete reading of the list began; null before the first. */
  readonly listReadAt: () => UnixMs | null
  readonly settleMs: () => number
  /** How much later it may be than our clock says. */
  readonly clockAheadMs: () => number
  readonly horizons: Pick<HorizonWatch, 'read'>
  readonly learned: LearnedMoney
  readonly trigger: (poller: string) => void
}

/**
 * An ordinary leg waits so long for others to share its request: with the half minute that absence takes it is told
 * within two minutes.
 */
export const evidenceHoldMs = 30_000
/** Of what the escrows hold: what takes more is worth a request of its own. */
const largeShare = 50n

export function isLargeShare(amountRaw: bigint | null, reserve: bigint | null): boolean {
  return amountRaw !== null && reserve !== null && amountRaw * largeShare > reserve
}

/** Transactions that share one main transaction, at most. */
const maxSharing = 100

const sources = { zone: ['E9', 'E14'], main: ['E13', 'E2'], native: ['E15', 'E16'] } as const

/** The pollers that ask second sources: of what happens now, and, when there is time, of what is long over. */
export function createEvidence(deps: EvidencePartDeps): Poller[] {
  const { canonical } = deps
  const receipts = canonical
    ? [
        createReceipts(deps, canonical, 'receipts', false),
        createReceipts(deps, canonical, 'receiptHistory', true),
      ]
    : []
  return [
    createPart(deps, 'evidence', false, [
      lookForOrigins(deps),
      lookForEarlier(deps),
      judgeHeld(deps),
      askDisputed(deps),
    ]),
    createPart(deps, 'evidenceHistory', true, []),
    ...receipts,
  ]
}

/** By itself: the second source must not wait for the first. */
function createReceipts(
  deps: EvidencePartDeps,
  rpc: Pick<Rpc, 'call' | 'callMany'>,
  name: string,
  isLate: boolean,
): Poller {
  const ask = askReceipts(deps, rpc, isLate)
  const wakeIn = createWaker(deps, name)
  return {
    name,
    schedule: deps.config.poll.evidence,
    async run(signal) {
      await ask(signal)
      const next = nextDueAt(deps.db, ['receipt'], isLate)
      if (next !== null) wakeIn(Math.max(next - deps.clock.now(), 500), signal)
    },
  }
}

function createPart(
  deps: EvidencePartDeps,
  name: string,
  isLate: boolean,
  others: EvidenceDeps['others'],
): Poller {
  const { clock, db, ledger, commit } = deps
  const money = () => toMoneySettings(deps.config.bridge, deps.learned)
  const run = createEvidencePoll({
    clock,
    others,
    commit,
    reads: createEvidenceReads(deps.explorer),
    listQueued: (ask, limit) => listQueued(db, ask, isLate, clock.now(), limit),
    saveQueued: (leg) => saveQueued(db, leg),
    dropQueued: (ask, hash) => dropQueued(db, ask, hash),
    nextDueAt: () => nextDueAt(db, ['zone', 'main', 'native', 'record', 'past'], isLate),
    knownHashes: (ask) => listKnownHashes(db, ask === 'zone' ? 'zone' : 'main', sources[ask]),
    hasPassed: (leg) => hasPassed(db, leg, deps.clockAheadMs()),
    clockAheadMs: () => deps.explorer.health().clockAheadMs ?? 0,
    wantsNative: (reading) => wantsNative(ledger, reading),
    isCovered: (reading) => isCovered(ledger, money(), reading),
    wakeIn: createWaker(deps, name),
  })
  return { name, schedule: deps.config.poll.evidence, run }
}

function askDisputed({ db, clock, ledger }: EvidencePartDeps) {
  return createDisputesPoll({
    clock,
    listDisputes: (since, limit) => listDisputes(db, since, limit),
    getTransfer: (key) => ledger.getTransfer(key),
    askAgain: (transfer) => ledger.askAgain(transfer, clock.now()),
  })
}

/** Judges again what had to wait for more to be learned. */
function judgeHeld({ db, clock, commit, config, ledger, learned }: EvidencePartDeps) {
  const teaching = toTeaching({ learned, bridge: config.bridge })
  const riskOf = (key: string) => {
    const transfer = ledger.getTransfer(key)
    return transfer === null ? 0 : ledger.riskOf(transfer)
  }
  return async () => {
    db.transaction(() => {
      releaseLessons(db, (lesson) => isLearned(lesson, teaching), clock.now())
      const judge = takeHeldJudgements(db, clock.now(), maxSharing, riskOf)
      if (judge.length > 0) commit({ judge })
    })
  }
}

function askReceipts(deps: EvidencePartDeps, rpc: Pick<Rpc, 'call' | 'callMany'>, isLate: boolean) {
  const { db, clock, commit } = deps
  return createReceiptsPoll({
    clock,
    rpc,
    nextNumber: () => deps.numbers.next(),
    commit,
    confirmations: deps.config.canonical?.confirmations ?? 3,
    listQueued: (limit) => listQueued(db, 'receipt', isLate, clock.now(), limit),
    saveQueued: (leg) => saveQueued(db, leg),
    dropQueued: (hash) => dropQueued(db, 'receipt', hash),
    hurryMain: (hash) => {
      hurryMain(db, hash, clock.now())
      deps.trigger('evidence')
    },
    knownHashes: () => listKnownHashes(db, 'main', ['canonical']),
    hasPassed: (leg) => hasPassed(db, leg, deps.clockAheadMs()),
  })
}

function lookForOrigins(deps: EvidencePartDeps) {
  const { db, clock, commit, ledger } = deps
  return createUnnamedOriginsPoll({
    clock,
    commit,
    reads: deps.reads,
    listQueued: (limit) => listQueued(db, 'record', false, clock.now(), limit),
    saveQueued: (leg) => saveQueued(db, leg),
    dropQueued: (hash) => dropQueued(db, 'record', hash),
    transfersOf: (hash) =>
      ledger.listTransfers({ hash, limit: maxSharing }).map((one) => withTimes(deps.numbers, one, 0)),
    lookUp: createRecordLookup({
      clock,
      reads: deps.reads,
      readControl: () => readControl(ledger, findListed(deps)),
    }),
    settleMs: deps.settleMs,
    watermark: () => readWatermark(db, deps.clockAheadMs()),
    listReadAt: deps.listReadAt,
    isWaiting: (transfer) =>
      waitsFor(transfer, {
        sharing: transfer.claim ? ledger.listSharing('zone', transfer.claim.hash, maxSharing) : [],
        partner: ledger.joinedByAmount(transfer),
        horizons: deps.horizons.read(),
        now: clock.now(),
      }) !== null,
  })
}

/** Asks the past whether it paid already what is paid now. */
function lookForEarlier(deps: EvidencePartDeps) {
  const { db, clock, ledger } = deps
  const contracts = deps.config.bridge.contracts.map((address) => address.toLowerCase())
  return createEarlierPayoutsPoll({
    ...deps,
    evidence: createEvidenceReads(deps.explorer),
    findLogs: createEarlierLogs({ ...deps, contracts }),
    settings: () => toMoneySettings(deps.config.bridge, deps.learned),
    listQueued: (limit) => listQueued(db, 'past', false, clock.now(), limit),
    saveQueued: (leg) => saveQueued(db, leg),
    dropQueued: (hash) => dropQueued(db, 'past', hash),
    transfersOf: (hash) =>
      ledger
        .listTransfers({ hash, limit: maxSharing })
        .filter((one) => originLeg(one)?.hash === hash && one.isListed),
  })
}

/** A main transaction that was asked of lately and whose record is listed. */
function findListed({ db, ledger }: EvidencePartDeps): { readonly mainHash: string } | null {
  const mainHash = listKnownHashes(db, 'main', sources.main).find((hash) =>
    ledger.listSharing('main', hash, 1).some((transfer) => transfer.isListed),
  )
  return mainHash === undefined ? null : { mainHash }
}

/**
 * Which main legs the second source is asked of: all above a bound, and of the rest a share that no one can choose.
 * @param key known to nobody else, and the same after a restart
 */
export function choosesReceipt(canonical: NonNullable<AppConfig['canonical']>, key: string) {
  const { verifyAbove, sample } = canonical
  return ({ amount }: Transfer, hash: string): boolean => {
    if (amount === null || isAtLeast(amount, verifyAbove)) return true
    // Keyed: who sends a transaction may choose its hash, and must not choose what is looked at.
    const digest = createHmac('sha256', key).update(hash).digest()
    return digest.readUInt32BE(0) / 0x1_0000_0000 < sample
  }
}

function isAtLeast(amount: string, bound: string): boolean {
  const [a, b] = [parseDecimal(amount), parseDecimal(bound)]
  return !a || !b || a.digits * 10n ** BigInt(b.scale) >= b.digits * 10n ** BigInt(a.scale)
}

/** The time that the readings of both heads have passed; null while one of them was not read. */
export function readWatermark(db: Database, clockAheadMs: number): UnixMs | null {
  const times = listHeads(db).flatMap((head) => passedTime(head, clockAheadMs) ?? [])
  return times.length < 2 ? null : Math.min(...times)
}

const learnedCount = 1_000
const relearnMs = 300_000
const settleBoundsMs = { floor: 30_000, unknown: 60_000, cap: 90_000 }

/**
 * How long after its block a record may first be listed: the 99.9th percentile of what the newest ones took, once
 * there are enough of them.
 */
export function createSettle(db: Database, clock: Pick<Clock, 'now'>): () => number {
  let known = { at: -Infinity, ms: settleBoundsMs.unknown }
  return () => {
    const now = clock.now()
    if (now - known.at < relearnMs && now >= known.at) return known.ms
    const lags = listListingLags(db, 4 * learnedCount)
    const learned = lags[Math.floor(lags.length * 0.999)]
    const ms =
      lags.length < learnedCount || learned === undefined
        ? settleBoundsMs.unknown
        : Math.min(Math.max(learned, settleBoundsMs.floor), settleBoundsMs.cap)
    known = { at: now, ms }
    return ms
  }
}

function hasPassed(db: Database, leg: QueuedLeg, clockAheadMs: number): boolean {
  const head = listHeads(db).find(({ chain }) => chain === (leg.ask === 'zone' ? 'zone' : 'main'))
  if (!head) return false
  return (
    (passedTime(head, clockAheadMs) ?? 0) >= leg.time || (leg.height !== null && head.height > leg.height)
  )
}

function wantsNative(ledger: Ledger, { hash, moves }: EvidenceReading): boolean {
  return ledger
    .listSharing('main', hash, maxSharing)
    .some(({ token }) => !moves?.some((move) => move.token !== '' && move.token === movedToken(token)))
}

function isCovered(
  ledger: Ledger,
  money: ReturnType<typeof toMoneySettings>,
  reading: EvidenceReading,
): boolean | null {
  const { hash, moves } = reading
  if (moves === null) return null
  const sharing = ledger.listSharing('main', hash, maxSharing).filter((one) => one.isListed)
  // Of the others it says nothing: they are asked for by another list.
  const shown = sharing.filter(({ token }) => showsMoney(token, reading))
  return shown.every((transfer) => {
    const covered = coverMoney(transfer, sharing, moves, money)
    return covered === null || covered === 'covered'
  })
}
