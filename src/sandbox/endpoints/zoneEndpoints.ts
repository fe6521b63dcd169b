import { countZoneTransactions, findZoneTransaction, zoneHead, zoneTransactions } from '../chain/zoneChain.ts'
import { hashOf } from '../hashes.ts'
import { uncountedZoneBlocks, zoneBlockTime } from '../heights.ts'
import { zonePage } from '../paging.ts'
import { noSuchBlock } from '../refusal.ts'
import { reachedAt, type World, type ZoneTransaction } from '../world.ts'
import type { Endpoint, Request } from './endpoint.ts'

export const zoneEndpoints: readonly Endpoint[] = [
  {
    name: 'E4',
    chain: 'zone',
    path: 'block/transaction-list',
    parameters: { height: 'height!' },
    maxLimit: 100,
    answer: listBlockTransactions,
  },
  {
    name: 'E5',
    chain: 'zone',
    path: 'block/block-list',
    parameters: { height: 'height' },
    maxLimit: 100,
    answer: listBlocks,
  },
  {
    name: 'E9',
    chain: 'zone',
    path: 'transaction/transaction-multi',
    parameters: { txId: 'hashes!' },
    answer: ({ world, parameters }) =>
      [...new Set(parameters.list('txId'))].flatMap((hash) => details(world, hash)),
  },
  {
    name: 'E14',
    chain: 'zone',
    path: 'transaction/transaction-fills',
    parameters: { txid: 'hash!' },
    answer: ({ world, parameters }) => details(world, parameters.required('txid')),
  },
]

function listBlocks({ world, parameters, page }: Request): unknown[] {
  const head = zoneHead(world)
  const height = parameters.number('height')
  if (height !== undefined) {
    return zonePage(page, height <= head ? 1 : 0, () => [zoneBlock(world, height)])
  }
  return zonePage(page, zoneBlockCount(world), (from, to) =>
    Array.from({ length: to - from }, (_, place) => zoneBlock(world, head - from - place)),
  )
}

function listBlockTransactions({ world, parameters, page }: Request): unknown[] {
  const height = Number(parameters.required('height'))
  if (zoneBlockTime(world, height) > reachedAt(world, 'zone')) throw noSuchBlock()
  const transactions = zoneTransactions(world, height)
  return zonePage(page, transactions.length, (from, to) =>
    transactions.slice(from, to).map((transaction) => summary(world, transaction)),
  )
}

function details(world: World, hash: string): unknown[] {
  const transaction = findZoneTransaction(world, hash, zoneHead(world))
  if (!transaction) return []
  const { actionData, errorMessage, nonce, transfers, events } = transaction
  return [
    {
      ...summary(world, transaction),
      nonce,
      actionData,
      errorMessage,
      tokenTransferCount: String(transfers),
      eventCount: String(events),
    },
  ]
}

function summary(world: World, transaction: ZoneTransaction): Record<string, string> {
  return {
    hash: transaction.hash,
    blockHeight: String(transaction.height),
    blockHash: hashOf(world.seed, 'zoneBlock', transaction.height),
    blockTime: String(zoneBlockTime(world, transaction.height)),
    status: transaction.status,
    from: transaction.from,
    actionType: transaction.actionType,
    index: String(transaction.index),
    value: transaction.value,
    valueRaw: transaction.valueRaw,
  }
}

/** What the explorer says it counted: below the head's height, and proof of nothing. */
function zoneBlockCount(world: World): number {
  return zoneHead(world) - uncountedZoneBlocks
}

/** One record of E5. */
function zoneBlock(world: World, height: number) {
  return {
    hash: hashOf(world.seed, 'zoneBlock', height),
    height: String(height),
    miner: world.contracts.signer,
    blockTime: String(zoneBlockTime(world, height)),
    transactionCount: String(countZoneTransactions(world, height)),
  }
}
