import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createByteBudget } from '../../../src/clients/byteBudget.ts'
import { crossTransactions } from '../../../src/clients/explorer/endpoints/crossRecords.ts'
import { MonitorError } from '../../../src/lib/errors.ts'
import { toWire } from '../../support/fakeExplorer.ts'
import { createTestExplorer } from '../../support/createTestExplorer.ts'
import { hostileBodies } from '../../support/hostileBodies.ts'

test.each(hostileBodies)('$name is read right or refused with what is wrong', async ({ send, gives }) => {
  const server = createServer((_, response) => send(response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  // Only what never ends is to meet the limit of time.
  const timeoutMs = gives instanceof RegExp && gives.test('no whole answer within') ? 300 : 30_000
  const explorer = createTestExplorer(`http://127.0.0.1:${port}`, { timeoutMs })
  onTestFinished(async () => {
    await explorer.close()
    server.closeAllConnections()
    server.close()
  })
  const outcome = await explorer.call(crossTransactions, {}, { priority: 'tail', attempts: 1 }).then(
    () => 'answer',
    (error: unknown) => (error instanceof MonitorError ? error.message : `no clear error: ${String(error)}`),
  )
  if (gives === 'answer') expect(outcome).toBe('answer')
  else expect(outcome).toMatch(gives)
})

test.each([
  { place: 'status', set: 0, records: 3 },
  { place: 'txType', set: 1, records: 2 },
  { place: 'aFieldOfItsOwn', set: 0, records: 3 },
])(
  'F110: a record that nests 100,000 deep in $place costs none of the others',
  async ({ place, set, records }) => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const rows = JSON.stringify([toWire(), { ...toWire(), [place]: 'DEEP' }, toWire()]).replace(
      '"DEEP"',
      deep,
    )
    const page = `{"code":"0","msg":"","data":[{"page":"1","limit":"20","totalPage":"1","total":"3","data":${rows}}]}`
    const server = createServer((_, response) => response.end(page))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const explorer = createTestExplorer(`http://127.0.0.1:${port}`)
    onTestFinished(async () => {
      await explorer.close()
      server.close()
    })
    const answer = await explorer.call(crossTransactions, {}, { priority: 'tail', attempts: 1 })
    expect(answer.quarantined.map(({ index }) => index)).toEqual(set === 1 ? [1] : [])
    expect(answer.records).toHaveLength(records)
  },
)

test('F103: a source without trusted TLS is named as that', async () => {
  const server = createServer((_, response) => response.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const explorer = createTestExplorer(`https://127.0.0.1:${port}`)
  onTestFinished(async () => {
    await explorer.close()
    server.close()
  })
  await expect(explorer.call(crossTransactions, {}, { priority: 'tail', attempts: 1 })).rejects.toThrow(
    /no trusted TLS connection: .* \((EPROTO|ERR_SSL_\w+)\)/,
  )
})

test('large answers share one budget: one that is held up lets usual ones pass, and its end lets the next go on', async () => {
  const shared = createByteBudget(16 * 1024 * 1024)
  let taking = 0
  const budget: typeof shared = { take: (...of) => ((taking += 1), shared.take(...of)) }
  const usual = '{"code":"0","msg":"","data":[{"page":"1","limit":"20","totalPage":"1","data":[]}]}'
  const large = usual.padEnd(3_000_000)
  const held: ServerResponse[] = []
  const server = createServer(({ url = '' }, response) => {
    if (url.includes('startBlockHeight=1')) held.push(response)
    if (url.includes('startBlockHeight=1')) response.write(large)
    else response.end(url.includes('startBlockHeight=2') ? large : usual)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const explorer = createTestExplorer(`http://127.0.0.1:${port}`, { budget, timeoutMs: 30_000 })
  onTestFinished(async () => {
    await explorer.close()
    server.closeAllConnections()
    server.close()
  })
  const ended: string[] = []
  const ask = (name: string, startBlockHeight: number) =>
    explorer
      .call(crossTransactions, { startBlockHeight }, { priority: 'tail', attempts: 1 })
      .then(() => ended.push(name))
  const first = ask('held', 1)
  await expect.poll(() => taking).toBe(1)
  const second = ask('waiting', 2)
  await expect.poll(() => taking).toBe(2)
  await ask('usual', 3)
  await ask('usual', 4)
  expect(ended).toEqual(['usual', 'usual'])
  held[0]?.end(' ')
  await Promise.all([first, second])
  expect(ended).toEqual(['usual', 'usual', 'held', 'waiting'])
})
