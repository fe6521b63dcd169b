import { expect, test } from 'vitest'
import { MonitorError } from '../../../src/lib/errors.ts'
import { createExplorerReads } from '../../../src/kernel/reads/reads.ts'
import { hash, toRecord } from '../../support/records.ts'
import { noSignal } from '../checks/support.ts'

const readsAgainst = (failure: Error) =>
  createExplorerReads({
    explorer: { call: () => Promise.reject(failure), callNonEmpty: () => Promise.reject(failure) },
    ledger: { hasListed: () => true },
    clock: { now: () => 7_000 },
    blockListeners: new Set(),
  })
const options = { priority: 'urgent', signal: noSignal } as const

test('a filter for transactions that is refused finds nothing, as one that is broken', async () => {
  const reads = readsAgainst(new MonitorError('source.refused', 'code 50036'))
  expect(await reads.feedByHash('0x1', options)).toEqual({ requestedAt: 7_000, records: [], bad: [] })
})

test('one that could not be asked says so', async () => {
  const reads = readsAgainst(new MonitorError('source.empty', 'again and again'))
  await expect(reads.feedByHash('0x1', options)).rejects.toThrow('again and again')
})

test.each([true, false])(
  'an empty list is contradicted only where it showed something before: %s',
  async (isListed) => {
    const asked: unknown[] = []
    const callNonEmpty = (_: unknown, __: unknown, how: { readonly isKnown?: boolean }) => {
      asked.push(how.isKnown)
      return Promise.reject(new MonitorError('source.empty', 'empty'))
    }
    const reads = createExplorerReads({
      explorer: { call: callNonEmpty, callNonEmpty },
      ledger: { hasListed: () => isListed },
      clock: { now: () => 7_000 },
      blockListeners: new Set(),
    })
    await expect(reads.feedPage(1, options)).rejects.toThrow('empty')
    expect(asked).toEqual([isListed])
  },
)

test.each([
  { title: 'of its zone transaction', raw: '{"zoneTxHash":"0xA1","valueRaw":"much"}', marked: ['0xa1'] },
  { title: 'of another one', raw: '{"zoneTxHash":"0xb2","valueRaw":"much"}', marked: ['0xb2'] },
  { title: 'of nobody knows which', raw: '{"valueRaw":"much"}', marked: ['0xa1', '0xb2'] },
])('semantics.md 38: a nameless detail is marked beside a row $title that could not be read', async (of) => {
  const records = [
    toRecord({ source: 'E12', zoneHash: '0xa1' }),
    toRecord({ source: 'E12', zoneHash: '0xb2' }),
    toRecord({ source: 'E12', zoneHash: '0xa1', zoneEventIndex: '1' }),
  ]
  const answer = { endpoint: 'E12', requestedAt: 7_000, records, misfits: [], empty: false }
  const quarantined = [{ raw: of.raw, problem: 'expected digits' }]
  const reads = createExplorerReads({
    // Only what is read of an answer.
    explorer: {
      call: async () => undefined as never,
      callNonEmpty: async () => ({ ...answer, quarantined }) as never,
    },
    ledger: { hasListed: () => true },
    clock: { now: () => 7_000 },
    blockListeners: new Set(),
  })
  const read = await reads.details(['0xa1', '0xb2'], options)
  expect(read.records.flatMap(({ zoneHash, unsaid }) => (unsaid === '?' ? zoneHash : []))).toEqual(of.marked)
})

test.each([1, 100, 101, 250])('all of %i records of one transaction are read by its hash', async (count) => {
  const rows = Array.from({ length: count }, (_, n) => toRecord({ id: `r${n}` }))
  const asked: unknown[] = []
  const callNonEmpty = async (_: unknown, { page = 1 }: { readonly page?: number }) => {
    asked.push(page)
    const records = rows.slice((page - 1) * 100, page * 100)
    return { requestedAt: 7_000 + page, records, quarantined: [], misfits: [], totalPage: null, limit: null }
  }
  const reads = createExplorerReads({
    // Only what is read of an answer.
    explorer: { call: callNonEmpty as never, callNonEmpty: callNonEmpty as never },
    ledger: { hasListed: () => true },
    clock: { now: () => 7_000 },
    blockListeners: new Set(),
  })
  const read = await reads.feedByHash(hash('main'), options)
  expect([read.records.length, read.requestedAt]).toEqual([count, 7_001])
  expect(asked).toHaveLength(Math.floor(count / 100) + 1)
})

test('the head is the last of blocks that are listed from the oldest on', async () => {
  const pages = [1, 21, 41].map((from) => Array.from({ length: 20 }, (_, n) => from + n))
  const callNonEmpty = async (_: unknown, { page }: { readonly page: number }) => ({
    records: pages[page - 1]?.map((height) => ({ height, time: height * 100, requestedAt: 7_000 })),
    order: 'oldest-first',
    totalPage: pages.length,
    empty: false,
  })
  const reads = createExplorerReads({
    // Only what is read of an answer.
    explorer: { call: callNonEmpty as never, callNonEmpty: callNonEmpty as never },
    ledger: { hasListed: () => true },
    clock: { now: () => 7_000 },
    blockListeners: new Set(),
  })
  expect(await reads.zoneHead(options)).toEqual({ height: 60, blockTime: 6_000, requestedAt: 7_000 })
})
