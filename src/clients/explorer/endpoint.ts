import { z } from 'zod'
import type { Dialect } from './dialect.ts'
import type { KeyClasses } from './keys.ts'
import type { RecordReader } from './recordReader.ts'

export type EndpointId = `E${number}`

/**
 * How records are wrapped in `data`. A: one object with paging fields and a named array; B: the same with `total` and
 * an array named `data`; C: `data` is itself the array.
 */
type Shape = 'A' | 'B' | 'C'

/** Endpoints that answer from the same data: a control question to one speaks for the others. */
export type Family = 'cross' | 'zone' | 'main' | 'logs' | 'contracts'

/** A query endpoint as data; `call` does the work. */
export interface Endpoint<P extends z.ZodType = z.ZodType, R = unknown> {
  readonly id: EndpointId
  readonly name: string
  /** With `{main}` and `{zone}` where the dialect's path words stand. */
  readonly path: string
  readonly chain: 'main' | 'zone'
  readonly family: Family
  readonly shape: Shape
  /** Names of the record array in shape A, the documented one first. */
  readonly arrays: readonly string[]
  readonly params: P
  /** Every documented key of a record, by its neutral name, and what hangs on it. */
  readonly keys: KeyClasses
  readonly createReader: (dialect: Dialect) => RecordReader<R>
  /** Where a record stands in time, for the order of a list; null when it does not say. */
  position?(record: R): number | null
  /** A row's identity across reads of a list. */
  rowKey?(record: R): string
  /** Says why a record cannot be an answer to these parameters, as they were sent; null when it can. */
  contradicts?(record: R, params: Readonly<Record<string, string>>, rows: readonly R[]): string | null
  /** Whether a question for these values has the row among its answers: for rows that may belong to several values. */
  concerns?(record: R, values: ReadonlySet<string>, params: Readonly<Record<string, unknown>>): boolean
  /** Which of its filters a question uses, e.g. `by hash`: a filter may fail while the endpoint answers. */
  filterOf?(params: Readonly<Record<string, string>>): string | null
  /** What a list gives beside its rows, where that is documented. */
  readonly listFields?: readonly string[]
  /** The parameter that takes a list of at most 20 values. */
  readonly listParam?: 'txId' | 'address'
  /** Takes `startBlockHeight` and `endBlockHeight`, both inclusive. */
  readonly hasRange?: boolean
  /** The largest difference between the two. */
  readonly maxSpan?: number
  /** What code `50040` ("nothing for this block height") means here; an error where it is not expected. */
  readonly noBlock?: 'beyond-head' | 'empty'
  /** The largest `limit` that the service takes; null where it takes none. */
  readonly maxLimit: number | null
  /** How many results the service returns at most, of however many there are. */
  readonly cap?: number
}

/** Declares an endpoint, its types inferred. */
export function endpoint<P extends z.ZodType, R>(declaration: Endpoint<P, R>): Endpoint<P, R> {
  return declaration
}

/** Most hashes or addresses in one request. */
export const maxPerRequest = 20

const maxHeight = Number.MAX_SAFE_INTEGER
const heightText = z.string().regex(/^\d{1,15}$/, 'expected a height')

/** Building blocks of parameter schemas. All give the text that is sent. */
export const param = {
  hash: z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'expected a hash of 64 digits'),
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'expected an address of 40 digits'),
  word: z.string().regex(/^[\w.-]{1,64}$/, 'expected a word'),
  decimal: z.string().regex(/^\d{1,78}(\.\d{1,78})?$/, 'expected a decimal number'),
  height: z.union([z.int().min(0).max(maxHeight).transform(String), heightText]),
  page: z.int('expected a whole number').min(1).max(1_000_000_000).transform(String),
  limit: (max: number) =>
    z.int('expected a whole number').min(1).max(max, `at most ${max}`).transform(String),
  hashes: listOf(/^0x[0-9a-fA-F]{64}$/, 'hashes of 64 digits'),
  addresses: listOf(/^0x[0-9a-fA-F]{40}$/, 'addresses of 40 digits'),
  fromOrTo: z.enum(['from', 'to']),
}

/** The parameters of a list in pages. */
export function pageParams(maxLimit: number) {
  return { limit: param.limit(maxLimit).optional(), page: param.page.optional() }
}

function listOf(pattern: RegExp, what: string) {
  return z
    .array(z.string().regex(pattern, `expected ${what}`))
    .min(1)
    .max(maxPerRequest, `at most ${maxPerRequest} ${what}`)
    .transform((values) => values.join(','))
}
