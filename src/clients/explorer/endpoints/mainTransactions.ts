import { z } from 'zod'
import { endpoint, pageParams, param } from '../endpoint.ts'
import * as field from '../fields.ts'
import { type Contradicts, fitsAll, fitsHeights, fitsOneOf, fitsParties } from '../fits.ts'
import type { KeysOf } from '../keys.ts'
import { createRecordReader, spelledAs } from '../recordReader.ts'
import { mainList, type MainRow, mainRowFields, mainRowKeys } from './mainList.ts'

/** A transaction, or one of its transfers, of the main chain, by whichever of E6, E7 and E10 gave it. */
interface MainTransaction extends MainRow {
  readonly methodId: string
  readonly nonce: string
  /** In the native currency. */
  readonly txFee: string | null
  readonly gasLimit: string | null
  readonly gasUsed: string | null
  /** In wei. */
  readonly gasPrice: string | null
  /** `0` original, `1` EIP-2930, `2` EIP-1559. */
  readonly transactionType: string
  readonly token: string
  readonly tokenId: string
  /** E6 only, and seen empty on real transactions: '' is "no data". */
  readonly challengeStatus: string
  readonly l1OriginHash: string | null
}

/** R3, R4 and R7 under one set of names. */
const mainTransaction = z.object({
  ...mainRowFields,
  from: field.addressList,
  to: field.addressList,
  methodId: field.name,
  nonce: field.name,
  txFee: field.decimal,
  gasLimit: field.decimal,
  gasUsed: field.decimal,
  gasPrice: field.decimal,
  transactionType: field.name,
  tokenContractAddress: field.address,
  tokenId: field.identifierText,
  challengeStatus: field.name,
  l1OriginHash: field.hash,
})

/** What hangs on the fields of R3, R4 and R7 where none of the others is documented. */
const commonKeys = {
  ...mainRowKeys,
  methodId: 'ignored',
  nonce: 'none',
  txFee: 'ignored',
  gasLimit: 'none',
  gasUsed: 'none',
  gasPrice: 'none',
  transactionType: 'none',
  tokenContractAddress: 'none',
  tokenId: 'none',
  challengeStatus: 'none',
  l1OriginHash: 'none',
} as const

/** What the three endpoints have in common. */
const transactionList = (keys: KeysOf<typeof mainTransaction>) =>
  mainList({
    keys,
    createReader: () =>
      createRecordReader({
        schema: mainTransaction,
        keys,
        spellings: spelledAs({
          txId: ['txId', 'txid'],
          symbol: ['transactionSymbol', 'symbol'],
          txFee: ['txFee', 'txfee'],
        }),
        finish: ({ txId, transactionTime, tokenContractAddress, ...rest }, requestedAt): MainTransaction => ({
          ...rest,
          requestedAt,
          hash: txId,
          time: transactionTime,
          token: tokenContractAddress,
        }),
      }),
    rowKey: (row: MainTransaction) =>
      [row.hash, row.from, row.to, row.token, row.tokenId, row.amount].join('|'),
  })

const fitsRange = fitsHeights(({ height }: MainTransaction) => [height])

/**
 * A row of a token's transfer may name the parties of its transaction instead, such as a relayer and the bridge. It is
 * taken where other rows name the address that was asked for, unless all of them are some other address's.
 */
const fitsAddress: Contradicts<MainTransaction> = (row, params, rows) => {
  const problem = fitsParties(row, params)
  const isOfToken =
    params['protocolType']?.startsWith('token_') === true && params['isFromOrTo'] === undefined
  if (problem === null || !isOfToken) return problem
  const isNamed = rows.some((other) => fitsParties(other, params) === null)
  const isOfAnother = partiesOf(row).some((party) => rows.every((other) => partiesOf(other).includes(party)))
  return isNamed && !isOfAnother ? null : problem
}

function partiesOf({ from, to }: MainTransaction): string[] {
  return [...from.split(','), ...to.split(',')]
}

/**
 * E6: transactions of one address (shape A, array `transactionLists`, records R3 with challenge status). Only about
 * the latest 10,000 are returned, so a range of heights is needed for more; `limit` is at most 50.
 * Source: API documentation, E6.
 */
export const addressTransactions = endpoint({
  ...transactionList({
    ...commonKeys,
    tokenContractAddress: 'vital',
    tokenId: 'judged',
    challengeStatus: 'judged',
    l1OriginHash: 'judged',
  }),
  id: 'E6',
  name: 'address-transactions',
  path: '/api/v5/{main}/address/transaction-list',
  arrays: ['transactionLists', 'transactionList'],
  params: z.strictObject({
    address: param.address,
    protocolType: z
      .enum(['transaction', 'internal', 'token_20', 'token_721', 'token_1155', 'token_10', 'trx'])
      .optional(),
    tokenContractAddress: param.address.optional(),
    startBlockHeight: param.height.optional(),
    endBlockHeight: param.height.optional(),
    isFromOrTo: param.fromOrTo.optional(),
    ...pageParams(50),
  }),
  listFields: ['chainFullName', 'chainShortName'],
  contradicts: fitsAll(
    fitsRange,
    fitsAddress,
    fitsOneOf('tokenContractAddress', ({ token }: MainTransaction) => [token]),
  ),
  hasRange: true,
  maxLimit: 50,
  cap: 10_000,
})

/**
 * E7: transactions over a range of blocks (shape A, array `transactionList`, records R4). Only the latest 10,000 are
 * returned: narrow the range. `limit` is at most 100.
 * Source: API documentation, E7.
 */
export const blockTransactions = endpoint({
  ...transactionList({ ...commonKeys, tokenContractAddress: 'vital', tokenId: 'ignored' }),
  id: 'E7',
  name: 'block-transactions',
  path: '/api/v5/{main}/block/transaction-list-multi',
  arrays: ['transactionList'],
  params: z.strictObject({
    startBlockHeight: param.height,
    endBlockHeight: param.height,
    protocolType: z.enum(['transaction', 'internal', 'token_20', 'token_721', 'token_1155']).optional(),
    ...pageParams(100),
  }),
  listFields: ['chainFullName', 'chainShortName'],
  contradicts: fitsRange,
  hasRange: true,
  maxLimit: 100,
  cap: 10_000,
})

/**
 * E10: normal transactions of up to 20 addresses over at most 10,000 blocks (shape A, array `transactionList`, records
 * R7). `txFee` in the native currency, `gasPrice` in wei; `limit` at most 100. A wider range is answered with `50036`.
 * Source: API documentation, E10.
 */
export const manyAddressesTransactions = endpoint({
  ...transactionList({
    ...commonKeys,
    to: 'ignored',
    amount: 'ignored',
    state: 'none',
    nonce: 'ignored',
    gasLimit: 'ignored',
    gasUsed: 'ignored',
    gasPrice: 'ignored',
    transactionType: 'ignored',
  }),
  id: 'E10',
  name: 'transactions-of-addresses',
  path: '/api/v5/{main}/address/normal-transaction-list-multi',
  arrays: ['transactionList'],
  params: z
    .strictObject({
      address: param.addresses,
      startBlockHeight: param.height,
      endBlockHeight: param.height,
      isFromOrTo: param.fromOrTo.optional(),
      ...pageParams(100),
    })
    .refine(
      ({ startBlockHeight, endBlockHeight }) => Number(endBlockHeight) - Number(startBlockHeight) <= 10_000,
      { message: 'endBlockHeight: at most 10000 above startBlockHeight' },
    ),
  listParam: 'address',
  concerns: ({ from, to }: MainTransaction, addresses, { isFromOrTo }) => {
    const parties = isFromOrTo === 'from' ? [from] : isFromOrTo === 'to' ? [to] : [from, to]
    return parties.some((party) => party.split(',').some((address) => addresses.has(address.trim())))
  },
  contradicts: fitsAll<MainTransaction>(fitsRange, fitsParties),
  hasRange: true,
  maxSpan: 10_000,
  maxLimit: 100,
})
