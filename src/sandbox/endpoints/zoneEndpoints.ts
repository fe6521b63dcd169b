import { nth } from '../../lib/nth.ts'
import { hashOf, keyOfHash } from '../hashes.ts'
import { uncountedZoneBlocks, zoneBlockTime, zoneHeadAt } from '../heights.ts'
import { zonePage } from '../paging.ts'
import { mix, mixUnit } from '../random.ts'
import { noSuchBlock } from '../refusal.ts'
import { sliceSorted } from '../sortedIndex.ts'
import { getTransfer, type Transfer, transfersOfHash } from '../transfers.ts'
import { toUnits } from '../units.ts'
import { reachedAt, userAddress, type World, type ZoneTransaction } from '../world.ts'
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

// At most so many transactions of a block have nothing to do with the bridge.
const fillPerBlock = 4

const cachedBlocks = 16_384

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
  const transaction = zoneTransactionOf(world, hash)
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

function zoneHead(world: World): number {
  return zoneHeadAt(world, reachedAt(world, 'zone'))
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
    transactionCount: String(countTransactions(world, height)),
  }
}

/** The transactions of a block in the order of execution: filler first, then what crosses the bridge. */
function zoneTransactions(world: World, height: number): readonly ZoneTransaction[] {
  if (zoneBlockTime(world, height) < world.genesisAt) return []
  const cached = world.zoneBlockCache.get(height)
  if (cached) return cached
  const transactions = makeTransactions(world, height)
  if (height > zoneHead(world)) return transactions
  if (world.zoneBlockCache.size >= cachedBlocks) world.zoneBlockCache.clear()
  world.zoneBlockCache.set(height, transactions)
  return transactions
}

function makeTransactions(world: World, height: number): ZoneTransaction[] {
  const fill = Array.from({ length: fillCount(world, height) }, (_, place) => filler(world, height, place))
  return [
    ...fill,
    ...ownersAt(world, height).map((owner, place) => bridging(world, owner, fill.length + place)),
  ]
}

/** How many `zoneTransactions` there are, without making them. */
function countTransactions(world: World, height: number): number {
  if (zoneBlockTime(world, height) < world.genesisAt) return 0
  return fillCount(world, height) + ownersAt(world, height).length
}

/** The transfers whose keys name the bridge's transactions in a block. */
function ownersAt(world: World, height: number): number[] {
  const numbers = sliceSorted(world.zoneLegs, height, height)
  return [...new Set(numbers.map((number) => nth(world.zoneOwner, number)))]
}

/** A transaction by its hash once its block is there, or null. */
function zoneTransactionOf(world: World, hash: string): ZoneTransaction | null {
  const [first] = transfersOfHash(world, 'zone', hash)
  const height =
    first === undefined ? fillHeight(world, hash) : (getTransfer(world, first).zone?.height ?? null)
  if (height === null || height > zoneHead(world)) return null
  return zoneTransactions(world, height).find((transaction) => transaction.hash === hash) ?? null
}

function fillCount(world: World, height: number): number {
  if (world.traffic.blockTransactions === 0) return 0
  const share = mixUnit(world.seed, 0xf111, height)
  return share < 0.35 ? 0 : Math.min(fillPerBlock, Math.ceil((share - 0.35) * 6))
}

function fillHeight(world: World, hash: string): number | null {
  const key = keyOfHash(world.seed, 'zoneFill', hash)
  return key === null ? null : Math.floor(key / fillPerBlock)
}

function filler(world: World, height: number, place: number): ZoneTransaction {
  const key = height * fillPerBlock + place
  const actionType = nth(['order', 'cancel', 'cancelByCloid', 'updateLeverage', 'order'], mix(key, 5) % 5)
  const nonce = String(zoneBlockTime(world, height) - (mix(key, 6) % 80))
  return {
    hash: hashOf(world.seed, 'zoneFill', key),
    height,
    status: mixUnit(key, 7) < 0.04 ? '0x0' : '0x1',
    from: userAddress(world, mix(world.seed, key, 8) % world.traffic.users),
    nonce,
    actionType,
    actionData: JSON.stringify({ type: actionType, asset: mix(key, 9) % 40, nonce: Number(nonce) }),
    errorMessage: mixUnit(key, 7) < 0.04 ? 'Insufficient margin to place order' : '',
    index: place,
    value: '',
    valueRaw: '',
    transfers: 0,
    events: mix(key, 10) % 3,
  }
}

function bridging(world: World, owner: number, index: number): ZoneTransaction {
  const members = (world.sharedZone.get(owner) ?? [owner])
    .map((number) => getTransfer(world, number))
    // A second payout of one origin names its transaction, but is not in it.
    .filter((member) => member.special.sameOriginAs === undefined)
  const first = nth(members, 0)
  const deposit = first.direction === 'MainToZone'
  const error = members.map((member) => member.special.zoneError).find((text) => text !== undefined)
  const actionType = deposit ? 'deposit' : first.crossType === 'BatchWithdraw' ? 'batchWithdraw' : 'withdraw'
  const leg = first.zone as NonNullable<Transfer['zone']>
  return {
    hash: leg.hash,
    height: leg.height,
    status: error === undefined ? '0x1' : '0x0',
    from: deposit ? world.contracts.signer : first.sourceAddress,
    nonce: String(leg.at - (mix(first.key, 6) % 80)),
    actionType,
    actionData: actionData(members, actionType),
    errorMessage: error ?? '',
    index,
    // One amount cannot stand for several tokens: a bundle leaves it empty.
    value: members.length === 1 ? toUnits(first.amountRaw, first.token.decimals) : '',
    valueRaw: members.length === 1 ? first.amountRaw.toString() : '',
    transfers: error === undefined ? members.length : 0,
    events: members.length,
  }
}

function actionData(members: readonly Transfer[], type: string): string {
  const items = members.map((member) => ({
    token: member.token.zoneAddress,
    amount: member.amountRaw.toString(),
    destination: member.targetAddress,
    ...(member.token.type === 'ERC1155'
      ? { tokenIds: member.items.length > 0 ? member.items.map((item) => item.tokenId) : [member.tokenId] }
      : {}),
  }))
  return JSON.stringify({ type, ...(items.length === 1 ? items[0] : { withdrawals: items }) })
}
