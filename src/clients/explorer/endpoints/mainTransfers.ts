import { z } from 'zod'
import { endpoint, pageParams, param } from '../endpoint.ts'
import * as field from '../fields.ts'
import { fitsExactly, fitsOneOf } from '../fits.ts'
import type { KeysOf } from '../keys.ts'
import { createRecordReader, spelledAs } from '../recordReader.ts'
import { mainList, type MainRow, mainRowFields, mainRowKeys } from './mainList.ts'

/** A token transfer on the main chain, by whichever of E1, E2 and E13 gave it. */
interface TokenTransfer extends MainRow {
  readonly token: string
  readonly tokenId: string
  readonly protocolType: string
  readonly methodId: string
}

/** R1 and R2 under one set of names. */
const tokenTransfer = z.object({
  ...mainRowFields,
  tokenContractAddress: field.address,
  tokenId: field.identifierText,
  protocolType: field.name,
  methodId: field.name,
})

/** What hangs on the fields of R2 as E2 gives them. */
const transferKeys = {
  ...mainRowKeys,
  blockHash: 'none',
  tokenContractAddress: 'vital',
  tokenId: 'none',
  protocolType: 'none',
  methodId: 'none',
  state: 'none',
} as const

/** What the three endpoints have in common. */
const transferList = (keys: KeysOf<typeof tokenTransfer>) =>
  mainList({
    keys,
    createReader: () =>
      createRecordReader({
        schema: tokenTransfer,
        keys,
        spellings: spelledAs({ txId: ['txId', 'txid'], symbol: ['symbol', 'transactionSymbol'] }),
        finish: ({ txId, transactionTime, tokenContractAddress, ...rest }, requestedAt): TokenTransfer => ({
          ...rest,
          requestedAt,
          hash: txId,
          time: transactionTime,
          token: tokenContractAddress,
        }),
      }),
    rowKey: (row: TokenTransfer) =>
      [row.hash, row.from, row.to, row.token, row.tokenId, row.amount].join('|'),
  })

const fitsHash = fitsExactly('txId', (row: TokenTransfer) => row.hash)

/**
 * E1: token transfers of one token contract (shape A, array `transactionList`, records R1). `amount` is in token
 * units. `limit` is at most 50; a `totalPage` of 10,000 means cut off, and no filter narrows it by height.
 * Source: API documentation, E1.
 */
export const contractTransfers = endpoint({
  ...transferList({
    ...transferKeys,
    blockHash: 'ignored',
    tokenId: 'judged',
    protocolType: 'ignored',
    methodId: 'ignored',
    state: 'judged!',
  }),
  id: 'E1',
  name: 'contract-transfers',
  path: '/api/v5/{main}/token/transaction-list',
  arrays: ['transactionList'],
  params: z.strictObject({
    tokenContractAddress: param.address,
    minAmount: param.decimal.optional(),
    maxAmount: param.decimal.optional(),
    ...pageParams(50),
  }),
  listFields: ['chainFullName', 'chainShortName', 'totalTransfer'],
  contradicts: fitsOneOf('tokenContractAddress', (row: TokenTransfer) => [row.token]),
  maxLimit: 50,
})

/**
 * E2: token transfers of one transaction (shape A, array `tokenTransferDetails`, records R2). `limit` is not
 * documented; services of this family take at most 100.
 * Source: API documentation, E2.
 */
export const transactionTransfers = endpoint({
  ...transferList(transferKeys),
  id: 'E2',
  name: 'transaction-transfers',
  path: '/api/v5/{main}/transaction/token-transaction-detail',
  arrays: ['tokenTransferDetails', 'transactionList'],
  params: z.strictObject({
    txId: param.hash,
    protocolType: param.word.optional(),
    ...pageParams(100),
  }),
  contradicts: fitsHash,
  maxLimit: 100,
})

/**
 * E13: token transfers of up to 20 transactions (shape A, records R2 with block hash and token id). The array is
 * documented as `tokenTransferDetails` and named `transactionList` in the sample.
 * Source: API documentation, E13.
 */
export const manyTransactionsTransfers = endpoint({
  ...transferList({ ...transferKeys, blockHash: 'ignored', tokenId: 'judged' }),
  id: 'E13',
  name: 'transfers-of-transactions',
  path: '/api/v5/{main}/transaction/token-transfer-multi',
  arrays: ['tokenTransferDetails', 'transactionList'],
  params: z.strictObject({
    txId: param.hashes,
    protocolType: param.word.optional(),
    ...pageParams(100),
  }),
  listParam: 'txId',
  contradicts: fitsHash,
  maxLimit: 100,
})
