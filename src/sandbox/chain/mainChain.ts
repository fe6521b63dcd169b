import { nth } from '../../lib/nth.ts'
import { hashOf, keyOfHash } from '../hashes.ts'
import { mainHeadAt, mainHeightAt } from '../heights.ts'
import { sliceSorted } from '../sortedIndex.ts'
import { getTransfer, transfersOfHash } from '../transfers.ts'
import { type ExtraTransaction, reachedAt, type World } from '../world.ts'
import { bridgeCall } from './bridgeCalls.ts'
import { fillCall, fillCount, fillPerBlock, hasStateBatch, stateBatchCall, systemCall } from './fillCalls.ts'
import type { MainCall, MainTransaction } from './mainTransaction.ts'

// Enough for the latest 10,000 transactions, which is what a list shows at most.
const cachedBlocks = 16_384

/** The newest block that the explorer shows. */
export function mainHead(world: World): number {
  return mainHeadAt(world, reachedAt(world, 'main'))
}

export function mainGenesis(world: World): number {
  return mainHeadAt(world, world.genesisAt)
}

/**
 * What a block holds, in order of arrival behind the chain's own transaction. For the block that is still being made
 * it is what has arrived so far: what comes later comes behind it, so that places do not change.
 */
export function mainTransactions(world: World, height: number): readonly MainTransaction[] {
  const cached = world.blockCache.get(height)
  if (cached) return cached
  const calls = callsOf(world, height).filter((call) => call.preconf?.dropped !== true)
  const transactions = place(calls, height)
  if (height > mainHead(world)) return transactions
  if (world.blockCache.size >= cachedBlocks) world.blockCache.clear()
  world.blockCache.set(height, transactions)
  return transactions
}

/** Gives calls their places in a block. */
export function place(calls: readonly MainCall[], height: number): MainTransaction[] {
  let firstLog = 0
  return calls.map((call, index) => {
    const transaction = { ...call, height, index, firstLog }
    firstLog += call.failed ? 0 : call.logs.length
    return transaction
  })
}

/** All calls of a block, in order, those that only ever were preconfirmed included. */
export function callsOf(world: World, height: number): MainCall[] {
  if (height <= mainGenesis(world)) return [systemCall(world, height)]
  const fill = Array.from({ length: fillCount(world, height) }, (_, place) => fillCall(world, height, place))
  const owners = new Set(
    sliceSorted(world.mainLegs, height, height).map((number) => nth(world.mainOwner, number)),
  )
  const bridging = [...owners].map((owner) => bridgeCall(world, owner))
  const extras = (world.extrasAt.get(height) ?? []).map((number) => extraCall(world, number))
  const batch = hasStateBatch(world, height) ? [stateBatchCall(world, height)] : []
  const later = [...fill, ...bridging, ...extras, ...batch].sort((a, b) => a.arrivedAt - b.arrivedAt)
  return [systemCall(world, height), ...later]
}

/** The height of the block that holds, or will hold, a transaction; null when nobody ever sent it. */
export function heightOfMainHash(world: World, hash: string): number | null {
  const [number] = transfersOfHash(world, 'main', hash)
  if (number !== undefined) return getTransfer(world, number).main?.height ?? null
  const fill = keyOfHash(world.seed, 'mainFill', hash)
  if (fill !== null) return Math.floor(fill / fillPerBlock)
  const system = keyOfHash(world.seed, 'mainSystem', hash)
  if (system !== null) return system
  const extra = keyOfHash(world.seed, 'mainExtra', hash)
  const transaction = extra === null ? undefined : world.extras[extra]
  return transaction ? mainHeightAt(world, transaction.at) : null
}

/** A transaction once its block is shown, or null. */
export function mainTransactionOf(world: World, hash: string): MainTransaction | null {
  const height = heightOfMainHash(world, hash)
  if (height === null || height > mainHead(world)) return null
  return mainTransactions(world, height).find((transaction) => transaction.hash === hash) ?? null
}

/** A block gets another transaction: seldom one that was shown already. */
export function forgetBlock(world: World, height: number): void {
  world.blockCache.delete(height)
  if (height <= mainHead(world)) world.historyCache.clear()
}

/** Puts a transaction of its own kind into the world; gives its number. */
export function addExtra(world: World, extra: ExtraTransaction): number {
  const number = world.extras.push(extra) - 1
  const height = mainHeightAt(world, extra.at)
  forgetBlock(world, height)
  world.extrasAt.set(height, [...(world.extrasAt.get(height) ?? []), number])
  return number
}

export function mainBlockHash(world: World, height: number): string {
  return hashOf(world.seed, 'mainBlock', height)
}

function extraCall(world: World, number: number): MainCall {
  const extra = nth(world.extras, number)
  return {
    hash: hashOf(world.seed, 'mainExtra', number),
    arrivedAt: extra.at,
    from: extra.from,
    to: extra.to,
    methodId: extra.methodId,
    input: extra.methodId === '' ? '0x' : extra.methodId,
    wei: extra.wei ?? 0n,
    gasUsed: 21_000 + extra.logs.length * 30_000,
    type: 2,
    failed: extra.failed ?? false,
    moves: extra.moves,
    internals: [],
    logs: extra.logs,
    challengeStatus: '',
    ...(extra.preconf ? { preconf: extra.preconf } : {}),
  }
}
