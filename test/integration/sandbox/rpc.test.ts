import { describe, expect, test } from 'vitest'
import { rowsOf, startStepped, type SteppedSandbox } from './steppedSandbox.ts'

type Block = { number: string; hash: string; transactions: string[] }
type Receipt = {
  transactionHash: string
  transactionIndex: string
  status: string
  blockNumber: string
  logs: unknown[]
}
const pending = (world: SteppedSandbox) =>
  world.rpc('eth_getBlockByNumber', 'pending', false) as Promise<Block>
const busy = '{ name: test, traffic: { transfersPerMinute: 600, blockTransactions: 12 } }'

describe('preconfirmations', () => {
  test('a block grows in three to five steps, its hash changes and its transactions keep their places', async () => {
    await using world = await startStepped(busy)
    world.step(10_000)
    const seen: Block[] = []
    for (let ms = 0; ms < 1_000; ms += 20) {
      seen.push(await pending(world))
      world.step(20)
    }
    const height = seen.at(-1)?.number
    const steps = seen.filter((block) => block.number === height)
    const hashes = new Set(steps.map((block) => block.hash))
    const growing = steps.map((block) => block.transactions.join())
    expect(hashes.size).toBeGreaterThanOrEqual(2)
    expect(hashes.size).toBeLessThanOrEqual(5)
    expect(growing.every((text, at) => at === 0 || text.startsWith(growing[at - 1] as string))).toBe(true)
  })

  test('what was preconfirmed is in the complete block, in its place, and in E7', async () => {
    await using world = await startStepped(busy)
    world.step(10_900)
    const block = await pending(world)
    world.step(1_200)
    const complete = (await world.rpc('eth_getBlockByNumber', block.number, false)) as Block
    const height = String(Number(block.number))
    const range = { startBlockHeight: height, endBlockHeight: height, limit: '100' }
    const answer = await world.main('block/transaction-list-multi', range)
    const listed = rowsOf(answer, 'transactionList').map((row) => row.txId)
    expect(complete.transactions.slice(0, block.transactions.length)).toEqual(block.transactions)
    expect(complete.hash).not.toBe(block.hash)
    expect(listed.toReversed()).toEqual(complete.transactions)
  })

  test('pending is the height of eth_blockNumber or one more', async () => {
    await using world = await startStepped(busy)
    for (let ms = 0; ms < 2_000; ms += 130) {
      world.step(130)
      const latest = Number(await world.rpc('eth_blockNumber'))
      const ahead = Number(await world.rpc('eth_blockNumber', 'pending')) - latest
      expect([0, 1]).toContain(ahead)
    }
  })

  test('preconfirmations stand still while the chain goes on', async () => {
    await using world = await startStepped(busy)
    world.sandbox.inject({ fault: 'head.stall', chain: 'preconf', for: '60s' })
    const before = (await pending(world)).number
    world.step(40_000)
    const [after, latest] = [(await pending(world)).number, await world.rpc('eth_blockNumber', 'latest')]
    expect(after).toBe(before)
    expect(Number(latest) - Number(after)).toBeGreaterThanOrEqual(39)
  })
})

describe('one transfer through the RPC', () => {
  test.each(['MainToZone', 'ZoneToMain'])(
    'the receipt of a %s tells what E13 and E21 tell',
    async (txType) => {
      await using world = await startStepped()
      const record = (await world.records()).find(
        (each) => each.txType === txType && each.mainTxHash && each.zoneTxHash && each.tokenType === 'ERC20',
      )
      const hash = String(record?.mainTxHash)
      const receipt = (await world.rpc('eth_getTransactionReceipt', hash)) as Receipt
      const moves = (await world.main('transaction/token-transfer-multi', { txId: hash })).data[0]
        ?.transactionList
      const logs = (await world.main('log/by-transaction', { txId: hash })).data
      expect(receipt).toMatchObject({ status: '0x1', transactionHash: hash })
      expect(Number(receipt.blockNumber)).toBe(Number(record?.mainBlockHeight))
      expect(moves).toContainEqual(
        expect.objectContaining({
          amount: record?.value,
          tokenContractAddress: record?.tokenContractAddress,
        }),
      )
      expect(receipt.logs).toEqual(
        logs.map((log) =>
          expect.objectContaining({
            address: log.address,
            topics: log.topics,
            data: log.data,
            logIndex: `0x${Number(log.logIndex).toString(16)}`,
          }),
        ),
      )
    },
  )

  test('the escrow grows by what was deposited and shrinks by what was paid', async () => {
    await using world = await startStepped('{ name: test, traffic: { transfersPerMinute: 0 } }')
    const usdc = world.sandbox.world.tokens[0]?.address
    const data = `0x70a08231${world.sandbox.world.contracts.escrow.slice(2).padStart(64, '0')}`
    const balance = async () => BigInt(String(await world.rpc('eth_call', { to: usdc, data }, 'latest')))
    world.step(60_000)
    const before = await balance()
    world.sandbox.inject({ fault: 'transfer.normal', direction: 'MainToZone', token: 'USDC', amount: '100' })
    world.step(30_000)
    const between = await balance()
    world.sandbox.inject({ fault: 'transfer.normal', direction: 'ZoneToMain', token: 'USDC', amount: '30' })
    world.step(60_000)
    const height = `0x${(5_000_000 + 7_200 + 90).toString(16)}`
    expect([between - before, (await balance()) - between]).toEqual([100_000_000n, -30_000_000n])
    expect(BigInt(String(await world.rpc('eth_call', { to: usdc, data }, height)))).toBe(between)
  })
})

describe('all methods', () => {
  test('answer by number, by hash and by place with the same transaction', async () => {
    await using world = await startStepped(busy)
    world.step(5_000)
    const block = (await world.rpc('eth_getBlockByNumber', 'latest', true)) as {
      number: string
      hash: string
      transactions: { hash: string }[]
    }
    const first = block.transactions[0]
    const answers = await Promise.all([
      world.rpc('eth_getTransactionByHash', first?.hash),
      world.rpc('eth_getTransactionByBlockNumberAndIndex', block.number, '0x0'),
      world.rpc('eth_getTransactionByBlockHashAndIndex', block.hash, '0x0'),
      world
        .rpc('eth_getBlockByHash', block.hash, true)
        .then((found) => (found as typeof block).transactions[0]),
    ])
    expect(answers).toEqual([first, first, first, first])
    const counts = [
      await world.rpc('eth_getBlockTransactionCountByNumber', block.number),
      await world.rpc('eth_getBlockTransactionCountByHash', block.hash),
      `0x${((await world.rpc('eth_getBlockReceipts', block.number)) as unknown[]).length.toString(16)}`,
    ]
    expect(counts).toEqual(counts.map(() => `0x${block.transactions.length.toString(16)}`))
    expect(await world.rpc('eth_getRawTransactionByHash', first?.hash)).toMatch(/^0x7e[0-9a-f]+$/)
  })

  test('of state answer in hex', async () => {
    await using world = await startStepped()
    const { bridge, relayer } = world.sandbox.world.contracts
    const answers = [
      await world.rpc('eth_getBalance', relayer, 'pending'),
      await world.rpc('eth_getTransactionCount', relayer, 'pending'),
      await world.rpc('eth_getCode', bridge, 'pending'),
      await world.rpc('eth_getStorageAt', bridge, '0x0', 'pending'),
      await world.rpc('eth_estimateGas', { to: bridge, data: '0x1234' }, 'pending'),
    ]
    expect(answers).toEqual(answers.map(() => expect.stringMatching(/^0x[0-9a-f]+$/)))
  })

  test('an unknown hash or height is null, no error', async () => {
    await using world = await startStepped()
    const hash = `0x${'cd'.repeat(32)}`
    const answers = [
      await world.rpc('eth_getTransactionByHash', hash),
      await world.rpc('eth_getTransactionReceipt', hash),
      await world.rpc('eth_getBlockByHash', hash, false),
      await world.rpc('eth_getBlockByNumber', '0xffffffffff', false),
      await world.rpc('eth_getBlockReceipts', '0xffffffffff'),
    ]
    expect(answers).toEqual([null, null, null, null, null])
  })

  test.each([
    { title: 'text that is no JSON', body: '{', code: -32700 },
    { title: 'no version', body: '{"method":"eth_blockNumber","id":1}', code: -32600 },
    { title: 'an empty batch', body: '[]', code: -32600 },
    { title: 'an unknown method', body: '{"jsonrpc":"2.0","id":1,"method":"eth_sign"}', code: -32601 },
    {
      title: 'a name of every object',
      body: '{"jsonrpc":"2.0","id":1,"method":"constructor"}',
      code: -32601,
    },
    {
      title: 'a bad hash',
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByHash","params":["0x1"]}',
      code: -32602,
    },
  ])('$title is error $code', async ({ body, code }) => {
    await using world = await startStepped()
    const response = await fetch(world.sandbox.rpcUrl, { method: 'POST', body })
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code } })
  })

  test('a batch is answered in order', async () => {
    await using world = await startStepped()
    const body = JSON.stringify(
      [2, 1].map((id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] })),
    )
    const response = await fetch(world.sandbox.rpcUrl, { method: 'POST', body })
    expect(await response.json()).toEqual([2, 1].map((id) => ({ jsonrpc: '2.0', id, result: '0x1e61' })))
  })
})
