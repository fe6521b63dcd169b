import { z } from 'zod'
import type { UnixMs } from '../../../lib/clock.ts'
import { endpoint, param } from '../endpoint.ts'
import * as field from '../fields.ts'
import { createRecordReader, spelledAs } from '../recordReader.ts'

/** A token transfer on the main chain, by whichever of E1, E2 and E13 gave it. */
interface TokenTransfer {
  readonly requestedAt: UnixMs
  readonly hash: string
  readonly blockHash: string | null
  readonly height: number | null
  readonly time: UnixMs | null
  readonly from: string
  readonly to: string
  readonly isFromContract: boolean | null
  readonly isToContract: boolean | null
  /** Token units: the main chain's amounts never come in base units. */
  readonly amount: string | null
  readonly symbol: string
  readonly token: string
  readonly tokenId: string
  readonly protocolType: string
  readonly methodId: string
  /** `success`, `fail`, `pending`; '' where the endpoint does not say. */
  readonly state: string
}

/** R1 and R2 under one set of names. */
const tokenTransfer = z.object({
  txId: field.requiredHash,
  blockHash: field.hash,
  height: field.count,
  transactionTime: field.time,
  from: field.address,
  to: field.address,
  isFromContract: field.flag,
  isToContract: field.flag,
  amount: field.decimal,
  symbol: field.name,
  tokenContractAddress: field.address,
  tokenId: field.identifierText,
  protocolType: field.name,
  methodId: field.name,
  state: field.name,
})

const createReader = () =>
  createRecordReader({
    schema: tokenTransfer,
    spellings: spelledAs({ txId: ['txId', 'txid'], symbol: ['symbol', 'transactionSymbol'] }),
    finish: ({ txId, transactionTime, tokenContractAddress, ...rest }, requestedAt): TokenTransfer => ({
      ...rest,
      requestedAt,
      hash: txId,
      time: transactionTime,
      token: tokenContractAddress,
    }),
  })

const rowKey = (row: TokenTransfer) =>
  [row.hash, row.from, row.to, row.token, row.tokenId, row.amount].join('|')

const position = (row: TokenTransfer) => row.height ?? row.time

/**
 * E1: token transfers of one token contract (shape A, array `transactionList`, records R1). `amount` is in token
 * units. `limit` is at most 50; a `totalPage` of 10,000 means cut off, and no filter narrows it by height.
 * Source: API documentation, E1.
 */
export const contractTransfers = endpoint({
  id: 'E1',
  name: 'contract-transfers',
  path: '/api/v5/{main}/token/transaction-list',
  chain: 'main',
  family: 'main',
  shape: 'A',
  arrays: ['transactionList'],
  params: z.strictObject({
    tokenContractAddress: param.address,
    minAmount: param.decimal.optional(),
    maxAmount: param.decimal.optional(),
    page: param.page.optional(),
    limit: param.limit(50).optional(),
  }),
  createReader,
  position,
  rowKey,
  maxLimit: 50,
})

/**
 * E2: token transfers of one transaction (shape A, array `tokenTransferDetails`, records R2). `limit` is not
 * documented; services of this family take at most 100.
 * Source: API documentation, E2.
 */
export const transactionTransfers = endpoint({
  id: 'E2',
  name: 'transaction-transfers',
  path: '/api/v5/{main}/transaction/token-transaction-detail',
  chain: 'main',
  family: 'main',
  shape: 'A',
  arrays: ['tokenTransferDetails', 'transactionList'],
  params: z.strictObject({
    txId: param.hash,
    protocolType: param.word.optional(),
    page: param.page.optional(),
    limit: param.limit(100).optional(),
  }),
  createReader,
  position,
  rowKey,
  maxLimit: 100,
})

/**
 * E13: token transfers of up to 20 transactions (shape A, records R2 with block hash and token id). The array is
 * documented as `tokenTransferDetails` and named `transactionList` in the sample.
 * Source: API documentation, E13.
 */
export const manyTransactionsTransfers = endpoint({
  id: 'E13',
  name: 'transfers-of-transactions',
  path: '/api/v5/{main}/transaction/token-transfer-multi',
  chain: 'main',
  family: 'main',
  shape: 'A',
  arrays: ['tokenTransferDetails', 'transactionList'],
  params: z.strictObject({
    txId: param.hashes,
    protocolType: param.word.optional(),
    page: param.page.optional(),
    limit: param.limit(100).optional(),
  }),
  createReader,
  position,
  rowKey,
  listParam: 'txId',
  maxLimit: 100,
})
