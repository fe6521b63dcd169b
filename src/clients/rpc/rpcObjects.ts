import { z } from 'zod'
import { cutText } from '../cutText.ts'
import { count, data, hash, maybe, status, word } from './rpcFields.ts'

/** An item of a list that breaks the contract: kept and told, while the others go on. */
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

/** A transaction: `hash`, `nonce` and `s` are promised, all else is null where the node leaves it out. */
export const rpcTransaction = z.object({
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
export type RpcTransaction = z.output<typeof rpcTransaction>

const rpcLog = z.object({
  address: maybe.address,
  topics: z.array(hash).max(8),
  data,
  /** Position within the block. */
  logIndex: maybe.count,
  removed: z
    .unknown()
    .transform((value) => value === true)
    .prefault(null),
})

/** A receipt: `transactionHash`, `transactionIndex` and `status` are promised. */
export const rpcReceipt = z.object({
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
  logs: z
    .array(rpcLog)
    .max(100_000)
    .nullish()
    .transform((logs) => logs ?? null),
})

/**
 * A block: `number`, `hash` and `transactions` are promised; nodes give null for the first two while a block is being
 * made. `transactions` holds hashes or objects by the flag of the request: `hashes` is there either way, `full` only
 * with objects.
 */
export const rpcBlock = z
  .object({
    number: count.nullable(),
    hash: hash.nullable(),
    transactions: z.array(z.unknown(), 'expected an array').max(100_000),
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
  .transform(({ transactions, ...block }) => ({ ...block, ...readTransactions(transactions) }))

export const rpcReceipts = listOf(rpcReceipt)

function listOf<T extends z.ZodType>(schema: T) {
  return z
    .array(z.unknown())
    .max(100_000)
    .transform((rows) => readList(schema, rows))
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

function readList<T extends z.ZodType>(schema: T, rows: readonly unknown[]): RpcList<z.output<T>> {
  const items: z.output<T>[] = []
  const unreadable: UnreadableItem[] = []
  for (const [index, row] of rows.entries()) {
    const parsed = schema.safeParse(row)
    if (parsed.success) items.push(parsed.data)
    else unreadable.push({ index, problem: problemOf(parsed.error), raw: toRaw(row) })
  }
  return { items, unreadable }
}

/** The first thing wrong, with its place: `status: expected 0x1 or 0x0`. */
export function problemOf(error: z.ZodError): string {
  const issue = error.issues[0]
  const place = issue?.path.map(String).join('.') ?? ''
  return `${place === '' ? '' : `${place}: `}${issue?.message ?? 'cannot be read'}`
}

function toRaw(row: unknown): string {
  try {
    return cutText(JSON.stringify(row) ?? '', 2_000)
  } catch {
    // Nested deeper than the stack allows.
    return '[cannot be shown]'
  }
}
