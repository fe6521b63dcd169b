import { z } from 'zod'
import type { UnixMs } from '../../../lib/clock.ts'
import { endpoint, pageParams, param } from '../endpoint.ts'
import * as field from '../fields.ts'
import { fitsHeights } from '../fits.ts'
import type { KeysOf } from '../keys.ts'
import { createRecordReader, spelledAs } from '../recordReader.ts'

export interface ZoneBlock {
  readonly requestedAt: UnixMs
  readonly height: number
  readonly hash: string | null
  readonly time: UnixMs | null
  readonly miner: string
  readonly transactionCount: number | null
}

export interface MainBlock extends ZoneBlock {
  readonly chainFullName: string
  readonly chainShortName: string
  readonly validator: string
  /** Of the block's transactions, in the native currency. */
  readonly amount: string | null
  /** Transactions within transactions. */
  readonly internalCount: number | null
  /** Bytes. */
  readonly blockSize: string | null
  /** Block revenue is this and `totalFee`. */
  readonly mineReward: string | null
  readonly ommerBlock: string | null
  readonly merkleRootHash: string | null
  readonly gasAvgPrice: string | null
  readonly burnt: string | null
  readonly nonce: string | null
  /** Blocks that confirm it. */
  readonly confirm: string | null
  readonly tips: string | null
  readonly gasUsed: string | null
  readonly gasLimit: string | null
  readonly baseFeePerGas: string | null
  readonly totalFee: string | null
  readonly feeSymbol: string
  readonly difficulty: string | null
  /** `pending`, `done` or '' as the service gives it. */
  readonly state: string
}

/** R11. */
const zoneBlock = z.object({
  hash: field.hash,
  height: field.requiredCount,
  miner: field.address,
  blockTime: field.time,
  transactionCount: field.count,
})

const zoneBlockKeys: KeysOf<typeof zoneBlock> = {
  hash: 'ignored',
  height: 'vital!',
  miner: 'ignored',
  blockTime: 'judged!',
  transactionCount: 'judged',
}

/** R8. */
const mainBlock = z.object({
  chainFullName: field.name,
  chainShortName: field.name,
  validator: field.address,
  amount: field.label,
  txnInternal: field.count,
  blockSize: field.label,
  mineReward: field.label,
  ommerBlock: field.label,
  merkleRootHash: field.label,
  gasAvgPrice: field.label,
  burnt: field.label,
  nonce: field.label,
  confirm: field.label,
  tips: field.label,
  hash: field.hash,
  height: field.requiredCount,
  blockTime: field.time,
  txnCount: field.count,
  miner: field.address,
  gasUsed: field.label,
  gasLimit: field.label,
  baseFeePerGas: field.label,
  totalFee: field.label,
  feeSymbol: field.name,
  difficulty: field.label,
  state: field.name,
})

const mainBlockKeys: KeysOf<typeof mainBlock> = {
  chainFullName: 'ignored',
  chainShortName: 'ignored',
  // Reorganisations are seen by it where there is no RPC; a service that leaves it out drifts from nothing.
  hash: 'ignored',
  height: 'vital!',
  validator: 'ignored',
  blockTime: 'judged!',
  amount: 'ignored',
  txnCount: 'ignored',
  txnInternal: 'ignored',
  blockSize: 'ignored',
  mineReward: 'ignored',
  totalFee: 'ignored',
  feeSymbol: 'ignored',
  ommerBlock: 'ignored',
  merkleRootHash: 'ignored',
  gasUsed: 'ignored',
  gasLimit: 'ignored',
  gasAvgPrice: 'ignored',
  state: 'ignored',
  burnt: 'ignored',
  miner: 'ignored',
  difficulty: 'ignored',
  nonce: 'ignored',
  confirm: 'ignored',
  tips: 'ignored',
  baseFeePerGas: 'ignored',
}

/**
 * E5: zone blocks (shape B, records R11), newest first in every sample; times in ms. `limit` is at most 100. `total`
 * was seen below the head's height: it proves neither head nor completeness.
 * Source: API documentation, E5.
 */
export const zoneBlocks = endpoint({
  id: 'E5',
  name: 'zone-blocks',
  path: '/api/v5/{main}/{zone}/block/block-list',
  chain: 'zone',
  family: 'zone',
  shape: 'B',
  arrays: ['data'],
  params: z.strictObject({
    height: param.height.optional(),
    ...pageParams(100),
  }),
  keys: zoneBlockKeys,
  createReader: () =>
    createRecordReader({
      schema: zoneBlock,
      keys: zoneBlockKeys,
      spellings: spelledAs({}),
      finish: ({ blockTime, ...block }, requestedAt): ZoneBlock => ({
        ...block,
        requestedAt,
        time: blockTime,
      }),
    }),
  position: (block: ZoneBlock) => block.height,
  rowKey: (block: ZoneBlock) => String(block.height),
  contradicts: fitsHeights((block: ZoneBlock) => [block.height]),
  noBlock: 'empty',
  maxLimit: 100,
})

/**
 * E11: one main-chain block (shape C, one record R8). Code `50040` says that the height is beyond the head
 * (`Answer.beyondHead`); an empty answer says nothing. Times in ms, fees in the fee currency.
 * Source: API documentation, E11; the sample spells `difficulty` as `difficuity`.
 */
export const mainBlockDetail = endpoint({
  id: 'E11',
  name: 'main-block',
  path: '/api/v5/{main}/block/block-fills',
  chain: 'main',
  family: 'main',
  shape: 'C',
  arrays: [],
  params: z.strictObject({ height: param.height }),
  keys: mainBlockKeys,
  createReader: () =>
    createRecordReader({
      schema: mainBlock,
      keys: mainBlockKeys,
      spellings: spelledAs({ difficulty: ['difficulty', 'difficuity'] }),
      finish: ({ blockTime, txnCount, txnInternal, ...block }, requestedAt): MainBlock => ({
        ...block,
        requestedAt,
        time: blockTime,
        transactionCount: txnCount,
        internalCount: txnInternal,
      }),
    }),
  contradicts: fitsHeights((block: MainBlock) => [block.height]),
  noBlock: 'beyond-head',
  maxLimit: null,
})
