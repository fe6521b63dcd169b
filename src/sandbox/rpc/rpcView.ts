import { mainBlockHash, mainTransactions } from '../chain/mainChain.ts'
import type { MainTransaction } from '../chain/mainTransaction.ts'
import { type Preconfirmed, preconfirmed } from '../chain/preconf.ts'
import { hashOf, keyOfHash } from '../hashes.ts'
import { mainHeadAt } from '../heights.ts'
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
