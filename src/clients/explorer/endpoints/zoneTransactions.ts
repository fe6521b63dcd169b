import { z } from 'zod'
import type { ZoneTransaction } from '../../../bridge/observation.ts'
import { endpoint, param } from '../endpoint.ts'
import * as field from '../fields.ts'
import { fitsExactly } from '../fits.ts'
import type { KeysOf } from '../keys.ts'
import { createRecordReader, type RecordReader, spelledAs } from '../recordReader.ts'
import { zoneFields, zoneKeys } from './zoneFields.ts'

/** What E9 and E14 give beyond the evidence. */
export interface ZoneTransactionDetail extends ZoneTransaction {
  readonly blockHash: string | null
  readonly from: string
  readonly nonce: string
  readonly actionData: string | null
  readonly index: number | null
  readonly value: string | null
  readonly amountRaw: bigint | null
  readonly tokenTransferCount: number | null
  readonly eventCount: number | null
}

/** R13. */
const zoneTransaction = z.object({
  ...zoneFields,
  nonce: field.name,
  actionData: field.detail,
  errorMessage: field.sentence,
  tokenTransferCount: field.count,
  eventCount: field.count,
})

const keys: KeysOf<typeof zoneTransaction> = {
  ...zoneKeys,
  nonce: 'ignored',
  actionData: 'judged',
  errorMessage: 'shown',
  tokenTransferCount: 'ignored',
  eventCount: 'ignored',
}

function createReader(source: 'E9' | 'E14'): () => RecordReader<ZoneTransactionDetail> {
  return () =>
    createRecordReader({
      schema: zoneTransaction,
      keys,
      spellings: spelledAs({}),
      finish: ({ blockHeight, blockTime, valueRaw, ...record }, requestedAt) => ({
        ...record,
        source,
        requestedAt,
        height: blockHeight,
        time: blockTime,
        amountRaw: valueRaw,
      }),
    })
}

/**
 * E9: details of up to 20 zone transactions (shape C, records R13). `nonce` is a time in ms, `actionData` a JSON
 * text, `value` in token units, `valueRaw` in base units; the last three may be empty.
 * Source: API documentation, E9.
 */
export const zoneTransactions = endpoint({
  id: 'E9',
  name: 'zone-transactions',
  path: '/api/v5/{main}/{zone}/transaction/transaction-multi',
  chain: 'zone',
  family: 'zone',
  shape: 'C',
  arrays: [],
  params: z.strictObject({ txId: param.hashes }),
  listParam: 'txId',
  keys,
  createReader: createReader('E9'),
  contradicts: fitsExactly('txId', (row: ZoneTransactionDetail) => row.hash),
  rowKey: (row: ZoneTransactionDetail) => row.hash,
  maxLimit: null,
})

/**
 * E14: one zone transaction (shape C, one record R13). The parameter is spelled `txid`, all lower-case.
 * Source: API documentation, E14.
 */
export const zoneTransactionDetail = endpoint({
  id: 'E14',
  name: 'zone-transaction',
  path: '/api/v5/{main}/{zone}/transaction/transaction-fills',
  chain: 'zone',
  family: 'zone',
  shape: 'C',
  arrays: [],
  params: z.strictObject({ txid: param.hash }),
  keys,
  createReader: createReader('E14'),
  contradicts: fitsExactly('txid', (row: ZoneTransactionDetail) => row.hash),
  maxLimit: null,
})
