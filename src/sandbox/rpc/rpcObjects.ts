import { nonceOf } from '../endpoints/mainAddressEndpoints.ts'
import { gasPriceWei, type MainTransaction } from '../chain/mainTransaction.ts'
import { word, zeroAddress } from '../chain/abi.ts'
import { hashOf } from '../hashes.ts'
import { mainBlockTime } from '../heights.ts'
import type { World } from '../world.ts'
import type { RpcBlock } from './rpcView.ts'

export const chainId = 7_777
const emptyBloom = `0x${'0'.repeat(512)}`
const emptyHash = `0x${'0'.repeat(64)}`
// keccak-256 of the RLP of an empty list: what the uncles of every block hash to since there are none.
const emptyUncles = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'

export function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

/** A block as Ethereum's JSON-RPC gives it, its transactions as hashes or in full. */
export function blockObject(world: World, block: RpcBlock, full: boolean): Record<string, unknown> {
  const { transactions, height } = block
  return {
    number: hex(height),
    hash: block.hash,
    parentHash: block.parentHash,
    nonce: '0x0000000000000000',
    sha3Uncles: emptyUncles,
    logsBloom: emptyBloom,
    transactionsRoot: hashOf(world.seed ^ 2, 'mainBlock', height),
    stateRoot: hashOf(world.seed ^ 1, 'mainBlock', height),
    receiptsRoot: hashOf(world.seed ^ 3, 'mainBlock', height),
    miner: world.contracts.signer,
    difficulty: '0x0',
    extraData: '0x',
    mixHash: emptyHash,
    size: hex(600 + transactions.length * 420),
    gasLimit: hex(60_000_000),
    gasUsed: hex(transactions.reduce((sum, transaction) => sum + transaction.gasUsed, 0)),
    baseFeePerGas: hex(250_000_000),
    timestamp: hex(Math.floor(mainBlockTime(world, height) / 1_000)),
    uncles: [],
    transactions: full
      ? transactions.map((transaction) => transactionObject(world, block, transaction))
      : transactions.map((transaction) => transaction.hash),
  }
}

export function transactionObject(
  world: World,
  block: RpcBlock,
  transaction: MainTransaction,
): Record<string, unknown> {
  const { type } = transaction
  const common = {
    hash: transaction.hash,
    blockHash: block.hash,
    blockNumber: hex(block.height),
    transactionIndex: hex(transaction.index),
    from: transaction.from,
    to: transaction.to,
    nonce: hex(nonceOf(transaction)),
    value: hex(transaction.wei),
    input: transaction.input,
    gas: hex(Math.ceil(transaction.gasUsed * 1.5)),
    gasPrice: hex(type === 0x7e ? 0n : gasPriceWei),
    type: hex(type),
    ...signature(world, transaction),
  }
  if (type === 0x7e)
    return { ...common, sourceHash: hashOf(world.seed, 'invented', block.height), mint: '0x0' }
  if (type === 0) return { ...common, chainId: hex(chainId) }
  const fees = { maxFeePerGas: hex(gasPriceWei * 2n), maxPriorityFeePerGas: hex(1_000_000n) }
  return { ...common, ...fees, accessList: [], chainId: hex(chainId), yParity: hex(transaction.index % 2) }
}

export function receiptObject(block: RpcBlock, transaction: MainTransaction): Record<string, unknown> {
  const before = block.transactions.slice(0, transaction.index + 1)
  return {
    transactionHash: transaction.hash,
    transactionIndex: hex(transaction.index),
    blockHash: block.hash,
    blockNumber: hex(block.height),
    from: transaction.from,
    to: transaction.to,
    cumulativeGasUsed: hex(before.reduce((sum, each) => sum + each.gasUsed, 0)),
    gasUsed: hex(transaction.gasUsed),
    effectiveGasPrice: hex(transaction.type === 0x7e ? 0n : gasPriceWei),
    contractAddress: null,
    logs: transaction.failed ? [] : transaction.logs.map((_, at) => logObject(block, transaction, at)),
    logsBloom: emptyBloom,
    status: transaction.failed ? '0x0' : '0x1',
    type: hex(transaction.type),
  }
}

/** The signed form of a transaction: an RLP list behind its type. */
export function rawTransaction(world: World, transaction: MainTransaction): string {
  const { r, s, v } = signature(world, transaction)
  const call = [transaction.to, hex(transaction.wei), transaction.input]
  const fields = [hex(nonceOf(transaction)), hex(gasPriceWei), hex(transaction.gasUsed), ...call]
  if (transaction.type === 0) return `0x${rlpList([...fields, v, r, s])}`
  return `0x${word(transaction.type).slice(-2)}${rlpList([hex(chainId), ...fields, v, r, s])}`
}

function logObject(block: RpcBlock, transaction: MainTransaction, at: number): Record<string, unknown> {
  const log = transaction.logs[at]
  return {
    address: log?.address ?? zeroAddress,
    topics: log?.topics ?? [],
    data: log?.data ?? '0x',
    blockNumber: hex(block.height),
    blockHash: block.hash,
    transactionHash: transaction.hash,
    transactionIndex: hex(transaction.index),
    logIndex: hex(transaction.firstLog + at),
    removed: false,
  }
}

/** Not a real signature: numbers of the right size that belong to the transaction. */
function signature(world: World, transaction: MainTransaction): { r: string; s: string; v: string } {
  if (transaction.type === 0x7e) return { r: '0x0', s: '0x0', v: '0x0' }
  const text = transaction.hash.slice(2)
  const v = transaction.type === 0 ? chainId * 2 + 35 + (transaction.index % 2) : transaction.index % 2
  return {
    r: hex(BigInt(`0x${text}`)),
    s: hex(BigInt(hashOf(world.seed, 'invented', Number.parseInt(text.slice(0, 8), 16))) >> 1n),
    v: hex(v),
  }
}

function rlpList(fields: readonly string[]): string {
  const body = fields.map(rlpItem).join('')
  return rlpHead(0xc0, body.length / 2) + body
}

function rlpItem(field: string): string {
  const digits = field.slice(2)
  const even = digits.length % 2 === 0 ? digits : `0${digits}`
  const bytes = even === '00' ? '' : even
  if (bytes.length === 2 && Number.parseInt(bytes, 16) < 0x80) return bytes
  return rlpHead(0x80, bytes.length / 2) + bytes
}

function rlpHead(offset: number, length: number): string {
  if (length < 56) return (offset + length).toString(16).padStart(2, '0')
  const size = length.toString(16)
  const even = size.length % 2 === 0 ? size : `0${size}`
  return (offset + 55 + even.length / 2).toString(16) + even
}
