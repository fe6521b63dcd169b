import { isAbsent, noteReading } from '../../clients/explorer/absence.ts'
import { decodeMoves } from '../../clients/decodeMoves.ts'
import type { Rpc } from '../../clients/rpc/createRpc.ts'
import type { RpcResult } from '../../clients/rpc/rpcMethods.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { EvidenceReading } from '../../ledger/evidence.ts'
import type { QueuedLeg } from '../../ledger/evidenceQueue.ts'
import { type Outcome, restLonger } from './decideDoubt.ts'
import type { Commit } from '../../kernel/reads.ts'

export interface ReceiptsDeps {
  readonly clock: Clock
  readonly rpc: Pick<Rpc, 'call' | 'callMany'>
  /** The number of a request that is sent now. */
  readonly nextNumber: () => UnixMs
  readonly commit: Commit
  /** Blocks on top of a leg's before a missing receipt says anything. */
  readonly confirmations: number
  listQueued(limit: number): QueuedLeg[]
  saveQueued(leg: QueuedLeg): void
  dropQueued(hash: string): void
  /** The explorer's own word on this transaction is wanted now. */
  hurryMain(hash: string): void
  /** Main transactions that the second source knew lately. */
  knownHashes(): readonly string[]
  /** Whether the explorer's main head has passed the leg. */
  readonly hasPassed: (leg: QueuedLeg) => boolean
}

type Receipt = NonNullable<RpcResult<'eth_getTransactionReceipt'>>

/** What one round of questions has in common. */
interface Round {
  readonly head: number
  readonly hasControl: boolean
  readonly at: UnixMs
  /** Of its requests: what orders their answers. */
  readonly number: UnixMs
}

const maxPerRun = 200
/** What cannot be judged yet is asked again after this. */
const retryMs = 5_000
const doubtMs = 15_000
/** A record may name a height that no chain ever reaches: after this the time of its block decides. */
const heightMs = 45_000

/**
 * Asks the canonical RPC for the receipts of main legs. No receipt says nothing before so many blocks stand on the
 * leg's, and is believed after three readings in which the node knew another transaction.
 */
export function createReceiptsPoll(deps: ReceiptsDeps): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    const due = deps.listQueued(maxPerRun).filter((leg) => leg.dueAt <= deps.clock.now())
    if (due.length === 0) return
    const head = await deps.rpc.call('eth_blockNumber', ['latest'], { signal, attempts: 2 })
    const hashes = due.map(({ hash }) => hash)
    const control = deps.knownHashes().find((hash) => !hashes.includes(hash)) ?? null
    const [at, number] = [deps.clock.now(), deps.nextNumber()]
    const calls = (control === null ? hashes : [...hashes, control]).map((hash) => ({
      method: 'eth_getTransactionReceipt' as const,
      params: [hash] as [string],
    }))
    const outcomes = await deps.rpc.callMany(calls, { signal })
    const hasControl = outcomes.some((outcome) => outcome.ok && outcome.value !== null)
    const judged = due.map((leg, index) => {
      const outcome = outcomes[index]
      return outcome?.ok
        ? judgeReceipt(deps, leg, outcome.value, { head, hasControl, at, number })
        : again(leg, deps.clock.now(), retryMs)
    })
    commitAll(deps, judged)
    for (const outcome of outcomes) if (!outcome.ok) throw outcome.error
  }
}

function judgeReceipt(deps: ReceiptsDeps, leg: QueuedLeg, receipt: Receipt | null, round: Round): Outcome {
  const now = deps.clock.now()
  if (receipt === null) return judgeMissing(deps, leg, round)
  const height = receipt.blockNumber ?? leg.height
  // Before that many blocks stand on it a reorganisation may still change it.
  if (height !== null && round.head < height + deps.confirmations) return again(leg, now, retryMs)
  const moves = receipt.logs === null ? null : decodeMoves(receipt.logs.filter((log) => !log.removed))
  const reading = toReading(leg.hash, round.number, { status: receipt.status, moves, height })
  return { readings: [reading], saves: [], drops: [leg.hash] }
}

function judgeMissing(deps: ReceiptsDeps, leg: QueuedLeg, round: Round): Outcome {
  const now = deps.clock.now()
  if (!round.hasControl || !isPast(deps, leg, round.head)) return again(leg, now, retryMs)
  const next = { ...leg, ...noteReading(leg, { kind: 'absent-among-others', at: round.at }) }
  if (leg.rests === 0 && !isAbsent(next)) return again(next, now, doubtMs)
  const rest = restLonger(next, now)
  const absent = toReading(leg.hash, round.number, {
    status: 'absent',
    moves: null,
    height: null,
    reads: next.reads,
  })
  return {
    readings: leg.rests === 0 ? [absent] : [],
    saves: rest === null ? [] : [rest],
    drops: rest === null ? [leg.hash] : [],
  }
}

function isPast({ confirmations, hasPassed, clock }: ReceiptsDeps, leg: QueuedLeg, head: number): boolean {
  if (leg.height !== null && head >= leg.height + confirmations) return true
  return clock.now() - leg.addedAt >= heightMs && hasPassed(leg)
}

function commitAll(deps: ReceiptsDeps, outcomes: readonly Outcome[]): void {
  deps.commit({
    evidence: outcomes.flatMap(({ readings }) => readings),
    apply: () => {
      for (const hash of outcomes.flatMap(({ drops }) => drops)) deps.dropQueued(hash)
      for (const leg of outcomes.flatMap(({ saves }) => saves)) {
        deps.saveQueued(leg)
        if (leg.reads === 1) deps.hurryMain(leg.hash)
      }
      return []
    },
  })
}

function again(leg: QueuedLeg, now: UnixMs, ms: number): Outcome {
  return { readings: [], saves: [{ ...leg, readyAt: now + ms, dueAt: now + ms }], drops: [] }
}

function toReading(
  hash: string,
  requestedAt: UnixMs,
  said: Pick<EvidenceReading, 'status' | 'moves'> & { height: number | null; reads?: number },
): EvidenceReading {
  return { chain: 'main', hash, source: 'canonical', requestedAt, errorMessage: '', ...said }
}
