import { afterEach, expect, test } from 'vitest'
import { crossDetails } from '../../../src/clients/explorer/endpoints/crossRecords.ts'
import { logsByAddress, logsByBlocks } from '../../../src/clients/explorer/endpoints/logs.ts'
import {
  blockTransactions,
  manyAddressesTransactions,
} from '../../../src/clients/explorer/endpoints/mainTransactions.ts'
import { manyTransactionsTransfers } from '../../../src/clients/explorer/endpoints/mainTransfers.ts'
import type { Endpoint } from '../../../src/clients/explorer/endpoint.ts'
import type { WideParams } from '../../../src/clients/explorer/question.ts'
import { readAll } from '../../../src/clients/explorer/readAll.ts'
import {
  type ApiStub,
  apiError,
  envelope,
  startApiStub,
  type StubReply,
  type StubRequest,
} from '../../support/apiStub.ts'
import { createTestExplorer } from '../../support/createTestExplorer.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function read<R>(
  endpoint: Endpoint<never, R> | Endpoint,
  params: WideParams,
  reply: (request: StubRequest, index: number) => StubReply,
) {
  const stub: ApiStub = await startApiStub(reply)
  const explorer = createTestExplorer(stub.url)
  closers.push(
    () => explorer.close(),
    () => stub.close(),
  )
  const records: unknown[] = []
  const result = await readAll(
    { explorer, clock: createSteppedClock() },
    endpoint as Endpoint<never, R>,
    params,
    {
      priority: 'bulk',
      onRecords: (found) => void records.push(...found),
    },
  )
  return { result, records: records as R[], stub }
}

const address = `0x${'aa'.repeat(20)}`
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const numberOf = (query: URLSearchParams, name: string, otherwise: number) =>
  Number(query.get(name) ?? otherwise)

const moved = { amount: '1', from: address, to: address, tokenContractAddress: '' }

/** Blocks of `perBlock` transactions each; of any range only the newest 10,000 are given. */
function serveBlocks(perBlock: number, headers = { array: 'transactionList' }) {
  return ({ query }: StubRequest): StubReply => {
    const start = numberOf(query, 'startBlockHeight', 0)
    const end = numberOf(query, 'endBlockHeight', 0)
    const limit = Math.min(numberOf(query, 'limit', 20), 100)
    const page = numberOf(query, 'page', 1)
    const count = Math.min((end - start + 1) * perBlock, 10_000)
    const rows = []
    for (let index = (page - 1) * limit; index < Math.min(page * limit, count); index++) {
      const height = end - Math.floor(index / perBlock)
      rows.push({
        txId: hashOf(height * 1_000 + (index % perBlock) + 1),
        height: String(height),
        ...moved,
      })
    }
    const totalPage = String(Math.ceil(count / limit))
    return envelope([{ page: String(page), limit: String(limit), totalPage, [headers.array]: rows }])
  }
}

test('25,000 transactions behind a cap of 10,000 are each given once', async () => {
  const { result, records } = await read(
    blockTransactions,
    { startBlockHeight: 1, endBlockHeight: 250 },
    serveBlocks(100),
  )
  expect(result).toMatchObject({ complete: true, reasons: [], records: 25_000 })
  expect(new Set(records.map(({ hash }) => hash)).size).toBe(25_000)
}, 60_000)

test('a single block beyond the cap is said to be incomplete', async () => {
  const { result } = await read(
    blockTransactions,
    { startBlockHeight: 7, endBlockHeight: 7 },
    serveBlocks(10_000),
  )
  expect(result).toMatchObject({ complete: false, records: 10_000 })
  expect(result.reasons).toEqual([
    'the service gives no more results than these, and nothing narrows the question',
  ])
}, 60_000)

test('logs are narrowed by range until each answer is whole (semantics 19)', async () => {
  const { result, records } = await read(
    logsByBlocks,
    { startBlockHeight: 1, endBlockHeight: 4_000, address },
    ({ query }) => {
      const start = numberOf(query, 'startBlockHeight', 0)
      const end = numberOf(query, 'endBlockHeight', 0)
      const heights = Array.from({ length: Math.min(end - start + 1, 1_000) }, (_, index) => start + index)
      return envelope(
        heights.map((height) => ({
          height: String(height),
          txId: hashOf(height),
          address,
          topics: [],
          data: '',
          logIndex: '0',
        })),
      )
    },
  )
  expect(result.complete).toBe(true)
  expect(new Set(records.map(({ height }) => height)).size).toBe(4_000)
})

test.each([
  { count: 949, complete: true },
  { count: 1_000, complete: false },
])('$count logs without a range to narrow: complete is $complete', async ({ count, complete }) => {
  const { result } = await read(logsByAddress, { address }, () =>
    envelope(
      Array.from({ length: count }, (_, n) => ({
        height: String(n),
        txId: hashOf(n + 1),
        address,
        topics: [],
        data: '',
      })),
    ),
  )
  expect(result.complete).toBe(complete)
})

test('45 hashes go out in three requests and come back as one answer', async () => {
  const hashes = Array.from({ length: 45 }, (_, index) => hashOf(index + 1))
  const { result, records, stub } = await read(
    crossDetails,
    { txId: [...hashes, hashes[0] ?? ''] },
    ({ query }) =>
      envelope(
        (query.get('txId') ?? '').split(',').map((zoneTxHash) => ({ txType: 'ZoneToMain', zoneTxHash })),
      ),
  )
  expect(stub.requests.map(({ query }) => query.get('txId')?.split(',').length)).toEqual([20, 20, 5])
  expect(records.map(({ zoneHash }) => zoneHash)).toEqual(hashes)
  expect(result.complete).toBe(true)
})

test('a range of 25,001 blocks goes out in ranges of at most 10,000', async () => {
  const { stub } = await read(
    manyAddressesTransactions,
    { address: [address], startBlockHeight: 0, endBlockHeight: 25_000 },
    serveBlocks(1),
  )
  const spans = stub.requests.map(
    ({ query }) => numberOf(query, 'endBlockHeight', 0) - numberOf(query, 'startBlockHeight', 0),
  )
  expect(Math.max(...spans)).toBe(10_000)
})

test.each(['tokenTransferDetails', 'transactionList', 'somethingElse'])(
  'the array may be named %s',
  async (array) => {
    const { records } = await read(manyTransactionsTransfers, { txId: [hashOf(1)] }, () =>
      envelope([{ page: '1', limit: '20', totalPage: '1', [array]: [{ txId: hashOf(1), ...moved }] }]),
    )
    expect(records).toHaveLength(1)
  },
)

test('an empty answer is believed only when a second one agrees', async () => {
  const { result, records } = await read(crossDetails, { txId: [hashOf(1)] }, (_, index) =>
    envelope(index === 0 ? [] : [{ txType: 'ZoneToMain', zoneTxHash: hashOf(1) }]),
  )
  expect(records).toHaveLength(1)
  expect(result).toMatchObject({ complete: true, requests: 2 })
})

test('an error ends the reading', async () => {
  await expect(read(crossDetails, { txId: [hashOf(1)] }, () => apiError('50113', 401))).rejects.toMatchObject(
    {
      code: 'source.rejected',
    },
  )
})
