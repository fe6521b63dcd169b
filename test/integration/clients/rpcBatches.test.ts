import { expect, onTestFinished, test } from 'vitest'
import { createBatcher } from '../../../src/clients/rpc/batcher.ts'
import { createRpc, type Rpc } from '../../../src/clients/rpc/createRpc.ts'
import type { RpcTransport } from '../../../src/clients/rpc/rpcTransport.ts'
import { MonitorError } from '../../../src/lib/errors.ts'
import { answerEach, type RpcReply, startRpcStub, type StubCall } from '../../support/rpcStub.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'

// Batches are no part of the documented RPC: a server may answer one in whatever way it fails over it.

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const receiptsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    method: 'eth_getTransactionReceipt' as const,
    params: [hashOf(at + 1)] as [string],
  }))

const answerReceipts = (body: StubCall | StubCall[]): RpcReply =>
  answerEach(body, ({ params }) => ({
    result: { transactionHash: params[0], transactionIndex: '0x0', status: '0x1' },
  }))

async function serve(reply: (body: StubCall | StubCall[]) => RpcReply) {
  const stub = await startRpcStub(reply)
  const rpc = createRpc({ source: 'preconf', url: stub.url, clock: createSteppedClock() })
  onTestFinished(async () => {
    await rpc.close()
    await stub[Symbol.asyncDispose]()
  })
  return { rpc, sizes: () => stub.bodies.map((body) => (Array.isArray(body) ? body.length : 1)) }
}

async function ask(rpc: Rpc, count: number) {
  const outcomes = await rpc.callMany(receiptsOf(count))
  return outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.error.code))
}

const errorOf = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } })

test.each<readonly [string, RpcReply]>([
  ['HTTP 500', { text: 'Internal Server Error', status: 500 }],
  ['HTTP 502 of a gateway before it', { text: '<html>bad gateway</html>', status: 502 }],
  ['an internal error', { json: errorOf(-32603, 'body.method is not a string') }],
  ['an error of its own number', { json: errorOf(-32000, 'not supported') }],
  ['a limit on batches', { json: errorOf(-32005, 'batch size limit exceeded') }],
  ['one error in a list', { json: [errorOf(-32600, 'invalid request')] }],
  ['an empty list', { json: [] }],
  ['an empty body', { text: '' }],
  ['a closed connection', { raw: (response) => void response.destroy() }],
])('a server that answers a batch with %s is asked one by one', async (_, refusal) => {
  const { rpc, sizes } = await serve((body) => (Array.isArray(body) ? refusal : answerReceipts(body)))
  expect(new Set(await ask(rpc, 8))).toEqual(new Set(['ok']))
  expect(rpc.batchSize()).toBe(1)
  const before = sizes().length
  await ask(rpc, 3)
  expect(sizes().slice(before)).toEqual([1, 1, 1])
})

test('a server that leaves out of its answer what is beyond its limit is given no more than that', async () => {
  const { rpc, sizes } = await serve((body) => answerReceipts(Array.isArray(body) ? body.slice(0, 20) : body))
  expect((await ask(rpc, 50)).filter((what) => what === 'ok')).toHaveLength(20)
  expect(new Set(await ask(rpc, 50))).toEqual(new Set(['ok']))
  expect(sizes()).toEqual([50, 20, 20, 10])
})

test('a server that takes too long over a batch is given smaller ones', async () => {
  const details = { timeoutMs: 10_000 }
  const transport: RpcTransport = (body) => {
    const calls = 'method' in body ? [body] : body
    if (calls.length > 2)
      return Promise.reject(new MonitorError('source.unreachable', 'no whole answer', { details }))
    return Promise.resolve(calls.map(({ id }) => ({ id, result: '0x1' })))
  }
  const batcher = createBatcher(transport, { batchSize: 8, concurrency: 1, host: 'node' })
  const eight = Array.from({ length: 8 }, () => ({ method: 'eth_blockNumber', params: [] }))
  const isAnswered = async () =>
    (await batcher.send(eight)).map((answer) => !(answer instanceof MonitorError))
  expect([...new Set([...(await isAnswered()), ...(await isAnswered())])]).toEqual([false])
  expect(await isAnswered()).toEqual(Array(8).fill(true))
})

test('a rate limit whose words name batches is no refusal of them', async () => {
  const { rpc, sizes } = await serve(() => ({
    json: errorOf(-32005, 'rate limit exceeded, send fewer batches'),
  }))
  expect(await ask(rpc, 2)).toEqual(['source.throttled', 'source.throttled'])
  expect([rpc.batchSize(), sizes()]).toEqual([50, [2]])
})

test('where a single question fails as well it is not the batch', async () => {
  const { rpc, sizes } = await serve(() => ({ text: 'Internal Server Error', status: 500 }))
  expect(await ask(rpc, 3)).toEqual(['source.unreachable', 'source.unreachable', 'source.unreachable'])
  expect([rpc.batchSize(), sizes()]).toEqual([50, [3, 1]])
})
