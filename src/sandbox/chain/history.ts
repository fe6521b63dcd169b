import { mainTransactions, mainGenesis, mainHead } from './mainChain.ts'
import { hasStateBatch } from './fillCalls.ts'
import type { MainTransaction } from './mainTransaction.ts'
import { firstAbove } from '../sortedIndex.ts'
import type { World } from '../world.ts'

export interface Range {
  readonly from: number
  readonly to: number
}

/** The lists of the main chain show no more than about this many transactions, the latest. */
export const maxRows = 10_000

/** A block range of a request, inside what the chain has. */
export function clampRange(world: World, from: number | undefined, to: number | undefined): Range {
  return {
    from: Math.max(from ?? 0, mainGenesis(world)),
    to: Math.min(to ?? mainHead(world), mainHead(world)),
  }
}

/** Up to `limit` items, newest first, out of all transactions in a range that may concern one of the addresses. */
export function collectItems<Item>(
  world: World,
  where: { readonly range: Range; readonly addresses: readonly string[] | null; readonly limit: number },
  itemsOf: (transaction: MainTransaction) => readonly Item[],
): Item[] {
  const items: Item[] = []
  for (const height of heightsDown(world, where.range, where.addresses)) {
    const transactions = mainTransactions(world, height)
    for (let at = transactions.length - 1; at >= 0; at -= 1) {
      for (const item of itemsOf(transactions[at] as MainTransaction).toReversed()) items.push(item)
    }
    if (items.length >= where.limit) break
  }
  return items.length > where.limit ? items.slice(0, where.limit) : items
}

/** Blocks from the newest down; of the bridge's own addresses only those in which it can appear. */
function* heightsDown(world: World, range: Range, addresses: readonly string[] | null): Generator<number> {
  const { bridge, bridgeImplementation, escrow, relayer, poster } = world.contracts
  const bridgeOnly = [bridge, bridgeImplementation, escrow, relayer, poster]
  if (!addresses?.every((address) => bridgeOnly.includes(address))) {
    for (let height = range.to; height >= range.from; height -= 1) yield height
    return
  }
  yield* bridgeHeightsDown(world, range)
}

function* bridgeHeightsDown(world: World, range: Range): Generator<number> {
  const { keys } = world.mainLegs
  let leg = firstAbove(world.mainLegs, range.to) - 1
  for (let height = range.to; height >= range.from; height -= 1) {
    const hasLeg = keys[leg] === height
    while (leg >= 0 && (keys[leg] as number) >= height) leg -= 1
    if (hasLeg || world.extrasAt.has(height) || hasStateBatch(world, height)) yield height
  }
}
