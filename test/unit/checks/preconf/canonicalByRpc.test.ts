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
