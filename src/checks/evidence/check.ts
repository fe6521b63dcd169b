import type { Check } from '../../kernel/check.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { createRecordLookup, readControl } from '../../kernel/reads/recordLookup.ts'
import type { Poller } from '../../kernel/running/runner.ts'
import { createWaker } from '../../kernel/running/waker.ts'
import { listKnownHashes } from '../../ledger/evidence/evidence.ts'
import { holdJudgement, nextHeldAt, takeHeldJudgements } from '../../ledger/lessons/learned.ts'
import { toTeaching } from '../../ledger/learnMoney.ts'
import { releaseLessons } from '../../ledger/lessons/openLessons.ts'
import { answerHoldMs, isAwaited, listDifferences } from '../../meaning/compareAnswers.ts'
import { isLearned } from '../../meaning/openLessons.ts'
import { maxSharing } from './confirmMoves.ts'
import { sourceDisagreement } from './disagreement.ts'
import { createEarlierPayoutsPoll } from './earlierPayouts.ts'
import { sources } from './indexLag.ts'
import { createEvidencePoll } from './poll.ts'
import { createReceiptsPoll } from './pollReceipts.ts'
import type { ReceiptSource } from './judgeReceipt.ts'
import { createEvidenceReads } from './reads.ts'
import { lookForOrigins } from './unnamedOrigins.ts'
import { listDisputes } from '../../ledger/evidence/disputes.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Transfer } from '../../bridge/transfer.ts'

/** Second sources: what they say of each leg, of what happens now, and, when there is time, of what is long over. */
export const evidence: Check = {
  name: 'evidence',
  kinds: [sourceDisagreement],
  open: (kernel) => ({
    pollers: listPollers(kernel),
    facts: () => ({}),
    onTransfers: (changed, _ceased, now) => changed.forEach((one) => awaitAnswers(kernel, one, now)),
  }),
}

/** Who is to answer again before two sources are said to differ: asked now, and not waited for longer than may be. */
function awaitAnswers({ db, tellSince, trigger }: Kernel, transfer: Transfer, now: UnixMs): void {
  if (Math.max(transfer.originAt, transfer.destinationAt ?? 0) < tellSince) return
  for (const difference of listDifferences(transfer)) {
    const { leg, outdated, since } = difference
    if (!isAwaited(difference, now)) continue
    holdJudgement(db, transfer.key, Math.min(since, now) + answerHoldMs)
    const node = nodes.find(({ chain }) => chain === leg.chain)
    trigger(outdated === 'node' && node ? node.names[0] : 'evidence')
  }
}

function listPollers(kernel: Kernel): Poller[] {
  const schedule = kernel.config.poll.evidence
  const asked = { ...kernel, reads: createEvidenceReads(kernel.explorer) }
  const lookUp = createRecordLookup({
    ...kernel,
    readControl: () => readControl(kernel.ledger, findListed(kernel)),
  })
  const parts = [
    {
      name: 'evidence',
      isLate: false,
      others: [
        (signal: AbortSignal) => lookForOrigins({ ...kernel, lookUp }, signal),
        // Asks the past whether it paid already what is paid now.
        createEarlierPayoutsPoll({ ...kernel, evidence: asked.reads }),
        createDisputesPoll(kernel),
      ],
    },
    { name: 'evidenceHistory', isLate: true, others: [] },
  ]
  // By themselves: the second source must not wait for the first, nor what was held for either.
  return [
    ...parts.map((part) => ({
      name: part.name,
      schedule,
      isBackground: part.isLate,
      run: createEvidencePoll(asked, part),
    })),
    ...listNodes(kernel).flatMap(({ names, ...node }) =>
      names.map((name, at) => ({
        name,
        schedule,
        run: createReceiptsPoll({ ...kernel, ...node }, { name, isLate: at === 1 }),
      })),
    ),
    { name: heldName, schedule, asksNobody: true, run: createHeldPoll(kernel) },
  ]
}

/** The chains' own nodes, each with its pollers: of what happens now, and of what is long over. */
const nodes = [
  { source: 'canonical', chain: 'main', ask: 'receipt', names: ['receipts', 'receiptHistory'] },
  { source: 'zoneRpc', chain: 'zone', ask: 'zoneReceipt', names: ['zoneReceipts', 'zoneReceiptHistory'] },
] as const

function listNodes({ config, rpcs }: Kernel): (ReceiptSource & { readonly names: readonly string[] })[] {
  return nodes.flatMap((node) => {
    const [rpc, seat] = [rpcs[node.source], rpcs.seats[node.source]]
    if (!rpc || !seat) return []
    return [{ ...node, rpc, seat, confirmations: config[node.source]?.confirmations ?? 3 }]
  })
}

const heldName = 'heldJudgements'

/** Judges what was held in its time. */
function createHeldPoll(kernel: Kernel): (signal: AbortSignal) => Promise<void> {
  const { clock, db } = kernel
  const wakeIn = createWaker(kernel, heldName)
  const risks = new Map<string, number>()
  return async (signal) => {
    judgeHeld(kernel, risks)
    const next = nextHeldAt(db)
    if (next !== null) wakeIn(Math.max(next - clock.now(), 500), signal)
  }
}

/** Judges again what had to wait, for more to be learned or for a source to answer again. */
function judgeHeld({ db, clock, commit, config, ledger, learned }: Kernel, known: Map<string, number>): void {
  const teaching = toTeaching({ learned, bridge: config.bridge })
  const riskOf = (key: string) => {
    const transfer = ledger.getTransfer(key)
    return transfer === null ? 0 : ledger.riskOf(transfer)
  }
  const hasNothing = (judge: readonly string[]) => judge.length === 0
  db.transaction(() => {
    releaseLessons(db, (lesson) => isLearned(lesson, teaching), clock.now())
    const judge = takeHeldJudgements(db, clock.now(), maxSharing, { known, of: riskOf })
    if (judge.length > 0) commit({ judge })
    return judge
  }, hasNothing)
}

/** A main transaction that was asked of lately and whose record is listed. */
function findListed({ db, ledger }: Kernel): { readonly mainHash: string } | null {
  const mainHash = listKnownHashes(db, 'main', sources.main).find((hash) =>
    ledger.listSharing('main', hash, 1).some((transfer) => transfer.isListed),
  )
  return mainHash === undefined ? null : { mainHash }
}

/** What nobody took back by then is not waited for any more. */
const watchedMs = 48 * 3_600_000
const firstMs = 60_000
/** Disputes looked at in one run: one that is left out would never be taken back. */
const maxListed = 20_000
/** Those asked about again in one run, the ones due longest. */
const maxAsked = 20

/**
 * Asks again about what was reported because a second source said otherwise: the answer may change, and then one correction
 * follows. Each dispute is asked about after a minute and then ever more rarely, by its own age.
 */
export function createDisputesPoll({
  clock,
  db,
  ledger,
}: Pick<Kernel, 'clock' | 'db' | 'ledger'>): () => Promise<void> {
  const askedAt = new Map<string, UnixMs>()
  return async () => {
    const now = clock.now()
    const open = listDisputes(db, now - watchedMs, maxListed)
    const keys = new Set(open.map(({ key }) => key))
    for (const key of askedAt.keys()) if (!keys.has(key)) askedAt.delete(key)
    const waiting = open.map(({ key, toldAt }) => {
      const last = askedAt.get(key) ?? toldAt
      return { key, dueAt: last + Math.max(firstMs, last - toldAt) }
    })
    const due = waiting.filter(({ dueAt }) => now >= dueAt).toSorted((a, b) => a.dueAt - b.dueAt)
    for (const { key } of due.slice(0, maxAsked)) {
      askedAt.set(key, now)
      const transfer = ledger.getTransfer(key)
      if (transfer) ledger.askAgain(transfer, now)
    }
  }
}
