import { mainTransactions, mainGenesis, mainHead } from './mainChain.ts'
import { hasStateBatch } from './fillCalls.ts'
import type { MainTransaction } from './mainTransaction.ts'
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

/** Up to `limit` rows, newest first, of all transactions in a range that may concern one of the addresses. */
export function collectRows<Row>(
  world: World,
  where: { readonly range: Range; readonly addresses: readonly string[] | null; readonly limit: number },
  rowsOf: (transaction: MainTransaction) => readonly Row[],
): Row[] {
  const rows: Row[] = []
  for (const height of heightsDown(world, where.range, where.addresses)) {
    for (const transaction of mainTransactions(world, height).toReversed()) {
      rows.push(...rowsOf(transaction).toReversed())
    }
    if (rows.length >= where.limit) break
  }
  return rows.slice(0, where.limit)
}

/** Blocks from the newest down; of the bridge's own addresses only those in which it can appear. */
function* heightsDown(world: World, range: Range, addresses: readonly string[] | null): Generator<number> {
  const { bridge, bridgeImplementation, escrow, relayer, poster } = world.contracts
  const bridgeOnly = [bridge, bridgeImplementation, escrow, relayer, poster]
  if (!addresses?.every((address) => bridgeOnly.includes(address))) {
    for (let height = range.to; height >= range.from; height -= 1) yield height
    return
  }
  const heights = new Set([...world.mainLegs.keys, ...world.extrasAt.keys()])
  for (let height = range.from; height <= range.to; height += 1) {
    if (hasStateBatch(world, height)) heights.add(height)
  }
  const inRange = [...heights].filter((height) => height >= range.from && height <= range.to)
  yield* inRange.sort((a, b) => b - a)
}
