import type { Rpc } from '../../clients/rpc/createRpc.ts'
import { passedTime } from '../../kernel/trackHead.ts'
import { coverMoney } from '../../meaning/coverMoney.ts'
import { movedToken } from '../../bridge/movedToken.ts'
import { showsMoney } from '../../meaning/showsMoney.ts'
import { waitsFor } from '../../meaning/standing.ts'
import { toMoneySettings } from '../../meaning/toMoneySettings.ts'
import { originLeg } from '../../bridge/transfer.ts'
import { createEarlierLogs } from './earlierLogs.ts'
import { createEarlierPayoutsPoll } from './earlierPayouts.ts'
import { createDisputesPoll } from './pollDisputes.ts'
import { createEvidencePoll, type EvidenceDeps } from './poll.ts'
import { createRecordLookup } from '../../kernel/recordLookup.ts'
import { createEvidenceReads } from './reads.ts'
import { createReceiptsPoll } from './pollReceipts.ts'
import type { Poller } from '../../kernel/runner.ts'
import { createUnnamedOriginsPoll } from './unnamedOrigins.ts'
import type { Database } from '../../store/database.ts'
import { listDisputes } from '../../ledger/disputes.ts'
import { type EvidenceReading, listKnownHashes } from '../../ledger/evidence.ts'
import {
  dropQueued,
  hurryMain,
  listQueued,
  nextDueAt,
  type QueuedLeg,
  saveQueued,
} from '../../ledger/evidenceQueue.ts'
import { listHeads, readWatermark } from '../../kernel/heads.ts'
import { takeHeldJudgements } from '../../ledger/learned.ts'
import { releaseLessons } from '../../ledger/openLessons.ts'
import { isLearned } from '../../meaning/openLessons.ts'
import { toTeaching } from '../../ledger/learnMoney.ts'
import { withTimes } from '../../store/requestNumbers.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { readControl } from '../../kernel/recordLookup.ts'
import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { sourceDisagreement } from './disagreement.ts'
import { createWaker } from '../../kernel/waker.ts'

/** Transactions that share one main transaction, at most. */
const maxSharing = 100

const sources = { zone: ['E9', 'E14'], main: ['E13', 'E2'], native: ['E15', 'E16'] } as const

/** Second sources: what they say of each leg, of what happens now, and, when there is time, of what is long over. */
export const evidence: Check = {
  name: 'evidence',
  kinds: [sourceDisagreement],
  open: (kernel) => ({ pollers: listPollers(kernel), facts: () => ({}) }),
}

function listPollers(deps: Kernel): Poller[] {
  const { canonical } = deps.rpcs
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
  deps: Kernel,
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

function createPart(deps: Kernel, name: string, isLate: boolean, others: EvidenceDeps['others']): Poller {
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

function askDisputed({ db, clock, ledger }: Kernel) {
  return createDisputesPoll({
    clock,
    listDisputes: (since, limit) => listDisputes(db, since, limit),
    getTransfer: (key) => ledger.getTransfer(key),
    askAgain: (transfer) => ledger.askAgain(transfer, clock.now()),
  })
}

/** Judges again what had to wait for more to be learned. */
function judgeHeld({ db, clock, commit, config, ledger, learned }: Kernel) {
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

function askReceipts(deps: Kernel, rpc: Pick<Rpc, 'call' | 'callMany'>, isLate: boolean) {
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

function lookForOrigins(deps: Kernel) {
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
    listReadAt: () => deps.list.readAt,
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
function lookForEarlier(deps: Kernel) {
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
function findListed({ db, ledger }: Kernel): { readonly mainHash: string } | null {
  const mainHash = listKnownHashes(db, 'main', sources.main).find((hash) =>
    ledger.listSharing('main', hash, 1).some((transfer) => transfer.isListed),
  )
  return mainHash === undefined ? null : { mainHash }
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
