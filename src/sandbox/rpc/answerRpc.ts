import { isObject } from '../../lib/isObject.ts'
import { errorText } from '../../lib/errors.ts'
import type { World } from '../world.ts'
import { RpcError, invalidParams } from './rpcError.ts'
import { createRpcView, type RpcView, blockAt, blockByHash, heightOf, type RpcBlock } from './rpcView.ts'
import type { MainTransaction } from '../chain/mainTransaction.ts'
import { heightOfMainHash } from '../chain/mainChain.ts'
import { blockObject, chainId, hex, rawTransaction, receiptObject, transactionObject } from './rpcObjects.ts'
import { callContract, codeAt, estimateGas, nativeBalance, storageAt } from './rpcState.ts'

// A batch of more is refused, as providers do.
const maxBatch = 100

/** Answers the text of one JSON-RPC request, or of a batch of them. */
export function answerRpc(world: World, kind: 'preconf' | 'canonical', text: string): string {
  const view = createRpcView(world, kind)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return JSON.stringify(failure(null, new RpcError(-32700, 'parse error')))
  }
  if (!Array.isArray(body)) return JSON.stringify(answerOne(view, body))
  const isLegal = body.length > 0 && body.length <= maxBatch
  if (!isLegal) return JSON.stringify(failure(null, new RpcError(-32600, 'invalid request: size of batch')))
  return JSON.stringify(body.map((request) => answerOne(view, request)))
}

function answerOne(view: RpcView, request: unknown): unknown {
  const { jsonrpc, method, params, id } = fieldsOf(request)
  const known = typeof id === 'number' || typeof id === 'string' ? id : null
  if (jsonrpc !== '2.0' || typeof method !== 'string')
    return failure(known, new RpcError(-32600, 'invalid request'))
  const answer = Object.hasOwn(rpcMethods, method) ? rpcMethods[method] : undefined
  if (!answer)
    return failure(known, new RpcError(-32601, `the method ${method} does not exist/is not available`))
  if (params !== undefined && !Array.isArray(params))
    return failure(known, new RpcError(-32602, 'invalid params'))
  try {
    return { jsonrpc: '2.0', id: known, result: answer(view, params ?? []) }
  } catch (error) {
    return failure(known, error instanceof RpcError ? error : new RpcError(-32603, errorText(error)))
  }
}

function fieldsOf(request: unknown): Readonly<Record<string, unknown>> {
  return isObject(request) ? request : {}
}

function failure(id: number | string | null, error: RpcError) {
  return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } }
}

type Method = (view: RpcView, params: readonly unknown[]) => unknown

/** The 17 methods of the document, and three that every client asks before any other. */
const rpcMethods: Readonly<Record<string, Method>> = {
  eth_blockNumber: (view, [tag]) => hex(heightOf(view, tag)),
  eth_call: (view, [call, tag]) => callContract(view.world, call, heightOf(view, tag)),
  eth_estimateGas: (_view, [call]) => estimateGas(call),
  eth_getBalance: (view, [address, tag]) =>
    hex(nativeBalance(view.world, addressOf(address), heightOf(view, tag))),
  eth_getTransactionCount: (view, [address, tag]) => {
    addressOf(address)
    return hex((heightOf(view, tag) - 5_000_000 + 1) * 64)
  },
  eth_getCode: (view, [address]) => codeAt(view.world, addressOf(address)),
  eth_getStorageAt: (view, [address, slot]) => storageAt(view.world, addressOf(address), quantityOf(slot)),
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
  const transaction = block?.transactions[Number(quantityOf(index))]
  return block && transaction ? transactionObject(view.world, block, transaction) : null
}

/** A transaction in a complete block, else in the one being made; null when nobody knows the hash. */
function find(view: RpcView, given: unknown): { block: RpcBlock; transaction: MainTransaction } | null {
  const hash = hashOf(given)
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

function hashOf(given: unknown): string {
  if (typeof given === 'string' && /^0x[0-9a-fA-F]{64}$/.test(given)) return given.toLowerCase()
  throw invalidParams('expected a hash of 32 bytes')
}

function addressOf(given: unknown): string {
  if (typeof given === 'string' && /^0x[0-9a-fA-F]{40}$/.test(given)) return given.toLowerCase()
  throw invalidParams('expected an address of 20 bytes')
}

function quantityOf(given: unknown): string {
  if (typeof given === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(given)) return given
  throw invalidParams('expected a hex quantity')
}
