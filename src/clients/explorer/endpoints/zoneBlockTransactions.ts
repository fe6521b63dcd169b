import { z } from 'zod'
import type { Status } from '../../../bridge/observation.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { endpoint, pageParams, param } from '../endpoint.ts'
import { fitsHeights } from '../fits.ts'
import { createRecordReader, spelledAs } from '../recordReader.ts'
import { zoneFields, zoneKeys } from './zoneFields.ts'

/** A transaction in a zone block. */
export interface ZoneBlockTransaction {
  readonly requestedAt: UnixMs
  readonly hash: string
  readonly height: number | null
  readonly blockHash: string | null
  readonly time: UnixMs | null
  readonly status: Status
  readonly from: string
  readonly actionType: string
  /** Execution order. */
  readonly index: number | null
  readonly value: string | null
  readonly amountRaw: bigint | null
}

/** R12. */
const zoneBlockTransaction = z.object(zoneFields)

/**
 * E4: transactions of one zone block (shape B, records R12). `value` in token units, `valueRaw` in base units, both
 * may be empty; `limit` is at most 100. A block without transactions answers like a block that is not there.
 * Source: API documentation, E4.
 */
export const zoneBlockTransactions = endpoint({
  id: 'E4',
  name: 'zone-block-transactions',
  path: '/api/v5/{main}/{zone}/block/transaction-list',
  chain: 'zone',
  family: 'zone',
  shape: 'B',
  arrays: ['data'],
  params: z.strictObject({
    height: param.height,
    ...pageParams(100),
  }),
  keys: zoneKeys,
  createReader: () =>
    createRecordReader({
      schema: zoneBlockTransaction,
      keys: zoneKeys,
      spellings: spelledAs({}),
      finish: ({ blockHeight, blockTime, valueRaw, ...rest }, requestedAt): ZoneBlockTransaction => ({
        ...rest,
        requestedAt,
        height: blockHeight,
        time: blockTime,
        amountRaw: valueRaw,
      }),
    }),
  rowKey: (row: ZoneBlockTransaction) => row.hash,
  contradicts: fitsHeights((row: ZoneBlockTransaction) => [row.height]),
  noBlock: 'empty',
  maxLimit: 100,
})
