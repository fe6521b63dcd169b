import type { UnixMs } from '../../lib/clock.ts'
import { callsOf, mainBlockHash, mainTransactions, place } from '../chain/mainChain.ts'
import type { MainCall, MainTransaction } from '../chain/mainTransaction.ts'
import { hashOf, keyOfHash } from '../hashes.ts'
import { mainBlockMs, mainBlockTime, mainHeadAt, mainHeightAt } from '../heights.ts'
import { mix } from '../random.ts'
import { reachedAt, type World } from '../world.ts'
import { invalidParams } from './rpcError.ts'

/** What one node sees: the preconfirming one also what is being made, a plain one only what is final. */
export interface RpcView {
  readonly world: World
  /** The newest complete block. */
  readonly head: number
  readonly pending: Preconfirmed | null
}

export interface RpcBlock {
  readonly height: number
  readonly hash: string
  readonly parentHash: string
  readonly transactions: readonly MainTransaction[]
}

// Steps of a block fit into three bits of its number.
const stepsPerBlock = 8

/** The block being made as it was last preconfirmed: so many of its steps have been seen. */
interface Preconfirmed {
  readonly height: number
  readonly step: number
  readonly transactions: readonly MainTransaction[]
}

export function createRpcView(world: World, kind: 'preconf' | 'canonical'): RpcView {
  const head = mainHeadAt(world, reachedAt(world, 'rpc'))
  return { world, head, pending: kind === 'preconf' ? preconfirmed(world) : null }
}

/** The block that a number or tag names, or null when there is none. */
export function blockAt(view: RpcView, tag: unknown): RpcBlock | null {
  const height = heightOf(view, tag)
  if (tag === 'pending' && view.pending) return pendingBlock(view, view.pending)
  if (view.pending?.height === height && height > view.head) return pendingBlock(view, view.pending)
  return height >= 0 && height <= view.head ? completeBlock(view, height) : null
}

/** A block by its hash: of the one being made only the present hash is known, it changes with every step. */
export function blockByHash(view: RpcView, hash: unknown): RpcBlock | null {
  if (typeof hash !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(hash))
    throw invalidParams('expected a block hash')
  const height = keyOfHash(view.world.seed, 'mainBlock', hash)
  if (height !== null) return height <= view.head ? completeBlock(view, height) : null
  const pending = view.pending && pendingBlock(view, view.pending)
  return pending?.hash === hash.toLowerCase() ? pending : null
}

/** The height that a number or tag names. */
export function heightOf(view: RpcView, tag: unknown): number {
  switch (tag) {
    case 'pending':
      return view.pending?.height ?? view.head
    case undefined:
    case 'latest':
      return view.head
    case 'safe':
      return view.head - 32
    case 'finalized':
      return view.head - 64
    case 'earliest':
      return 0
    default: {
      if (typeof tag === 'string' && /^0x[0-9a-fA-F]{1,12}$/.test(tag)) return Number.parseInt(tag, 16)
      throw invalidParams('expected a block number or tag')
    }
  }
}

function completeBlock(view: RpcView, height: number): RpcBlock {
  return {
    height,
    hash: mainBlockHash(view.world, height),
    parentHash: mainBlockHash(view.world, height - 1),
    transactions: mainTransactions(view.world, height).filter((one) => isKnown(view, one)),
  }
}

function isKnown({ world }: RpcView, { unknownUntil = -Infinity }: MainTransaction): boolean {
  return world.now >= unknownUntil
}

function pendingBlock(view: RpcView, pending: Preconfirmed): RpcBlock {
  const { height, step, transactions } = pending
  return {
    height,
    hash: hashOf(view.world.seed, 'preconfBlock', height * stepsPerBlock + step),
    parentHash: mainBlockHash(view.world, height - 1),
    transactions: transactions.filter((one) => isKnown(view, one)),
  }
}

/** A block is made in three to five steps. */
function stepsOf(world: World, height: number): number {
  return 3 + (mix(world.seed, height, 0x57e) % 3)
}

/**
 * The last preconfirmed state. Until the first step of a new block has come it is still the block before, complete;
 * while preconfirmations stand still it stays what it was, and the chain goes on without it.
 */
function preconfirmed(world: World): Preconfirmed {
  const reached = Math.min(reachedAt(world, 'preconf'), reachedAt(world, 'rpc'))
  const next = mainHeadAt(world, reached) + 1
  const start = mainBlockTime(world, next) - mainBlockMs
  const steps = stepsOf(world, next)
  const step = Math.floor(((reached - start) * steps) / mainBlockMs)
  if (step > 0) return viewOf(world, next, step, start + Math.ceil((step * mainBlockMs) / steps))
  return viewOf(world, next - 1, stepsOf(world, next - 1), start)
}

function viewOf(world: World, height: number, step: number, until: UnixMs): Preconfirmed {
  const arrived = callsOf(world, height).filter(
    (call) => call.arrivedAt <= until && call.preconf?.unseen !== true,
  )
  const staying = arrived.filter((call) => !call.preconf?.dropped && !call.preconf?.movedBy)
  const passing = arrived.filter((call) => call.preconf?.dropped)
  // What will not stay comes last, so that it takes no other transaction's place.
  const shown = [...staying, ...passing, ...movedAway(world, height, until)]
  return { height, step, transactions: place(shown.map(asPreconfirmed), height) }
}

/** Transactions preconfirmed here that a later block will hold. */
function movedAway(world: World, height: number, until: UnixMs): MainCall[] {
  const moving = world.extras.filter((extra) => {
    const by = extra.preconf?.movedBy ?? 0
    return by > 0 && mainHeightAt(world, extra.at) - by === height && extra.at - by * mainBlockMs <= until
  })
  const heights = new Set(moving.map((extra) => mainHeightAt(world, extra.at)))
  return [...heights]
    .flatMap((later) => mainTransactions(world, later))
    .filter((call) => call.preconf?.movedBy !== undefined && call.height - call.preconf.movedBy === height)
}

function asPreconfirmed(call: MainCall): MainCall {
  return call.preconf?.flipped ? { ...call, failed: !call.failed } : call
}
