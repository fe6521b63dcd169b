import { z } from 'zod'
import { bytes32, count, data, nullable, quantity, type Reader, toSchema } from './rpcFields.ts'
import { rpcBlock, rpcLogs, rpcReceipt, rpcReceipts, rpcTransaction } from './rpcObjects.ts'

/** A method as data; `call` does the work. */
export interface RpcMethod<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  /** Positional parameters. */
  readonly params: P
  /** What stands in the place of parameters that are left out; undefined where one is needed. */
  readonly otherwise: readonly unknown[]
  /** Names of the parameters, for people. */
  readonly takes: readonly string[]
  /** A result of null reads as null ("the node knows no such thing") where this allows it. */
  readonly result: R
  /** Says why a result cannot be an answer to these parameters; null when it can. */
  contradicts?(result: z.output<R>, params: readonly unknown[]): string | null
}

const hexAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'expected an address: 0x and 40 hex digits')
const hexHash = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'expected a hash: 0x and 64 hex digits')
const tags = ['pending', 'latest', 'safe', 'finalized', 'earliest'] as const
/** A quantity as a number or as hex, sent as hex. */
const quantityText = (expected: string) => {
  const wholeNumber = z
    .number()
    .int()
    .min(0)
    .transform((value) => `0x${value.toString(16)}`)
  return z.union([wholeNumber, z.string().regex(/^0x[0-9a-fA-F]{1,64}$/, expected)], { error: expected })
}

const expectedBlock = `expected a block number or one of ${tags.join(', ')}`
/** A height as number or hex, or a tag; `pending` is the last received preconfirmed state. */
const block = z.union([z.enum(tags), quantityText(expectedBlock)], { error: expectedBlock })
const index = quantityText('expected an index')
const slot = quantityText('expected a storage position')
const call = z.looseObject({
  to: hexAddress.optional(),
  data: z
    .string()
    .regex(/^0x([0-9a-fA-F]{2})*$/, 'expected hex data')
    .optional(),
})

const logFilter = z.strictObject({
  address: z.array(hexAddress).min(1, 'expected at least one address'),
  fromBlock: block,
  toBlock: block,
  topics: z.array(z.union([z.null(), hexHash, z.array(hexHash)])).optional(),
})

const ofState = <P extends z.ZodType, R extends z.ZodType>(params: P, takes: readonly string[], result: R) =>
  method({ params, takes, otherwise: [...takes.slice(1).map(() => undefined), 'pending'], result })

/** Null is an answer: the node knows no such thing. */
function orNull<T>(read: Reader<T>): z.ZodType<T | null> {
  return toSchema(nullable(read))
}

function method<P extends z.ZodType, R extends z.ZodType>(declared: RpcMethod<P, R>): RpcMethod<P, R> {
  return declared
}

const sameHash = (given: string | null, asked: unknown, field: string) =>
  given === null || (typeof asked === 'string' && given === asked.toLowerCase())
    ? null
    : `${field}: is not what was asked for`

const sameIndex = (given: number | null, asked: unknown) =>
  given === null || typeof asked !== 'string' || BigInt(asked) === BigInt(given)
    ? null
    : 'transactionIndex: is not what was asked for'

/** All that a block holds names its number, where it names one. */
const ofOneBlock = (block: number | null, items: readonly { readonly blockNumber: number | null }[]) => {
  const numbers = new Set(
    [block, ...items.map(({ blockNumber }) => blockNumber)].filter((one) => one !== null),
  )
  return numbers.size <= 1 ? null : 'blockNumber: is of several blocks'
}

const sameHeight = (given: number | null, asked: unknown) =>
  given === null || typeof asked !== 'string' || !asked.startsWith('0x') || BigInt(asked) === BigInt(given)
    ? null
    : 'number: is not what was asked for'

/** Logs of other contracts or other blocks than were asked for are no answer. */
const ofFilter = (
  logs: readonly { readonly address: string; readonly blockNumber: number }[],
  filter: unknown,
) => {
  // What was sent was parsed by this very schema.
  const { address, fromBlock, toBlock } = filter as z.output<typeof logFilter>
  const own = new Set(address.map((one) => one.toLowerCase()))
  const isBeyond = (height: number) =>
    (fromBlock.startsWith('0x') && height < Number(fromBlock)) ||
    (toBlock.startsWith('0x') && height > Number(toBlock))
  if (logs.some((log) => !own.has(log.address))) return 'address: is not what was asked for'
  return logs.some(({ blockNumber }) => isBeyond(blockNumber))
    ? 'blockNumber: is not what was asked for'
    : null
}

/**
 * The 17 methods of the preconfirmation RPC, and the logs of a range, which follow Ethereum's JSON-RPC. Wherever a method takes a block and
 * none is named, `pending` is asked for. Heights, indexes, counts and nonces come as numbers, amounts and gas as
 * bigint, in wei. A null result says that the node knows no such thing; error objects are thrown (rpcErrors.ts).
 * Source: API documentation, Preconfirmation JSON-RPC endpoint.
 */
export const rpcMethods = {
  /** The height, of the pending block by default: the last complete one or one more. Plain nodes take no tag. */
  eth_blockNumber: ofState(z.tuple([block]), ['block'], toSchema(count)),
  /** What a contract returns. A call that reverts is an error with `details.rpcCode`. */
  eth_call: ofState(z.tuple([call, block]), ['call', 'block'], toSchema(data)),
  eth_estimateGas: ofState(z.tuple([call, block]), ['call', 'block'], toSchema(quantity)),
  /** In wei. */
  eth_getBalance: ofState(z.tuple([hexAddress, block]), ['address', 'block'], toSchema(quantity)),
  eth_getTransactionCount: ofState(z.tuple([hexAddress, block]), ['address', 'block'], toSchema(count)),
  /** `0x` where there is no contract. */
  eth_getCode: ofState(z.tuple([hexAddress, block]), ['address', 'block'], toSchema(data)),
  eth_getStorageAt: ofState(
    z.tuple([hexAddress, slot, block]),
    ['address', 'position', 'block'],
    toSchema(bytes32),
  ),
  /** A preconfirmed block's hash changes with every step: it is known only while it is current. */
  eth_getBlockByHash: method({
    params: z.tuple([hexHash, z.boolean('expected true or false')]),
    takes: ['hash', 'full'],
    otherwise: [undefined, false],
    result: orNull(rpcBlock),
    contradicts: (found, [asked]) =>
      found && (sameHash(found.hash, asked, 'hash') ?? ofOneBlock(found.number, found.full ?? [])),
  }),
  eth_getBlockByNumber: method({
    params: z.tuple([block, z.boolean('expected true or false')]),
    takes: ['block', 'full'],
    otherwise: ['pending', false],
    result: orNull(rpcBlock),
    contradicts: (found, [asked]) =>
      found && (sameHeight(found.number, asked) ?? ofOneBlock(found.number, found.full ?? [])),
  }),
  eth_getBlockReceipts: method({
    params: z.tuple([block]),
    takes: ['block'],
    otherwise: ['pending'],
    result: orNull(rpcReceipts),
    contradicts: (found, [asked]) => {
      const items = found?.items ?? []
      const other = items.find((receipt) => sameHeight(receipt.blockNumber, asked) !== null)
      return other ? 'blockNumber: is not what was asked for' : ofOneBlock(null, items)
    },
  }),
  eth_getBlockTransactionCountByNumber: method({
    params: z.tuple([block]),
    takes: ['block'],
    otherwise: ['pending'],
    result: orNull(count),
  }),
  eth_getBlockTransactionCountByHash: method({
    params: z.tuple([hexHash]),
    takes: ['hash'],
    otherwise: [],
    result: orNull(count),
  }),
  eth_getTransactionByHash: method({
    params: z.tuple([hexHash]),
    takes: ['hash'],
    otherwise: [],
    result: orNull(rpcTransaction),
    contradicts: (found, [asked]) => found && sameHash(found.hash, asked, 'hash'),
  }),
  /** The signed bytes. */
  eth_getRawTransactionByHash: method({
    params: z.tuple([hexHash]),
    takes: ['hash'],
    otherwise: [],
    // Some nodes answer `0x` where others answer null.
    result: orNull(data).transform((bytes) => (bytes === '0x' ? null : bytes)),
  }),
  /** Null also when a preconfirmation was dropped: a null alone is no proof of absence. */
  eth_getTransactionReceipt: method({
    params: z.tuple([hexHash]),
    takes: ['hash'],
    otherwise: [],
    result: orNull(rpcReceipt),
    contradicts: (found, [asked]) => found && sameHash(found.transactionHash, asked, 'transactionHash'),
  }),
  eth_getTransactionByBlockNumberAndIndex: method({
    params: z.tuple([block, index]),
    takes: ['block', 'index'],
    otherwise: ['pending', undefined],
    result: orNull(rpcTransaction),
    contradicts: (found, [asked, at]) =>
      found && (sameHeight(found.blockNumber, asked) ?? sameIndex(found.transactionIndex, at)),
  }),
  eth_getTransactionByBlockHashAndIndex: method({
    params: z.tuple([hexHash, index]),
    takes: ['hash', 'index'],
    otherwise: [],
    result: orNull(rpcTransaction),
    contradicts: (found, [asked, at]) =>
      found && (sameHash(found.blockHash, asked, 'blockHash') ?? sameIndex(found.transactionIndex, at)),
  }),
  /** Logs of contracts over a range of blocks; many nodes refuse ranges or results that are too large. */
  eth_getLogs: method({
    params: z.tuple([logFilter]),
    takes: ['filter'],
    otherwise: [],
    result: toSchema(rpcLogs),
    contradicts: (found, [filter]) => ofFilter(found, filter),
  }),
} as const

export type RpcMethodName = keyof typeof rpcMethods
/** The result of a method, as read. */
export type RpcResult<M extends RpcMethodName> = z.output<(typeof rpcMethods)[M]['result']>
/** Parameters of a method; those at the end that have a default may be left out. */
export type RpcParams<M extends RpcMethodName> = Leading<z.input<(typeof rpcMethods)[M]['params']>>

type Leading<T extends readonly unknown[]> = T extends readonly [...infer Head, infer _Last]
  ? T | Leading<Head>
  : T

/** Whether a text names a method. */
export function isRpcMethod(name: string): name is RpcMethodName {
  return Object.hasOwn(rpcMethods, name)
}

export type PreparedParams =
  | { readonly params: readonly unknown[] }
  | { readonly problem: string; readonly place: number }

/** Parameters as they are sent, with what was left out filled in. */
export function prepareParams(name: RpcMethodName, given: readonly unknown[]): PreparedParams {
  const declared: RpcMethod = rpcMethods[name]
  const filled = declared.takes.map((_, at) => (at < given.length ? given[at] : declared.otherwise[at]))
  if (given.length > filled.length) return { problem: `takes at most ${filled.length} parameters`, place: -1 }
  const parsed = declared.params.safeParse(filled)
  if (parsed.success) return { params: parsed.data as readonly unknown[] }
  const missing = filled.indexOf(undefined)
  if (missing !== -1) return { problem: `${declared.takes[missing]} is missing`, place: missing }
  const issue = parsed.error.issues[0]
  const place = Number(issue?.path[0] ?? -1)
  const parts = issue?.path.slice(1).map(String) ?? []
  const where = [declared.takes[place] ?? 'parameters', ...parts].join('.')
  return { problem: `${where}: ${issue?.message ?? 'cannot be sent'}`, place }
}
