import { createPublicClient, http } from 'viem'
import { describe, expect, test } from 'vitest'
import { createRpc, type Rpc } from '../../../src/clients/rpc/createRpc.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'
import { startStepped, type SteppedSandbox } from '../sandbox/steppedSandbox.ts'

const busy = '{ name: test, traffic: { transfersPerMinute: 600, blockTransactions: 12 } }'
const unknownHash = `0x${'ab'.repeat(32)}` as const
const decimals = '0x313ce567'

/** A sandbox in the middle of a block, and the client for its RPC. */
async function withSandbox(use: (world: SteppedSandbox, rpc: Rpc) => Promise<void>): Promise<void> {
  await using world = await startStepped(busy)
  world.step(10_900)
  const rpc = createRpc({ source: 'preconf', url: world.sandbox.rpcUrl, clock: createSteppedClock() })
  try {
    await use(world, rpc)
  } finally {
    await rpc.close()
  }
}

async function pendingBlock(rpc: Rpc) {
  const block = await rpc.call('eth_getBlockByNumber', ['pending', true])
  if (block?.full === undefined || block.full === null || block.hash === null || block.number === null)
    throw new Error('expected a pending block with transactions')
  return { ...block, hash: block.hash, number: block.number, full: block.full }
}

describe('each method through the client against the sandbox', () => {
  test('eth_blockNumber', () =>
    withSandbox(async (_, rpc) => {
      const pending = await rpc.call('eth_blockNumber', [])
      const latest = await rpc.call('eth_blockNumber', ['latest'])
      expect([0, 1]).toContain(pending - latest)
    }))

  test('eth_call', () =>
    withSandbox(async ({ sandbox }, rpc) => {
      const token = sandbox.world.tokens[0]
      const result = await rpc.call('eth_call', [{ to: token?.address, data: decimals }])
      expect(Number(result)).toBe(token?.decimals)
    }))

  test('eth_call of a function that is not there reverts: an error, not an empty result', () =>
    withSandbox(async ({ sandbox }, rpc) => {
      const call = rpc.call('eth_call', [{ to: sandbox.world.contracts.bridge, data: '0xdeadbeef' }])
      await expect(call).rejects.toMatchObject({ code: 'source.refused', details: { rpcCode: -32015 } })
    }))

  test('eth_estimateGas', () =>
    withSandbox(async ({ sandbox }, rpc) => {
      const gas = await rpc.call('eth_estimateGas', [{ to: sandbox.world.contracts.bridge, data: '0x' }])
      expect(gas).toBeGreaterThanOrEqual(21_000n)
    }))

  test('eth_getBalance', () =>
    withSandbox(async ({ sandbox }, rpc) => {
      expect(await rpc.call('eth_getBalance', [sandbox.world.contracts.relayer])).toBe(
        2_500_000_000_000_000_000n,
      )
    }))

  test('eth_getTransactionCount', () =>
    withSandbox(async ({ sandbox }, rpc) => {
      expect(await rpc.call('eth_getTransactionCount', [sandbox.world.contracts.relayer])).toBeGreaterThan(0)
    }))

  test('eth_getCode', () =>
    withSandbox(async ({ sandbox }, rpc) => {
      expect(await rpc.call('eth_getCode', [sandbox.world.contracts.bridge])).toMatch(/^0x6080604052/)
      expect(await rpc.call('eth_getCode', [sandbox.world.contracts.relayer])).toBe('0x')
    }))

  test('eth_getStorageAt', () =>
    withSandbox(async ({ sandbox }, rpc) => {
      const slot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
      const stored = await rpc.call('eth_getStorageAt', [sandbox.world.contracts.bridge, slot])
      expect(`0x${stored.slice(-40)}`).toBe(sandbox.world.contracts.bridgeImplementation)
    }))

  test('eth_getBlockByNumber gives hashes or full transactions', () =>
    withSandbox(async (_, rpc) => {
      const full = await pendingBlock(rpc)
      const plain = await rpc.call('eth_getBlockByNumber', [])
      expect(plain).toEqual({ ...full, full: null })
      expect([full.full.length > 0, full.unreadable]).toEqual([true, []])
      expect(await rpc.call('eth_getBlockByNumber', [999_999_999])).toBeNull()
    }))

  test('eth_getBlockByHash knows a preconfirmed block while its hash is current', () =>
    withSandbox(async (world, rpc) => {
      const block = await pendingBlock(rpc)
      expect(await rpc.call('eth_getBlockByHash', [block.hash, true])).toEqual(block)
      world.step(2_000)
      expect(await rpc.call('eth_getBlockByHash', [block.hash])).toBeNull()
    }))

  test('eth_getBlockReceipts', () =>
    withSandbox(async (_, rpc) => {
      const block = await pendingBlock(rpc)
      const receipts = await rpc.call('eth_getBlockReceipts', [])
      expect(receipts?.items.map((receipt) => receipt.transactionHash)).toEqual(block.hashes)
      expect(receipts?.unreadable).toEqual([])
    }))

  test('eth_getBlockTransactionCountByNumber and ByHash', () =>
    withSandbox(async (_, rpc) => {
      const { hash, hashes } = await pendingBlock(rpc)
      expect(await rpc.call('eth_getBlockTransactionCountByNumber', [])).toBe(hashes.length)
      expect(await rpc.call('eth_getBlockTransactionCountByHash', [hash])).toBe(hashes.length)
      expect(await rpc.call('eth_getBlockTransactionCountByHash', [unknownHash])).toBeNull()
    }))

  test('eth_getTransactionByHash, ByBlockNumberAndIndex and ByBlockHashAndIndex give one transaction', () =>
    withSandbox(async (_, rpc) => {
      const block = await pendingBlock(rpc)
      const [first] = block.full
      expect(await rpc.call('eth_getTransactionByHash', [block.hashes[0] ?? ''])).toEqual(first)
      expect(await rpc.call('eth_getTransactionByBlockNumberAndIndex', ['pending', 0])).toEqual(first)
      expect(await rpc.call('eth_getTransactionByBlockHashAndIndex', [block.hash, 0])).toEqual(first)
      expect(await rpc.call('eth_getTransactionByHash', [unknownHash])).toBeNull()
      expect(await rpc.call('eth_getTransactionByBlockNumberAndIndex', ['pending', 5_000])).toBeNull()
    }))

  test('eth_getRawTransactionByHash', () =>
    withSandbox(async (_, rpc) => {
      const { hashes } = await pendingBlock(rpc)
      expect(await rpc.call('eth_getRawTransactionByHash', [hashes.at(-1) ?? ''])).toMatch(
        /^0x[0-9a-f]{100,}$/,
      )
      expect(await rpc.call('eth_getRawTransactionByHash', [unknownHash])).toBeNull()
    }))

  test('eth_getLogs gives what the contracts of the zone wrote over a range of blocks', async () => {
    await using world = await startStepped(busy)
    world.step(10_900)
    const { contracts } = world.sandbox.world
    const rpc = createRpc({
      source: 'zoneRpc',
      url: world.sandbox.zoneRpcUrl,
      clock: createSteppedClock(),
    })
    try {
      const head = await rpc.call('eth_blockNumber', ['latest'])
      const range = { fromBlock: head - 90, toBlock: head }
      const own = await rpc.call('eth_getLogs', [{ address: [contracts.zoneBridge], ...range }])
      expect(own.length).toBeGreaterThan(20)
      expect(new Set(own.map(({ address }) => address))).toEqual(new Set([contracts.zoneBridge]))
      const [topic = ''] = own[0]?.topics ?? []
      const some = await rpc.call('eth_getLogs', [
        { address: [contracts.zoneBridge], topics: [topic], ...range },
      ])
      expect(some).toEqual(own.filter(({ topics }) => topics[0] === topic))
      const large = rpc.call('eth_getLogs', [
        { address: [contracts.zoneBridge], fromBlock: 0, toBlock: head },
      ])
      await expect(large).rejects.toMatchObject({ details: { rpcCode: -32000 } })
    } finally {
      await rpc.close()
    }
  })

  test('eth_getTransactionReceipt, many in one batch as one by one', () =>
    withSandbox(async ({ sandbox }, rpc) => {
      const { hashes } = await pendingBlock(rpc)
      const calls = [...hashes, unknownHash].map((hash) => ({
        method: 'eth_getTransactionReceipt' as const,
        params: [hash] as [string],
      }))
      const before = sandbox.requests.get('rpc') ?? 0
      const together = await rpc.callMany(calls)
      expect((sandbox.requests.get('rpc') ?? 0) - before).toBe(1)
      const alone = []
      for (const { method, params } of calls) alone.push({ ok: true, value: await rpc.call(method, params) })
      expect(together).toEqual(alone)
      expect(together.at(-1)).toEqual({ ok: true, value: null })
    }))
})

test('a method that the node does not have is an error with its number', () =>
  withSandbox(async (world) => {
    expect(await world.rpc('eth_nope')).toMatchObject({ error: { code: -32601 } })
  }))

describe.each([
  ['its RPC, alone', 'rpcUrl', false],
  ['its RPC, in batches', 'rpcUrl', true],
  ['its second source, alone', 'canonicalUrl', false],
  ['its second source, in batches', 'canonicalUrl', true],
] as const)("viem's own public client works against the sandbox unchanged: %s", (_, url, batch) => {
  test('blocks, transactions, receipts, state and contracts', () =>
    withSandbox(async ({ sandbox }, rpc) => {
      const client = createPublicClient({ transport: http(sandbox[url], { batch, retryCount: 0 }) })
      const { contracts, tokens } = sandbox.world
      const height = await rpc.call('eth_blockNumber', ['latest'])
      const own = await rpc.call('eth_getBlockByNumber', [height, true])
      const [blockNumber, block, pending, count, balance, code] = await Promise.all([
        client.getBlockNumber(),
        client.getBlock({ blockNumber: BigInt(height), includeTransactions: true }),
        client.getBlock({ blockTag: 'pending' }),
        client.getBlockTransactionCount({ blockNumber: BigInt(height) }),
        client.getBalance({ address: contracts.relayer as `0x${string}`, blockTag: 'pending' }),
        client.getCode({ address: contracts.bridge as `0x${string}` }),
      ])
      expect([blockNumber, block.number, count]).toEqual([BigInt(height), BigInt(height), own?.hashes.length])
      expect(block.transactions.map(({ hash }) => hash)).toEqual(own?.hashes)
      expect([pending.transactions.length > 0, balance, code?.slice(0, 12)]).toEqual([
        true,
        2_500_000_000_000_000_000n,
        '0x6080604052',
      ])

      const transaction = block.transactions.at(-1)
      if (!transaction) throw new Error('expected a transaction')
      const { hash } = transaction
      const [same, receipt, decimalsRead, gas] = await Promise.all([
        client.getTransaction({ hash }),
        client.getTransactionReceipt({ hash }),
        client.readContract({
          address: (tokens[0]?.address ?? '0x') as `0x${string}`,
          abi: [
            {
              type: 'function',
              name: 'decimals',
              inputs: [],
              outputs: [{ type: 'uint8' }],
              stateMutability: 'view',
            },
          ],
          functionName: 'decimals',
        }),
        client.estimateGas({ to: contracts.bridge as `0x${string}`, data: '0x' }),
      ])
      expect(same).toEqual(transaction)
      expect([receipt.transactionHash, receipt.blockNumber, decimalsRead]).toEqual([
        hash,
        BigInt(height),
        tokens[0]?.decimals,
      ])
      expect(gas).toBeGreaterThanOrEqual(21_000n)
      await expect(client.getTransactionReceipt({ hash: unknownHash })).rejects.toThrow('could not be found')
    }))
})
