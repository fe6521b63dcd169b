import { cutText } from '../cutText.ts'
import {
  address as addressOf,
  arrayOf,
  count,
  data,
  hash,
  maybe,
  nullable,
  objectOf,
  type Reader,
  status,
  Unreadable,
  word,
} from './rpcFields.ts'

/** An item of a list that breaks the contract: kept and reported, while the others go on. */
export interface UnreadableItem {
  readonly index: number
  /** What was expected and where: `status: expected 0x1 or 0x0`. */
  readonly problem: string
  /** As it came, cut at 2,000 characters. */
  readonly raw: string
}

/** A list with what could be read of it, in its order. */
interface RpcList<T> {
  readonly items: readonly T[]
  readonly unreadable: readonly UnreadableItem[]
}

/** A transaction as read. */
export type RpcTransaction = Exclude<ReturnType<typeof rpcTransaction>, Unreadable>

/** Far more than a block holds. */
const maxItems = 100_000

/** A transaction: `hash`, `nonce` and `s` are promised, all else is null where the node leaves it out. */
export const rpcTransaction = objectOf({
  hash,
  nonce: count,
  s: word,
  blockHash: maybe.hash,
  /** Null while the transaction is in no block. */
  blockNumber: maybe.count,
  transactionIndex: maybe.count,
  from: maybe.address,
  /** Null when the transaction makes a contract, or when it is not said. */
  to: maybe.address,
  /** In wei, as are the prices. */
  value: maybe.quantity,
  input: maybe.data,
  gas: maybe.quantity,
  gasPrice: maybe.quantity,
  maxFeePerGas: maybe.quantity,
  maxPriorityFeePerGas: maybe.quantity,
  /** 0x7e marks the chain's own (deposit) transactions. */
  type: maybe.count,
  chainId: maybe.count,
})

/** What is marked as removed is of a block that was replaced: an answer with any of it says nothing of the chain as it is. */
const standing: Reader<false> = (input) =>
  input === true ? new Unreadable('expected a log that stands, got one of a block that was replaced') : false

const logs = arrayOf(
  objectOf({
    address: addressOf,
    topics: arrayOf(hash, 8),
    data,
    /** Position within the block. */
    logIndex: maybe.count,
    removed: standing,
  }),
  maxItems,
)

const receiptFields = objectOf({
  transactionHash: hash,
  transactionIndex: count,
  status,
  blockHash: maybe.hash,
  blockNumber: maybe.count,
  from: maybe.address,
  to: maybe.address,
  contractAddress: maybe.address,
  gasUsed: maybe.quantity,
  cumulativeGasUsed: maybe.quantity,
  effectiveGasPrice: maybe.quantity,
  type: maybe.count,
  /** Null where the node gives none: not the same as no logs. */
  logs: (input: unknown) => (input === undefined || input === null ? null : logs(input)),
  /** Null where it is not said, or has no bit. */
  logsBloom: (input: unknown) => (typeof input === 'string' && someBit.test(input) ? input : null),
})

const someBit = /^0x0*[1-9a-fA-F]/

/**
 * A receipt: `transactionHash`, `transactionIndex` and `status` are promised. Where the filter of the logs has bits there
 * are some: a node that shows none does not keep them.
 */
export function rpcReceipt(input: unknown) {
  const read = receiptFields(input)
  if (read instanceof Unreadable) return read
  const { logsBloom, ...receipt } = read
  return logsBloom !== null && receipt.logs?.length === 0 ? { ...receipt, logs: null } : receipt
}

/** Logs of a range of blocks. What names its transaction or its block otherwise than asked is no answer. */
export const rpcLogs = arrayOf(
  objectOf({
    address: addressOf,
    topics: arrayOf(hash, 8),
    data,
    blockNumber: count,
    transactionHash: hash,
    logIndex: maybe.count,
    removed: standing,
  }),
  maxItems,
)

const blockFields = objectOf({
  number: nullable(count),
  hash: nullable(hash),
  transactions: arrayOf((item: unknown) => item, maxItems),
  parentHash: maybe.hash,
  /** In whole seconds since 1970. */
  timestamp: maybe.count,
  miner: maybe.address,
  gasUsed: maybe.quantity,
  gasLimit: maybe.quantity,
  baseFeePerGas: maybe.quantity,
  size: maybe.count,
  stateRoot: maybe.hash,
})

/**
 * A block: `number`, `hash` and `transactions` are promised; nodes give null for the first two while a block is being
 * made. `transactions` holds hashes or objects by the flag of the request: `hashes` is there either way, `full` only
 * with objects.
 */
export function rpcBlock(input: unknown) {
  const read = blockFields(input)
  if (read instanceof Unreadable) return read
  const { transactions, ...block } = read
  return { ...block, ...readTransactions(transactions) }
}

/** Receipts of a block, each by itself. */
export const rpcReceipts: Reader<RpcList<Exclude<ReturnType<typeof rpcReceipt>, Unreadable>>> = (input) => {
  if (!Array.isArray(input)) return new Unreadable('expected an array')
  return input.length > maxItems
    ? new Unreadable(`expected at most ${maxItems}`)
    : readList(rpcReceipt, input)
}

function readTransactions(rows: readonly unknown[]): {
  readonly hashes: readonly string[]
  readonly full: readonly RpcTransaction[] | null
  readonly unreadable: readonly UnreadableItem[]
} {
  if (rows.every((row) => typeof row === 'string')) {
    const { items, unreadable } = readList(hash, rows)
    return { hashes: items, full: rows.length === 0 ? [] : null, unreadable }
  }
  const { items, unreadable } = readList(rpcTransaction, rows)
  return { hashes: items.map((item) => item.hash), full: items, unreadable }
}

function readList<T>(read: Reader<T>, rows: readonly unknown[]): RpcList<T> {
  const items: T[] = []
  const unreadable: UnreadableItem[] = []
  for (const [index, row] of rows.entries()) {
    const value = read(row)
    if (value instanceof Unreadable) unreadable.push({ index, problem: value.describe(), raw: toRaw(row) })
    else items.push(value)
  }
  return { items, unreadable }
}

function toRaw(row: unknown): string {
  try {
    return cutText(JSON.stringify(row) ?? '', 2_000)
  } catch {
    // Nested deeper than the stack allows.
    return '[cannot be shown]'
  }
}
