import { expect, test } from 'vitest'
import { canonicalByRpc } from '../../../../src/checks/preconf/canonicalByRpc.ts'
import type { Rpc, RpcCall } from '../../../../src/clients/rpc/createRpc.ts'
import { MonitorError } from '../../../../src/lib/errors.ts'
import { hash } from '../../../support/records.ts'
import { noSignal } from '../support.ts'

const failed = { ok: false as const, error: new MonitorError('source.unreachable', 'it took too long') }

/** A node of which each request with such a method comes to nothing, and what it was asked in each. */
function setUp(failing: (methods: readonly string[]) => boolean) {
  const asked: string[][] = []
  const callMany = async (calls: readonly RpcCall[]) => {
    const methods = calls.map(({ method }) => method.replace('eth_getBlock', ''))
    asked.push(methods)
    if (failing(methods)) return calls.map(() => failed)
    return calls.map(({ method, params }) => {
      const height = Number(params[0])
      const block = { number: height, timestamp: 1, hashes: [hash(`t${height}`)], unreadable: [] }
      return {
        ok: true as const,
        value: method === 'eth_getBlockReceipts' ? { items: [], unreadable: [] } : block,
      }
    })
  }
  const rpc = { call: () => Promise.reject(failed.error), callMany } as unknown as Pick<
    Rpc,
    'call' | 'callMany'
  >
  const source = canonicalByRpc({ rpc, clock: { now: () => 5_000 } }, { confirmations: 3 })
  return { source, asked }
}

test('blocks and their receipts are asked for in one request', async () => {
  const { source, asked } = setUp(() => false)
  const blocks = await source.blocks([7, 8], noSignal)
  expect([...blocks.keys()]).toEqual([7, 8])
  expect(asked).toEqual([['ByNumber', 'Receipts', 'ByNumber', 'Receipts']])
})

test.each([[[7]], [[7, 8]]])('receipts that come to nothing keep back no block of %j', async (heights) => {
  const { source } = setUp((methods) => methods.includes('Receipts'))
  const blocks = await source.blocks(heights, noSignal)
  expect([...blocks].map(([height, { transactions }]) => [height, [...transactions.keys()]])).toEqual(
    heights.map((height) => [height, [hash(`t${height}`)]]),
  )
})

test('a node that says nothing at all is no chain without blocks', async () => {
  const { source } = setUp(() => true)
  await expect(source.blocks([7], noSignal)).rejects.toThrow('it took too long')
  expect(await source.blocks([7, 8], noSignal)).toEqual(new Map())
})

test('a node that shows no logs of what it showed some of before says nothing of the logs of others', async () => {
  const log = { address: '0xb1', topics: ['0x01'], data: '0x', removed: false }
  const node: { hides: (one: string) => boolean } = { hides: () => false }
  const receiptOf = (transactionHash: string) => ({
    transactionHash,
    transactionIndex: 0,
    status: 'success',
    blockNumber: 7,
    logs: node.hides(transactionHash) ? [] : [log],
  })
  const callMany = async (calls: readonly RpcCall[]) =>
    (calls as readonly { method: string; params: readonly [string | number] }[]).map(({ method, params }) => {
      const [of] = params
      const block = { number: of, timestamp: 1, hashes: [hash(`t${of}`)], unreadable: [] }
      const receipts = { items: [receiptOf(hash(`t${of}`))], unreadable: [] }
      if (method === 'eth_getTransactionReceipt') return { ok: true as const, value: receiptOf(`${of}`) }
      return { ok: true as const, value: method === 'eth_getBlockReceipts' ? receipts : block }
    })
  const rpc = { callMany } as unknown as Pick<Rpc, 'call' | 'callMany'>
  const source = canonicalByRpc({ rpc, clock: { now: () => 5_000 } }, { confirmations: 3 })
  const logsOf = async (height: number) => {
    const blocks = await source.blocks([height], noSignal)
    const found = await source.find([hash(`t${height}`)], noSignal)
    const one = found.get(hash(`t${height}`))
    return [
      blocks.get(height)?.transactions.get(hash(`t${height}`))?.logs,
      one?.at === 'block' && one.transaction.logs,
    ]
  }
  expect(await logsOf(7)).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)])
  node.hides = () => true
  expect(await logsOf(8)).toEqual([null, null])
  // What has none while others have some has none.
  node.hides = (one) => one === hash('t9')
  expect(await logsOf(9)).toEqual(['', ''])
})
