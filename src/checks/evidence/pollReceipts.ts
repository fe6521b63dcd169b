import { settleWords } from '../../kernel/sources/sourceWords.ts'
import { createWaker } from '../../kernel/running/waker.ts'
import { listKnownHashes } from '../../ledger/evidence/evidence.ts'
import {
  dropQueued,
  hurryLeg,
  isShortOfHistory,
  listQueued,
  nextDueAt,
  type QueuedLeg,
  saveQueued,
} from '../../ledger/evidence/evidenceQueue.ts'
import type { Outcome } from './doubt.ts'
import { historyBatch, isListRead } from './poll.ts'
import { restAfter } from './restAfter.ts'
import {
  type Receipt,
  type Receipts,
  type Round,
  again,
  isPast,
  judgeReceipt,
  notShown,
  readHead,
  retryOf,
} from './judgeReceipt.ts'

const maxPerRun = 200

/** Of what is long over fewer at once: each commit of them holds up everything else. */
const maxLate = 50

/** From one run to the next where more is due. */
const leastPauseMs = 500

/**
 * Asks a chain's own node for the receipts of its legs. No receipt says nothing before so many blocks stand on the
 * leg's, and is believed after three readings in which the node knew another transaction.
 */
export function createReceiptsPoll(
  receipts: Receipts,
  { name, isLate }: { readonly name: string; readonly isLate: boolean },
): (signal: AbortSignal) => Promise<void> {
  const { clock, db } = receipts
  const wakeIn = createWaker(receipts, name)
  const memory: Memory = { withLogs: null }
  return async (signal) => {
    if (isLate && isShortOfHistory(db, [receipts.ask], clock.now(), historyBatch))
      receipts.ledger.queueHistory(historyBatch, clock.now())
    const heldMs = await askDue(receipts, { isLate, memory }, signal)
    const next = nextDueAt(db, [receipts.ask], isLate)
    const pauseMs = isLate ? restAfter(heldMs, isListRead(receipts)) : leastPauseMs
    if (next !== null) wakeIn(Math.max(next - clock.now(), pauseMs), signal)
  }
}

/** The newest transaction that the node showed logs of. */
interface Memory {
  withLogs: string | null
}

/** @returns how long the commit of what was answered took, ms */
async function askDue(
  receipts: Receipts,
  { isLate, memory }: { readonly isLate: boolean; readonly memory: Memory },
  signal: AbortSignal,
): Promise<number> {
  const { ask, chain, clock, db, numbers, source } = receipts
  // Of several nodes one says both how far it has come and what it knows.
  const rpc = receipts.rpc.session()
  const queued = listQueued(db, ask, isLate, clock.now(), isLate ? maxLate : maxPerRun)
  const due = queued.filter((leg) => leg.dueAt <= clock.now())
  if (due.length === 0) return 0
  const head = await readHead(rpc, signal)
  const hashes = due.map(({ hash }) => hash)
  const known = [memory.withLogs ?? [], listKnownHashes(db, chain, [source])].flat()
  const control = known.find((hash) => !hashes.includes(hash)) ?? null
  const [at, number] = [clock.now(), numbers.next()]
  const calls = (control === null ? hashes : [...hashes, control]).map((hash) => ({
    method: 'eth_getTransactionReceipt' as const,
    params: [hash] as [string],
  }))
  const outcomes = await rpc.callMany(calls, { signal })
  const hasControl = outcomes.some((outcome) => outcome.ok && outcome.value !== null)
  const hidesLogs = noteLogs(
    memory,
    outcomes.map((outcome) => (outcome.ok ? outcome.value : null)),
    control,
  )
  const round = { head, hasControl, at, number, control, hidesLogs }
  const judged: Outcome[] = await Promise.all(
    due.map(async (leg, index) => {
      const outcome = outcomes[index]
      return outcome?.ok
        ? judgeReceipt({ ...receipts, rpc }, { leg, receipt: outcome.value }, round, signal)
        : again(leg, clock.now(), retryOf(leg, clock.now()))
    }),
  )
  const begun = clock.monotonicMs()
  commitAll(receipts, judged, isLate)
  for (const outcome of outcomes) if (!outcome.ok) throw outcome.error
  for (const { error } of judged) if (error !== undefined) throw error
  refuseIgnorance(receipts, due, round)
  if (hidesLogs) throw notShown(receipts, `shows no logs of ${control}, and did before`)
  return clock.monotonicMs() - begun
}

/** @returns whether it shows none any more of the one transaction that it was asked of for that */
function noteLogs(memory: Memory, shown: readonly (Receipt | null)[], control: string | null): boolean {
  const { withLogs } = memory
  const newest = shown.find((receipt) => (receipt?.logs?.length ?? 0) > 0)
  if (newest) memory.withLogs = newest.transactionHash
  if (withLogs === null || withLogs !== control) return false
  const again = shown.at(-1)
  // A reorganisation may have taken it.
  if (again === null && !newest) memory.withLogs = null
  return again?.logs?.length === 0
}

/** So many transactions that it ought to know, where none is known that it knew once. */
const ignoredAtOnce = 3

/** @throws MonitorError where the node knows nothing of what lies behind its head: it is of another chain, or lost its past */
function refuseIgnorance(
  receipts: Receipts,
  due: readonly QueuedLeg[],
  { control, hasControl, head }: Round,
): void {
  const past = due.filter((leg) => isPast(receipts, leg, head))
  if (hasControl || past.length < (control === null ? ignoredAtOnce : 1)) return
  const before = control === null ? '' : `, nor ${control}, which it knew before`
  throw notShown(
    receipts,
    `may be of another chain: it knows none of ${past.length} transactions of the bridge behind its head, such as ${past[0]?.hash ?? ''}${before}`,
  )
}

function commitAll(
  { ask, clock, commit, db, trigger }: Receipts,
  outcomes: readonly Outcome[],
  isLate: boolean,
): void {
  commit({
    mayWait: isLate,
    evidence: outcomes.flatMap(({ readings }) => readings),
    apply: () => {
      for (const hash of outcomes.flatMap(({ drops }) => drops)) dropQueued(db, ask, hash)
      for (const { hash, status } of outcomes.flatMap(({ readings }) => readings))
        if (status !== 'absent') settleWords(db, 'receipt', hash)
      for (const leg of outcomes.flatMap(({ saves }) => saves)) {
        saveQueued(db, leg)
        if (leg.reads !== 1) continue
        // The explorer's own word on this transaction is wanted now.
        hurryLeg(db, leg.hash, clock.now())
        trigger('evidence')
      }
      return []
    },
  })
}
