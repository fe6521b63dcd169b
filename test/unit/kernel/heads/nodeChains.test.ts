import { expect, test } from 'vitest'
import { createRpc, type Rpc } from '../../../../src/clients/rpc/createRpc.ts'
import { createNodeChains } from '../../../../src/kernel/heads/nodeChains.ts'
import { createSystemClock } from '../../../../src/lib/clock.ts'
import { hash } from '../../../support/records.ts'
import { answerEach, startRpcStub } from '../../../support/rpcStub.ts'

const clock = createSystemClock()
const never = new AbortController().signal
const blocks = [100, 101, 102].map((height) => ({ height, hash: hash(`explorer ${height}`) }))
const settled = { blocks, transactions: [hash('paid'), hash('paid too')] }

const receiptOf = (transactionHash: string) => ({
  transactionHash,
  blockHash: hash('block'),
  blockNumber: '0x1',
  status: '0x1',
  logs: [],
})

/** A node whose blocks bear the name of their chain; it has replaced those from a height on. */
async function startNode() {
  const state = {
    chain: 'explorer',
    knows: new Set<unknown>(),
    lacks: new Set<number>(),
    head: 200,
    replacedFrom: Infinity,
  }
  const hashAt = (height: number) =>
    hash(`${height >= state.replacedFrom ? 'replaced' : state.chain} ${height}`)
  const stub = await startRpcStub((body) =>
    answerEach(body, ({ method, params }) => {
      if (method === 'eth_getBalance') return { result: '0x1' }
      if (method === 'eth_getTransactionReceipt')
        return { result: state.knows.has(params[0]) ? receiptOf(String(params[0])) : null }
      const height = params[0] === 'latest' ? state.head : Number(params[0])
      if (state.lacks.has(height)) return { result: null }
      const number = `0x${height.toString(16)}`
      return { result: { number, hash: hashAt(height), parentHash: hashAt(height - 1), transactions: [] } }
    }),
  )
  let slept = 0
  const sleep = async (ms: number) => void (slept += ms)
  const chains = createNodeChains({ now: () => 5_000, sleep })
  const rpc = chains.guard(createRpc({ source: 'canonical', url: stub.url, clock }), 'canonical')
  return {
    state,
    chains,
    rpc,
    slept: () => slept,
    isAsked: () => isAsked(rpc),
    async [Symbol.asyncDispose]() {
      await rpc.close()
      await stub[Symbol.asyncDispose]()
    },
  }
}

/** Whether it answers, alone and among others. */
async function isAsked(rpc: Rpc): Promise<boolean> {
  const params: [string, number] = [`0x${'e5'.repeat(20)}`, 150]
  const [many] = await rpc.callMany([{ method: 'eth_getBalance', params }])
  const alone = await rpc.call('eth_getBalance', params).then(
    () => true,
    (error: unknown) => (expect(error).toMatchObject({ code: 'source.mismatched' }), false),
  )
  expect(many?.ok).toBe(alone)
  return alone
}

test('a node whose settled blocks are others is asked nothing, and is again once they agree', async () => {
  await using node = await startNode()
  await node.chains.compare(settled, never)
  expect([await node.isAsked(), node.rpc.health().foreign]).toEqual([true, null])
  node.state.chain = 'testnet'
  await node.chains.compare(settled, never)
  expect(await node.isAsked()).toBe(false)
  expect(node.chains.isAnyForeign()).toBe(true)
  expect(node.rpc.health().foreign).toEqual({
    at: 5_000,
    height: 100,
    says: `block 100 is ${hash('testnet 100')} by canonical and ${hash('explorer 100')} by the explorer`,
  })
  node.state.chain = 'explorer'
  await node.chains.compare(settled, never)
  expect(await node.isAsked()).toBe(true)
})

test('the first comparison is waited for ten seconds, and no longer', async () => {
  await using node = await startNode()
  node.chains.isPending = true
  expect(await node.isAsked()).toBe(true)
  // Each of the two questions waited.
  expect(node.slept()).toBe(20_000)
  node.chains.isPending = false
  await node.isAsked()
  expect(node.slept()).toBe(20_000)
})

test('a node that knows a transaction of the bridge is of its chain, whatever its blocks are called', async () => {
  await using node = await startNode()
  node.state.chain = 'called otherwise'
  // Before one is known nothing is said.
  await node.chains.compare({ blocks, transactions: [] }, never)
  expect(await node.isAsked()).toBe(true)
  node.state.knows.add(hash('paid too'))
  await node.chains.compare(settled, never)
  expect(await node.isAsked()).toBe(true)
})

test('one settled block that is the same makes it the same chain', async () => {
  await using node = await startNode()
  node.state.replacedFrom = 101
  await node.chains.compare(settled, never)
  expect(await node.isAsked()).toBe(true)
})

test('a node that does not show all settled blocks is not called another, and stays what it was', async () => {
  await using node = await startNode()
  node.state.chain = 'testnet'
  node.state.lacks.add(101)
  await node.chains.compare(settled, never)
  expect(await node.isAsked()).toBe(true)
  node.state.lacks.clear()
  await node.chains.compare(settled, never)
  node.state.lacks.add(100)
  await node.chains.compare(settled, never)
  expect(await node.isAsked()).toBe(false)
})

test('a node that was switched is found out by the first block that does not stand on the one before', async () => {
  await using node = await startNode()
  await node.chains.compare(settled, never)
  await node.rpc.call('eth_getBlockByNumber', ['latest', false])
  Object.assign(node.state, { chain: 'testnet', head: 201 })
  const next = node.rpc.call('eth_getBlockByNumber', ['latest', false])
  await expect(next).rejects.toThrow('canonical is of another chain')
  expect(await node.isAsked()).toBe(false)
})

test('a reorganisation above the settled blocks is shown as it is', async () => {
  await using node = await startNode()
  await node.chains.compare(settled, never)
  await node.rpc.call('eth_getBlockByNumber', ['latest', false])
  Object.assign(node.state, { replacedFrom: 170, head: 201 })
  const block = await node.rpc.call('eth_getBlockByNumber', ['latest', false])
  expect(block?.hash).toBe(hash('replaced 201'))
  expect(await node.isAsked()).toBe(true)
})
