import { expect, test } from 'vitest'
import { createRpc } from '../../../../src/clients/rpc/createRpc.ts'
import { type MainBlock, showBlocks } from '../../../../src/kernel/reads/mainBlocks.ts'
import { createSystemClock } from '../../../../src/lib/clock.ts'
import { hash } from '../../../support/records.ts'
import { answerEach, startRpcStub, type StubCall } from '../../../support/rpcStub.ts'

const block = ({ params }: StubCall) => ({
  result: {
    number: params[0] === 'latest' || params[0] === 'pending' ? '0x7' : params[0],
    hash: params[0] === 'pending' ? null : hash(`block ${String(params[0])}`),
    parentHash: hash('parent'),
    transactions: [],
  },
})

test('every block that an RPC is asked for is shown, alone or among others, but not the one being made', async () => {
  await using stub = await startRpcStub((body) => answerEach(body, block))
  const seen: MainBlock[] = []
  const plain = createRpc({ source: 'canonical', url: stub.url, clock: createSystemClock() })
  const rpc = showBlocks(plain, 'canonical', new Set([(one: MainBlock) => void seen.push(one)]))
  await rpc.call('eth_getBlockByNumber', ['latest', false])
  await rpc.callMany([
    { method: 'eth_getBlockByNumber', params: ['pending', false] },
    { method: 'eth_getBlockByNumber', params: [6, false] },
  ])
  await rpc.close()
  const parentHash = hash('parent')
  expect(seen).toEqual([
    { source: 'canonical', height: 7, hash: hash('block latest'), parentHash },
    { source: 'canonical', height: 6, hash: hash('block 0x6'), parentHash },
  ])
})

test('of the node for preconfirmations the complete block is shown alone: another changes with every step', async () => {
  await using stub = await startRpcStub((body) => answerEach(body, block))
  const heights: number[] = []
  const plain = createRpc({ source: 'preconf', url: stub.url, clock: createSystemClock() })
  const rpc = showBlocks(plain, 'preconf', new Set([({ height }: MainBlock) => void heights.push(height)]))
  await rpc.call('eth_getBlockByNumber', [8, false])
  await rpc.call('eth_getBlockByNumber', ['latest', false])
  await rpc.close()
  expect(heights).toEqual([7])
})
