import { z } from 'zod'
import type { UnixMs } from '../../../lib/clock.ts'
import { endpoint, param } from '../endpoint.ts'
import * as field from '../fields.ts'
import { createRecordReader, spelledAs } from '../recordReader.ts'

/** A transfer of native currency inside a transaction, by whichever of E8, E15 and E16 gave it. */
interface InternalTransaction {
  readonly requestedAt: UnixMs
  readonly hash: string
  readonly blockHash: string | null
  readonly height: number | null
  readonly time: UnixMs | null
  /** `call`, `staticcall`, … */
  readonly operation: string
  readonly from: string
  readonly to: string
  readonly isFromContract: boolean | null
  readonly isToContract: boolean | null
  /** Units of the native currency. */
  readonly amount: string | null
  readonly symbol: string
  /** `success` or `fail`; '' where the endpoint does not say. */
  readonly state: string
}

/** R5 and R6 under one set of names. */
const internalTransaction = z.object({
  txId: field.requiredHash,
  blockHash: field.hash,
  height: field.count,
  transactionTime: field.time,
  operation: field.name,
  from: field.address,
  to: field.address,
  isFromContract: field.flag,
  isToContract: field.flag,
  amount: field.decimal,
  symbol: field.name,
  state: field.name,
})

const createReader = () =>
  createRecordReader({
    schema: internalTransaction,
    spellings: spelledAs({ txId: ['txId', 'txid'], symbol: ['symbol', 'transactionSymbol'] }),
    finish: ({ txId, transactionTime, ...rest }, requestedAt): InternalTransaction => ({
      ...rest,
      requestedAt,
      hash: txId,
      time: transactionTime,
    }),
  })

const rowKey = (row: InternalTransaction) => [row.hash, row.operation, row.from, row.to, row.amount].join('|')

const position = (row: InternalTransaction) => row.height ?? row.time

/**
 * E8: internal transactions of one address (shape A, array `transactionList`, records R5). Amounts in units of the
 * native currency; `limit` at most 50; the hash is documented as `txid` and spelled `txId` in the sample.
 * Source: API documentation, E8.
 */
export const addressInternals = endpoint({
  id: 'E8',
  name: 'address-internals',
  path: '/api/v5/{main}/address/internal-transaction-list',
  chain: 'main',
  family: 'main',
  shape: 'A',
  arrays: ['transactionList'],
  params: z.strictObject({
    address: param.address,
    startBlockHeight: param.height.optional(),
    endBlockHeight: param.height.optional(),
    isFromOrTo: param.fromOrTo.optional(),
    page: param.page.optional(),
    limit: param.limit(50).optional(),
  }),
  createReader,
  position,
  rowKey,
  hasRange: true,
  maxLimit: 50,
})

/**
 * E15: internal transactions of up to 20 transactions (shape A, records R6 without state). The array is documented as
 * `internalTransactionDetails` and named `transactionList` in the sample.
 * Source: API documentation, E15.
 */
export const manyTransactionsInternals = endpoint({
  id: 'E15',
  name: 'internals-of-transactions',
  path: '/api/v5/{main}/transaction/internal-transaction-multi',
  chain: 'main',
  family: 'main',
  shape: 'A',
  arrays: ['internalTransactionDetails', 'transactionList'],
  params: z.strictObject({
    txId: param.hashes,
    page: param.page.optional(),
    limit: param.limit(100).optional(),
  }),
  createReader,
  position,
  rowKey,
  listParam: 'txId',
  maxLimit: 100,
})

/**
 * E16: internal transactions of one transaction (shape A, array `internalTransactionDetails`, records R6 with state).
 * Source: API documentation, E16.
 */
export const transactionInternals = endpoint({
  id: 'E16',
  name: 'transaction-internals',
  path: '/api/v5/{main}/transaction/internal-transaction-detail',
  chain: 'main',
  family: 'main',
  shape: 'A',
  arrays: ['internalTransactionDetails', 'transactionList'],
  params: z.strictObject({
    txId: param.hash,
    page: param.page.optional(),
    limit: param.limit(100).optional(),
  }),
  createReader,
  position,
  rowKey,
  maxLimit: 100,
})
