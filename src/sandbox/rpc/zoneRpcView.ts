import { zoneLogs } from '../chain/zoneLogs.ts'
import { findZoneTransaction, zoneTransactions } from '../chain/zoneChain.ts'
import { keyOfHash, hashOf } from '../hashes.ts'
import { zoneBlockTime, zoneHeadAt } from '../heights.ts'
import { getTransfer, transfersOfHash } from '../transfers.ts'
import { reachedAt, type World, type ZoneTransaction } from '../world.ts'
import { invalidParams } from './rpcError.ts'
import { hex } from './rpcObjects.ts'
import { hashIn } from './rpcParams.ts'

/** What a node of the zone chain sees. */
export interface ZoneRpcView {
  readonly world: World
  /** The newest block. */
  readonly head: number
}

export const zoneChainId = 77_778

export function createZoneRpcView(world: World): ZoneRpcView {
  return { world, head: zoneHeadAt(world, reachedAt(world, 'zoneRpc')) }
}

/** The height that a number or tag names. */
export function zoneHeightOf({ head }: ZoneRpcView, tag: unknown): number {
  if (tag === undefined || tag === 'latest' || tag === 'pending' || tag === 'safe' || tag === 'finalized')
    return head
  if (tag === 'earliest') return 0
  if (typeof tag === 'string' && /^0x[0-9a-fA-F]{1,12}$/.test(tag)) return Number.parseInt(tag, 16)
  throw invalidParams('expected a block number or tag')
}

/** A block as Ethereum's JSON-RPC gives it, with the hashes of its transactions; null beyond the head. */
export function zoneBlockObject(view: ZoneRpcView, height: number): Record<string, unknown> | null {
  const { world, head } = view
  if (height > head) return null
  const transactions = knownTransactions(world, height)
  return {
    number: hex(height),
    hash: hashOf(world.seed, 'zoneBlock', height),
    parentHash: hashOf(world.seed, 'zoneBlock', height - 1),
    miner: world.contracts.signer,
    timestamp: hex(Math.floor(zoneBlockTime(world, height) / 1_000)),
    gasLimit: hex(30_000_000),
    gasUsed: hex(transactions.length * 60_000),
    size: hex(500 + transactions.length * 300),
    transactions: transactions.map(({ hash }) => hash),
    uncles: [],
  }
}

export function zoneBlockByHash(view: ZoneRpcView, given: unknown): Record<string, unknown> | null {
  const height = keyOfHash(view.world.seed, 'zoneBlock', hashIn(given))
  return height === null ? null : zoneBlockObject(view, height)
}

/** A transaction that the nodes know, once its block is there. */
export function zoneTransactionByHash({ world, head }: ZoneRpcView, given: unknown): ZoneTransaction | null {
  const found = findZoneTransaction(world, hashIn(given), head)
  return found && isKnown(world, found) ? found : null
}

export function zoneReceipt(world: World, transaction: ZoneTransaction): Record<string, unknown> {
  const { hash, height, index, status, from } = transaction
  return {
    transactionHash: hash,
    transactionIndex: hex(index),
    blockHash: hashOf(world.seed, 'zoneBlock', height),
    blockNumber: hex(height),
    from,
    to: world.contracts.zoneBridge,
    cumulativeGasUsed: hex((index + 1) * 60_000),
    gasUsed: hex(60_000),
    effectiveGasPrice: hex(0),
    contractAddress: null,
    logs: listLogs(world, height).filter((log) => log.transactionHash === hash),
    status,
    type: hex(2),
  }
}

/** A log as Ethereum's JSON-RPC gives it. */
export interface ZoneLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly transactionHash: string
}

/** All logs of a block, counted through it. */
export function listLogs(world: World, height: number): ZoneLog[] {
  let logIndex = 0
  return knownTransactions(world, height).flatMap((transaction) =>
    zoneLogs(world, transaction).map((log) => ({
      ...log,
      blockNumber: hex(height),
      blockHash: hashOf(world.seed, 'zoneBlock', height),
      transactionHash: transaction.hash,
      transactionIndex: hex(transaction.index),
      logIndex: hex(logIndex++),
      removed: false,
    })),
  )
}

function knownTransactions(world: World, height: number): ZoneTransaction[] {
  return zoneTransactions(world, height).filter((one) => isKnown(world, one))
}

/** What the explorer alone shows is in no block of the chain. */
function isKnown(world: World, { hash }: ZoneTransaction): boolean {
  const [first] = transfersOfHash(world, 'zone', hash)
  if (first === undefined) return true
  return world.now >= (getTransfer(world, first).special.zoneUnknownUntil ?? Number.NEGATIVE_INFINITY)
}
