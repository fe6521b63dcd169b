import { encodeString, implementationSlot, selectors, topicOf } from '../chain/abi.ts'
import { implementationAt, movedRaw } from '../chain/bridgeCalls.ts'
import { baselineOf, sumLegs } from '../chain/legSums.ts'
import { isContract } from '../chain/contracts.ts'
import { heightOfMainHash } from '../chain/mainChain.ts'
import type { MainTransaction } from '../chain/mainTransaction.ts'
import { hashOf } from '../hashes.ts'
import { mainBlockTime, mainHeightAt } from '../heights.ts'
import { mix } from '../random.ts'
import type { Token } from '../tokens.ts'
import { getTransfer } from '../transfers.ts'
import type { World } from '../world.ts'
import { answerJsonRpc } from './jsonRpc.ts'
import { RpcError } from './rpcError.ts'
import { blockObject, chainId, hex, rawTransaction, receiptObject, transactionObject } from './rpcObjects.ts'
import { addressIn, callIn, hashIn, quantityIn, seedOf } from './rpcParams.ts'
import { blockAt, blockByHash, createRpcView, heightOf, type RpcBlock, type RpcView } from './rpcView.ts'

/** Answers the text of one JSON-RPC request of the main chain, or of a batch of them. */
export function answerRpc(world: World, kind: 'preconf' | 'canonical', text: string): string {
  const view = createRpcView(world, kind)
  return answerJsonRpc(text, (method) => {
    const answer = Object.hasOwn(rpcMethods, method) ? rpcMethods[method] : undefined
    return answer && ((params) => answer(view, params))
  })
}

type Method = (view: RpcView, params: readonly unknown[]) => unknown

/** The 17 methods of the document, and three that every client asks before any other. */
const rpcMethods: Readonly<Record<string, Method>> = {
  eth_blockNumber: (view, [tag]) => hex(heightOf(view, tag)),
  eth_call: (view, [call, tag]) => callContract(view.world, call, heightOf(view, tag)),
  eth_estimateGas: (_view, [call]) => estimateGas(call),
  eth_getBalance: (view, [address, tag]) =>
    hex(nativeBalance(view.world, addressIn(address), heightOf(view, tag))),
  eth_getTransactionCount: (view, [address, tag]) => {
    addressIn(address)
    return hex((heightOf(view, tag) - 5_000_000 + 1) * 64)
  },
  eth_getCode: (view, [address]) => codeAt(view.world, addressIn(address)),
  eth_getStorageAt: (view, [address, slot]) => storageAt(view.world, addressIn(address), quantityIn(slot)),
  eth_getBlockByHash: (view, [hash, full]) => inBlock(view, blockByHash(view, hash), full === true),
  eth_getBlockByNumber: (view, [tag, full]) => inBlock(view, blockAt(view, tag), full === true),
  eth_getBlockReceipts: (view, [tag]) => {
    const block = blockAt(view, tag)
    return block && block.transactions.map((transaction) => receiptObject(block, transaction))
  },
  eth_getBlockTransactionCountByNumber: (view, [tag]) => countOf(blockAt(view, tag)),
  eth_getBlockTransactionCountByHash: (view, [hash]) => countOf(blockByHash(view, hash)),
  eth_getTransactionByHash: (view, [hash]) => {
    const found = find(view, hash)
    return found && transactionObject(view.world, found.block, found.transaction)
  },
  eth_getRawTransactionByHash: (view, [hash]) => {
    const found = find(view, hash)
    return found && rawTransaction(view.world, found.transaction)
  },
  eth_getTransactionReceipt: (view, [hash]) => {
    const found = find(view, hash)
    return found && receiptObject(found.block, found.transaction)
  },
  eth_getTransactionByBlockNumberAndIndex: (view, [tag, index]) => atIndex(view, blockAt(view, tag), index),
  eth_getTransactionByBlockHashAndIndex: (view, [hash, index]) =>
    atIndex(view, blockByHash(view, hash), index),
  eth_chainId: () => hex(chainId),
  net_version: () => String(chainId),
  web3_clientVersion: () => 'sandbox/1',
}

function inBlock(view: RpcView, block: RpcBlock | null, full: boolean): unknown {
  return block && blockObject(view.world, block, full)
}

function countOf(block: RpcBlock | null): string | null {
  return block && hex(block.transactions.length)
}

function atIndex(view: RpcView, block: RpcBlock | null, index: unknown): unknown {
  const transaction = block?.transactions[Number(quantityIn(index))]
  return block && transaction ? transactionObject(view.world, block, transaction) : null
}

/** A transaction in a complete block, else in the one being made; null when nobody knows the hash. */
function find(view: RpcView, given: unknown): { block: RpcBlock; transaction: MainTransaction } | null {
  const hash = hashIn(given)
  const height = heightOfMainHash(view.world, hash)
  const complete = height !== null && height <= view.head ? blockAt(view, hex(height)) : null
  return inside(complete, hash) ?? inside(view.pending ? blockAt(view, 'pending') : null, hash)
}

function inside(
  block: RpcBlock | null,
  hash: string,
): { block: RpcBlock; transaction: MainTransaction } | null {
  const transaction = block?.transactions.find((each) => each.hash === hash)
  return block && transaction ? { block, transaction } : null
}

/** What a contract returns to a call at the end of a block. */
function callContract(world: World, call: unknown, height: number): string {
  const { to, data } = callIn(call)
  const token = world.tokens.find((token) => token.address === to)
  if (token) return callToken(world, token, data, height)
  if (to === world.contracts.bridge) return callBridge(world, data, height)
  return '0x'
}

function estimateGas(call: unknown): string {
  const { data } = callIn(call)
  return hex(21_000 + (data.length - 2) * 8)
}

/** What an address holds of the chain's own currency. */
function nativeBalance(world: World, address: string, height: number): bigint {
  const at = mainBlockTime(world, height)
  const given = world.balances.findLast((balance) => balance.address === address && balance.at <= at)
  if (given) return given.wei
  const { relayer, poster, escrow } = world.contracts
  const own = world.tokens.find((token) => token.type === 'NATIVE')
  if (own && address === escrow) return escrowBalance(world, own, height)
  if (address === relayer || address === poster) return 2_500_000_000_000_000_000n
  if (isContract(world, address)) return 0n
  return BigInt(mix(world.seed, seedOf(address), 0xba1)) * 1_000_000_000n
}

/** The code at an address; people have none. */
function codeAt(world: World, address: string): string {
  if (!isContract(world, address)) return '0x'
  return `0x6080604052${hashOf(world.seed, 'invented', seedOf(address)).slice(2)}`
}

function storageAt(world: World, address: string, slot: string): string {
  const isSlot = BigInt(slot) === BigInt(implementationSlot)
  return address === world.contracts.bridge && isSlot ? topicOf(implementationAt(world)) : topicOf(0)
}

function callToken(world: World, token: Token, data: string, height: number): string {
  switch (data.slice(0, 10)) {
    case selectors.balanceOf: {
      const owner = `0x${data.slice(34, 74)}`
      if (owner === world.contracts.escrow) return topicOf(escrowBalance(world, token, height))
      return topicOf(
        BigInt(mix(world.seed, seedOf(owner), seedOf(token.address))) * 10n ** BigInt(token.decimals >> 1),
      )
    }
    case selectors.balanceOfId:
      return topicOf(BigInt(mix(world.seed, seedOf(data.slice(34, 44))) % 100))
    case selectors.decimals:
      return topicOf(token.decimals)
    case selectors.symbol:
      return encodeString(token.symbol)
    case selectors.name:
      return encodeString(token.name)
    case selectors.totalSupply:
      return topicOf(escrowBalance(world, token, height) * 10n)
    default:
      throw new RpcError(-32015, 'VM execution error: execution reverted')
  }
}

function callBridge(world: World, data: string, height: number): string {
  const until = mainBlockTime(world, height)
  const changes = world.contractChanges.filter((change) => change.at <= until)
  switch (data.slice(0, 10)) {
    case selectors.owner:
      return topicOf(changes.findLast((change) => change.owner !== undefined)?.owner ?? world.contracts.owner)
    case selectors.paused:
      return topicOf(changes.findLast((change) => change.paused !== undefined)?.paused === true ? 1 : 0)
    case selectors.implementation:
      return topicOf(implementationAt(world))
    default:
      throw new RpcError(-32015, 'VM execution error: execution reverted')
  }
}

/** What the bridge's escrow holds of a token at the end of a block. */
function escrowBalance(world: World, token: Token, height: number): bigint {
  const sums = sumLegs(world.escrowSums, world.mainLegs, height, (number) => movedIn(world, number))
  const balance = baselineOf(token) + (sums.get(token.address) ?? 0n) + extraFlow(world, token, height)
  return balance < 0n ? 0n : balance
}

/** What a transfer's main leg brings into the escrow. */
function movedIn(world: World, number: number): { readonly token: string; readonly change: bigint } {
  const transfer = getTransfer(world, number)
  const { direction, token, special } = transfer
  const moved = special.mainFailed ? 0n : movedRaw(world, transfer)
  return { token: token.address, change: direction === 'MainToZone' ? moved : -moved }
}

/** What other transactions took out of the escrow, or put in. */
function extraFlow(world: World, token: Token, height: number): bigint {
  const { escrow } = world.contracts
  return world.extras
    .filter((extra) => !extra.failed && !extra.preconf?.dropped && mainHeightAt(world, extra.at) <= height)
    .flatMap((extra) => extra.moves)
    .filter((move) => move.token === token.address)
    .reduce(
      (sum, { from, to, amountRaw }) =>
        sum + (to === escrow ? amountRaw : 0n) - (from === escrow ? amountRaw : 0n),
      0n,
    )
}
