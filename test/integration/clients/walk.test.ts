import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { crossDetails, crossTransactions } from '../../../src/clients/explorer/endpoints/crossRecords.ts'
import { envelope, pageB, startApiStub, type StubReply, type StubRequest } from '../../support/apiStub.ts'
import { createTestExplorer } from '../../support/createTestExplorer.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function serve(reply: (request: StubRequest, index: number) => StubReply) {
  const stub = await startApiStub(reply)
  const explorer = createTestExplorer(stub.url)
  closers.push(
    () => explorer.close(),
    () => stub.close(),
  )
  return { stub, explorer }
}

let lastHash = 0
const record = () => ({
  txType: 'ZoneToMain',
  zoneTxHash: `0x${(lastHash += 1).toString(16).padStart(64, '0')}`,
  valueRaw: '5',
})

function page(list: readonly unknown[], query: URLSearchParams, cap: number): StubReply {
  const limit = Math.min(Number(query.get('limit') ?? 20), cap)
  const number = Number(query.get('page') ?? 1)
  return pageB(list.slice((number - 1) * limit, number * limit), {
    page: String(number),
    limit: String(limit),
    totalPage: String(Math.ceil(list.length / limit)),
    total: String(list.length),
  })
}

test('F44: 3,000 records are all read while 5 arrive at every request and pages are capped at 50', async () => {
  const list = Array.from({ length: 3_000 }, record)
  const wanted = new Set(list.map(({ zoneTxHash }) => zoneTxHash))
  const { explorer } = await serve(({ query }) => {
    list.unshift(...Array.from({ length: 5 }, record))
    return page(list, query, 50)
  })
  const result = await explorer.walk(
    crossTransactions,
    {},
    {
      priority: 'bulk',
      onNew: (rows) => rows.forEach(({ zoneHash }) => wanted.delete(zoneHash ?? '')),
    },
  )
  expect(wanted.size).toBe(0)
  expect(result).toMatchObject({ complete: true, reasons: [] })
})

test('sixty percent of answers empty in disguise delay a walk and falsify nothing', async () => {
  const list = Array.from({ length: 500 }, record)
  const { explorer } = await serve(({ query }, index) =>
    index % 5 > 1 ? envelope([]) : page(list, query, 100),
  )
  const result = await explorer.walk(crossTransactions, {}, { priority: 'bulk' })
  expect(result).toMatchObject({ complete: true, rows: 500 })
  expect(explorer.empties.count(0).contradicted).toBeGreaterThan(3)
})

test('a list is read whole whose service gives 150 rows a page, whatever is asked for', async () => {
  const list = Array.from({ length: 400 }, record)
  const { explorer, stub } = await serve(({ query }) =>
    page(list, new URLSearchParams({ page: query.get('page') ?? '1', limit: '150' }), 150),
  )
  const result = await explorer.walk(crossTransactions, {}, { priority: 'bulk' })
  expect(result).toMatchObject({ complete: true, rows: 400 })
  expect(new Set(stub.requests.map(({ query }) => query.get('limit')))).toEqual(new Set(['100']))
})

test('an endpoint without pages is not walked', async () => {
  const { explorer, stub } = await serve(() => envelope([]))
  await expect(
    explorer.walk(crossDetails, { txId: [`0x${'1'.repeat(64)}`] }, { priority: 'bulk' }),
  ).rejects.toMatchObject({
    code: 'source.refused',
  })
  expect(stub.requests).toEqual([])
})

test.each(['example.com', '192.0.2.1', '::2'])('tests cannot connect to %s', (host) => {
  expect(() => connect({ host, port: 9 })).toThrow(/must not leave this machine/)
})
