import { z } from 'zod'
import type { UnixMs } from '../../../lib/clock.ts'
import { endpoint, param } from '../endpoint.ts'
import * as field from '../fields.ts'
import { fitsAll, fitsExactly, fitsHeights, fitsOneOf } from '../fits.ts'
import type { KeysOf } from '../keys.ts'
import { createRecordReader, spelledAs } from '../recordReader.ts'

interface EventLog {
  readonly requestedAt: UnixMs
  readonly height: number
  readonly address: string
  readonly topics: readonly string[]
  /** Non-indexed parameters, hex. */
  readonly data: string
  readonly blockHash: string | null
  readonly methodId: string
  readonly time: UnixMs | null
  /** Position within the block. */
  readonly logIndex: number | null
  readonly hash: string
}

/** R10. */
const eventLog = z.object({
  height: field.requiredCount,
  address: field.requiredAddress,
  topics: field.topics,
  data: field.rawText,
  blockHash: field.hash,
  methodId: field.name,
  transactionTime: field.time,
  logIndex: field.count,
  txId: field.requiredHash,
})

const keys: KeysOf<typeof eventLog> = {
  height: 'vital!',
  address: 'vital!',
  topics: 'vital',
  data: 'vital',
  blockHash: 'ignored',
  methodId: 'ignored',
  transactionTime: 'judged!',
  logIndex: 'judged!',
  txId: 'vital!',
}

/** What the four log endpoints have in common. The service returns about 1,000 results and has no paging here. */
const logList = {
  chain: 'main',
  family: 'logs',
  shape: 'C',
  arrays: [],
  keys,
  createReader: () =>
    createRecordReader({
      schema: eventLog,
      keys,
      spellings: spelledAs({ txId: ['txId', 'txid'] }),
      finish: ({ txId, transactionTime, ...rest }, requestedAt): EventLog => ({
        ...rest,
        requestedAt,
        hash: txId,
        time: transactionTime,
      }),
    }),
  position: (row: EventLog) => row.height,
  rowKey: (row: EventLog) => [row.height, row.logIndex, row.hash, row.address, row.data].join('|'),
  maxLimit: null,
  cap: 1_000,
} as const

const fitsContract = fitsOneOf('address', (row: EventLog) => [row.address])

/**
 * E18: logs of one contract with one first topic (shape C, records R10): about the first 1,000 results only, so never
 * a way to follow a contract.
 * Source: API documentation, E18.
 */
export const logsByTopic = endpoint({
  ...logList,
  id: 'E18',
  name: 'logs-by-topic',
  path: '/api/v5/{main}/log/by-address-and-topic',
  params: z.strictObject({ address: param.address, topic0: param.hash }),
  contradicts: fitsAll(
    fitsContract,
    fitsExactly('topic0', ({ topics }: EventLog) => topics[0] ?? 'none'),
  ),
})

/**
 * E19: logs of one contract over a range of blocks (shape C, records R10): about the first 1,000 results; narrow the
 * range for more. Ranges below the head are the way to follow a contract.
 * Source: API documentation, E19.
 */
export const logsByBlocks = endpoint({
  ...logList,
  id: 'E19',
  name: 'logs-by-blocks',
  path: '/api/v5/{main}/log/by-block-and-address',
  params: z.strictObject({
    startBlockHeight: param.height,
    endBlockHeight: param.height,
    address: param.address,
  }),
  contradicts: fitsAll(
    fitsContract,
    fitsHeights(({ height }: EventLog) => [height]),
  ),
  hasRange: true,
})

/**
 * E20: logs of one contract (shape C, records R10): about the first 1,000 results only.
 * Source: API documentation, E20.
 */
export const logsByAddress = endpoint({
  ...logList,
  id: 'E20',
  name: 'logs-by-address',
  path: '/api/v5/{main}/log/by-address',
  params: z.strictObject({ address: param.address }),
  contradicts: fitsContract,
})

/**
 * E21: logs of one transaction (shape C, records R10): about the first 1,000 results only.
 * Source: API documentation, E21.
 */
export const logsByTransaction = endpoint({
  ...logList,
  id: 'E21',
  name: 'logs-by-transaction',
  path: '/api/v5/{main}/log/by-transaction',
  params: z.strictObject({ txId: param.hash }),
  contradicts: fitsExactly('txId', (row: EventLog) => row.hash),
})

/** Each log once: its place in the block names it, and some answers give one twice. */
export function distinctLogs<L extends Pick<EventLog, 'hash' | 'logIndex'>>(logs: readonly L[]): L[] {
  const seen = new Set<string>()
  return logs.filter(({ hash, logIndex }) => {
    const place = `${hash} ${logIndex}`
    const isNew = logIndex === null || !seen.has(place)
    seen.add(place)
    return isNew
  })
}
