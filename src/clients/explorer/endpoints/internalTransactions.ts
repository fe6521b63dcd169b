import { z } from 'zod'
import { endpoint, pageParams, param } from '../endpoint.ts'
import * as field from '../fields.ts'
import { fitsAll, fitsExactly, fitsHeights, fitsParties } from '../fits.ts'
import type { KeysOf } from '../keys.ts'
import { createRecordReader, spelledAs } from '../recordReader.ts'
import { mainList, type MainRow, mainRowFields, mainRowKeys } from './mainList.ts'

/** A transfer of native currency inside a transaction, by whichever of E8, E15 and E16 gave it. */
interface InternalTransaction extends MainRow {
  /** `call`, `staticcall`, … */
  readonly operation: string
}

const valueless = new Set(['delegatecall', 'staticcall', 'callcode'])

/** Of the calls inside a transaction only some carry value. */
export function carriesValue({ operation }: Pick<InternalTransaction, 'operation'>): boolean {
  return !valueless.has(operation.toLowerCase())
}

/** R5 and R6 under one set of names. */
const internalTransaction = z.object({ ...mainRowFields, operation: field.name })

/** What the three endpoints have in common. */
const internalList = (keys: KeysOf<typeof internalTransaction>) =>
  mainList({
    keys,
    createReader: () =>
      createRecordReader({
        schema: internalTransaction,
        keys,
        spellings: spelledAs({ txId: ['txId', 'txid'], symbol: ['symbol', 'transactionSymbol'] }),
        finish: ({ txId, transactionTime, ...rest }, requestedAt): InternalTransaction => ({
          ...rest,
          requestedAt,
          hash: txId,
          time: transactionTime,
        }),
      }),
    rowKey: (row: InternalTransaction) => [row.hash, row.operation, row.from, row.to, row.amount].join('|'),
  })

const fitsHash = fitsExactly('txId', (row: InternalTransaction) => row.hash)

/**
 * E8: internal transactions of one address (shape A, array `transactionList`, records R5). Amounts in units of the
 * native currency; `limit` at most 50; the hash is documented as `txid` and spelled `txId` in the sample.
 * Source: API documentation, E8.
 */
export const addressInternals = endpoint({
  ...internalList({ ...mainRowKeys, operation: 'vital' }),
  id: 'E8',
  name: 'address-internals',
  path: '/api/v5/{main}/address/internal-transaction-list',
  arrays: ['transactionList'],
  params: z.strictObject({
    address: param.address,
    startBlockHeight: param.height.optional(),
    endBlockHeight: param.height.optional(),
    isFromOrTo: param.fromOrTo.optional(),
    ...pageParams(50),
  }),
  contradicts: fitsAll<InternalTransaction>(
    fitsHeights(({ height }) => [height]),
    fitsParties,
  ),
  hasRange: true,
  maxLimit: 50,
})

/**
 * E15: internal transactions of up to 20 transactions (shape A, records R6 without state). The array is documented as
 * `internalTransactionDetails` and named `transactionList` in the sample.
 * Source: API documentation, E15.
 */
export const manyTransactionsInternals = endpoint({
  ...internalList({ ...mainRowKeys, operation: 'vital', symbol: 'none', state: 'none' }),
  id: 'E15',
  name: 'internals-of-transactions',
  path: '/api/v5/{main}/transaction/internal-transaction-multi',
  arrays: ['internalTransactionDetails', 'transactionList'],
  params: z.strictObject({
    txId: param.hashes,
    ...pageParams(100),
  }),
  listParam: 'txId',
  contradicts: fitsHash,
  maxLimit: 100,
})

/**
 * E16: internal transactions of one transaction (shape A, array `internalTransactionDetails`, records R6 with state).
 * Source: API documentation, E16.
 */
export const transactionInternals = endpoint({
  ...internalList({ ...mainRowKeys, operation: 'vital', blockHash: 'none', symbol: 'none' }),
  id: 'E16',
  name: 'transaction-internals',
  path: '/api/v5/{main}/transaction/internal-transaction-detail',
  arrays: ['internalTransactionDetails', 'transactionList'],
  params: z.strictObject({
    txId: param.hash,
    ...pageParams(100),
  }),
  contradicts: fitsHash,
  maxLimit: 100,
})
