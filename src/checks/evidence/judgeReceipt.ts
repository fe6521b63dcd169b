import { decodeMoves } from '../../clients/decodeMoves.ts'
import { isAbsent, noteReading, notYetAbsent } from '../../clients/explorer/absence.ts'
import type { Seat } from '../../clients/seat.ts'
import type { Rpc } from '../../clients/rpc/createRpc.ts'
import type { RpcResult } from '../../clients/rpc/rpcMethods.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { Chain } from '../../bridge/observation.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type Accusation, askQuorum } from '../../kernel/quorum.ts'
import { isContradicted } from '../../kernel/sources/sourceWords.ts'
import type { EvidenceReading } from '../../ledger/evidence/evidence.ts'
import type { QueuedLeg } from '../../ledger/evidence/evidenceQueue.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { hasPassed, restLonger } from './decideDoubt.ts'
import type { Outcome } from './doubt.ts'

/** A node of one chain, and the questions that wait for it. */
export interface ReceiptSource {
  readonly rpc: Pick<Rpc, 'call' | 'callMany' | 'session'>
  readonly chain: Chain
  readonly source: 'canonical' | 'zoneRpc'
  readonly ask: 'receipt' | 'zoneReceipt'
  readonly seat: Seat<Rpc>
  /** Blocks on top of a leg's before a missing receipt says anything. */
  readonly confirmations: number
}

export interface Receipts
  extends Pick<
      Kernel,
      'clock' | 'clockAheadMs' | 'commit' | 'cursors' | 'db' | 'ledger' | 'numbers' | 'trigger'
    >,
    ReceiptSource {}

export type Receipt = NonNullable<RpcResult<'eth_getTransactionReceipt'>>

/** What one round of questions has in common. */
export interface Round {
  readonly head: Head
  readonly hasControl: boolean
  /** A transaction that the node knew, and was asked of. */
  readonly control: string | null
  /** Of that one it showed logs before, and shows none: whether others have any it cannot tell. */
  readonly hidesLogs: boolean
  readonly at: UnixMs
  /** Of its requests: what orders their answers. */
  readonly number: UnixMs
}

/** The node's own, however far others are. */
interface Head {
  readonly height: number
  /** Block time, whole seconds as ms; null where the node does not say it. */
  readonly time: UnixMs | null
}

/** What cannot be judged yet is asked again after this, ever more rarely the longer it has waited. */
const retryMs = 5_000

const longestRetryMs = 60_000

const doubtMs = 15_000

/** A record may name a height that no chain ever reaches: after this the time of its block decides. */
const heightMs = 45_000

export function notShown({ source }: Receipts, says: string): MonitorError {
  const details = { source, endpoint: 'eth_getTransactionReceipt' }
  return new MonitorError('source.empty', `${source} ${says}`, { details })
}

export async function readHead(rpc: Pick<Rpc, 'call'>, signal: AbortSignal): Promise<Head> {
  const block = await rpc.call('eth_getBlockByNumber', ['latest', false], { signal, attempts: 2 })
  const { number = null, timestamp = null } = block ?? {}
  if (number === null) throw new MonitorError('source.invalid', 'the newest block of the node has no number')
  return { height: number, time: timestamp === null ? null : timestamp * 1_000 }
}

export async function judgeReceipt(
  receipts: Receipts,
  { leg, receipt }: { readonly leg: QueuedLeg; readonly receipt: Receipt | null },
  round: Round,
  signal: AbortSignal,
): Promise<Outcome> {
  const now = receipts.clock.now()
  if (receipt === null) return judgeMissing(receipts, leg, round, signal)
  const height = receipt.blockNumber ?? leg.height
  // Before that many blocks stand on it a reorganisation may still change it.
  if (height !== null && round.head.height < height + receipts.confirmations)
    return again(leg, now, retryOf(leg, now))
  const isHidden = round.hidesLogs && receipt.logs?.length === 0
  const logs = isHidden ? null : receipt.logs
  const moves = logs === null ? null : decodeMoves(logs)
  const reading = toReading(receipts, leg.hash, round.number, { status: receipt.status, moves, height })
  return isHidden
    ? { ...again(leg, now, retryOf(leg, now)), readings: [reading] }
    : { readings: [reading], saves: [], drops: [leg.hash] }
}

async function judgeMissing(
  receipts: Receipts,
  leg: QueuedLeg,
  round: Round,
  signal: AbortSignal,
): Promise<Outcome> {
  const now = receipts.clock.now()
  if (!round.hasControl || !isPast(receipts, leg, round.head)) return again(leg, now, retryOf(leg, now))
  const next = { ...leg, ...noteReading(leg, { kind: 'absent-among-others', at: round.at }) }
  if (leg.rests === 0 && !isAbsent(next)) return again(next, now, doubtMs)
  const block = await readItsBlock(receipts.rpc, leg, round.head, signal)
  if (block !== 'without it') {
    const says = sayBlock(leg, block, now)
    return {
      ...again({ ...leg, ...notYetAbsent }, now, longestRetryMs),
      ...(says !== null && { error: notShown(receipts, says) }),
    }
  }
  const rest = restLonger(next, now)
  const absent = toReading(receipts, leg.hash, round.number, {
    status: 'absent',
    moves: null,
    height: null,
    reads: next.reads,
  })
  const isTold = leg.rests > 0 && !isContradicted(receipts.db, 'receipt', leg.hash)
  const seat = { name: receipts.source, seat: receipts.seat }
  const agreement = isTold
    ? null
    : await askQuorum(receipts, seat, receiptAccusation(receipts, leg, round), signal)
  return {
    readings: agreement === null ? [] : [{ ...absent, agreement }],
    saves: rest === null ? [] : [rest],
    drops: rest === null ? [leg.hash] : [],
  }
}

type ItsBlock = 'without it' | 'holds it' | 'not shown' | 'unknown'

/**
 * What the node's own block says of a leg whose receipt it does not give: an index of transactions may be behind the
 * blocks, or kept for the newest alone. A chain has a block of each height up to its head: where none is shown, behind one
 * address another node answered, which has not come so far, or it is forgotten.
 */
async function readItsBlock(
  rpc: Pick<Rpc, 'call'>,
  leg: QueuedLeg,
  head: Head,
  signal: AbortSignal,
): Promise<ItsBlock> {
  // What a record says of a height that the chain has not come to is about no block.
  if (leg.height === null || leg.height > head.height) return 'without it'
  try {
    const block = await rpc.call('eth_getBlockByNumber', [leg.height, false], { signal })
    if (block === null) return 'not shown'
    return block.hashes.includes(leg.hash) ? 'holds it' : 'without it'
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof MonitorError) return 'unknown'
    throw error
  }
}

/** A node may have forgotten the blocks of before: of what lies so far back nothing is said. */
const keptBlocksMs = 3_600_000

/** What is to be said of a node whose block does not tell; null for nothing. */
function sayBlock(leg: QueuedLeg, block: ItsBlock, now: UnixMs): string | null {
  const of = `gives no receipt of ${leg.hash}`
  if (block === 'holds it') return `${of}, which its block ${leg.height ?? ''} holds`
  if (block === 'not shown' && now - leg.time <= keptBlocksMs)
    return `${of}, nor block ${leg.height ?? ''}, below its head`
  return null
}

/** That one node has no receipt of a leg, and how the others are asked of it. */
function receiptAccusation(receipts: Receipts, leg: QueuedLeg, { control }: Round): Accusation<Rpc> {
  return {
    chain: receipts.chain,
    what: 'receipt',
    about: leg.hash,
    says: 'nothing',
    async ask(rpc, signal) {
      const head = await readHead(rpc, signal)
      const isPast = isBuried(receipts, leg, head) ?? (head.time !== null && head.time >= leg.time)
      if (!isPast || control === null) return null
      const read = (hash: string) => rpc.call('eth_getTransactionReceipt', [hash], { signal })
      // Whoever does not show what is known to be there cannot tell what is not.
      if ((await read(control)) === null) return null
      const receipt = await read(leg.hash)
      if (receipt !== null) return receipt.status
      return (await readItsBlock(rpc, leg, head, signal)) === 'without it' ? 'nothing' : null
    },
  }
}

/** Whether the node itself has come past the leg: one that lags knows nothing of what is newer than its head. */
export function isPast(receipts: Receipts, leg: QueuedLeg, head: Head): boolean {
  const { time } = head
  const isBehind = time !== null && time < leg.time
  return (
    isBuried(receipts, leg, head) ??
    (!isBehind && receipts.clock.now() - leg.addedAt >= heightMs && hasPassed(receipts, leg))
  )
}

/**
 * Whether enough blocks stand on the leg; null below its height, which may be none. A node that stands still just above it
 * may have been left behind on a fork.
 */
function isBuried({ confirmations }: ReceiptSource, { height }: QueuedLeg, head: Head): boolean | null {
  return height === null || head.height < height ? null : head.height >= height + confirmations
}

/** A node that is behind, or of another chain, is not asked for ever more every few seconds. */
export function retryOf({ addedAt }: QueuedLeg, now: UnixMs): number {
  return Math.min(Math.max(retryMs, Math.floor((now - addedAt) / 10)), longestRetryMs)
}

export function again(leg: QueuedLeg, now: UnixMs, ms: number): Outcome {
  return { readings: [], saves: [{ ...leg, readyAt: now + ms, dueAt: now + ms }], drops: [] }
}

function toReading(
  { chain, source }: Receipts,
  hash: string,
  requestedAt: UnixMs,
  said: Pick<EvidenceReading, 'status' | 'moves'> & { height: number | null; reads?: number },
): EvidenceReading {
  return { chain, hash, source, requestedAt, errorMessage: '', ...said }
}
