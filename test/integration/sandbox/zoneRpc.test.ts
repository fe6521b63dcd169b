import { createPublicClient, http, parseAbiItem } from 'viem'
import { expect, test } from 'vitest'
import { createRpc, type Rpc } from '../../../src/clients/rpc/createRpc.ts'
import { readTotalSupply } from '../../../src/clients/rpc/readTotalSupply.ts'
import { getTransfer, type Transfer } from '../../../src/sandbox/transfers.ts'
import { createSteppedClock } from '../../support/steppedClock.ts'
import { startStepped, type SteppedSandbox } from './steppedSandbox.ts'

const busy = '{ name: test, traffic: { transfersPerMinute: 600, emptyIds: 0 } }'
const quiet = '{ name: test, traffic: { transfersPerMinute: 0, emptyIds: 0 } }'

async function withZone(
  scenario: string,
  use: (world: SteppedSandbox, rpc: Rpc) => Promise<void>,
): Promise<void> {
  await using world = await startStepped(scenario)
  world.step(60_000)
  const rpc = createRpc({ source: 'zoneRpc', url: world.sandbox.zoneRpcUrl, clock: createSteppedClock() })
  try {
    await use(world, rpc)
  } finally {
    await rpc.close()
  }
}

/** Transfers whose zone leg is in a block. */
function arrived({ sandbox }: SteppedSandbox, direction: Transfer['direction']): Transfer[] {
  const world = sandbox.look()
  return world.zoneLegs.values
    .map((number) => getTransfer(world, number))
    .filter((one) => one.direction === direction && one.token.type === 'ERC20')
}

test('a node of the zone has the same blocks and transactions as the explorer, and what their contracts wrote', () =>
  withZone(busy, async (world, rpc) => {
    const [deposit] = arrived(world, 'MainToZone')
    const [withdrawal] = arrived(world, 'ZoneToMain')
    const of = async (transfer: Transfer | undefined) =>
      rpc.call('eth_getTransactionReceipt', [transfer?.zone?.hash ?? ''])
    const [issued, burned] = [await of(deposit), await of(withdrawal)]
    expect(issued).toMatchObject({ status: 'success', blockNumber: deposit?.zone?.height })
    expect(issued?.logs?.map(({ address }) => address)).toEqual([
      deposit?.token.zoneAddress,
      world.sandbox.world.contracts.zoneBridge,
    ])
    expect(burned?.logs?.[0]?.topics[2]).toBe(`0x${'0'.repeat(64)}`)
    expect(BigInt(burned?.logs?.[0]?.data ?? '0x0')).toBe(withdrawal?.amountRaw)
    const { data } = await world.zone('block/block-list', { height: String(deposit?.zone?.height) })
    const block = await rpc.call('eth_getBlockByNumber', [deposit?.zone?.height ?? 0])
    expect(data[0]).toMatchObject({ data: [{ hash: block?.hash }] })
    expect(block?.hashes).toContain(deposit?.zone?.hash)
    expect(await rpc.call('eth_getBlockByHash', [block?.hash ?? ''])).toEqual(block)
  }))

test('another client reads its logs and blocks as those of an Ethereum node', () =>
  withZone(busy, async ({ sandbox }) => {
    const client = createPublicClient({ transport: http(sandbox.zoneRpcUrl) })
    const head = await client.getBlockNumber()
    const logs = await client.getLogs({
      address: sandbox.world.tokens.map(({ zoneAddress }) => zoneAddress as `0x${string}`),
      event: parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)'),
      fromBlock: head - 500n,
      toBlock: head,
    })
    expect(logs.length).toBeGreaterThan(50)
    expect(logs.every(({ args }) => (args.value ?? 0n) > 0n)).toBe(true)
    expect((await client.getBlock()).number).toBe(head)
  }))

test('the supply of a token at a height is what was there, with what came, without what left', () =>
  withZone(busy, async (world, rpc) => {
    const [token] = world.sandbox.world.tokens
    const supply = (height: number) => readTotalSupply(rpc, { token: token?.zoneAddress ?? '', height })
    const before = await rpc.call('eth_blockNumber', ['latest'])
    const first = (await supply(before)) ?? 0n
    world.step(30_000)
    const after = await rpc.call('eth_blockNumber', ['latest'])
    const crossed = (direction: Transfer['direction']) =>
      arrived(world, direction)
        .filter((one) => one.token === token && (one.zone?.height ?? 0) > before)
        .reduce((sum, { amountRaw }) => sum + amountRaw, 0n)
    expect(crossed('MainToZone')).toBeGreaterThan(0n)
    expect(await supply(after)).toBe(first + crossed('MainToZone') - crossed('ZoneToMain'))
    // The same as before, read later.
    expect(await supply(before)).toBe(first)
    expect(
      await readTotalSupply(rpc, { token: world.sandbox.world.contracts.zoneBridge, height: after }),
    ).toBeNull()
    const shares = world.sandbox.world.tokens.find(({ type }) => type === 'ERC1155')
    expect(await readTotalSupply(rpc, { token: shares?.zoneAddress ?? '', height: after })).toBeNull()
  }))

test('a withdrawal that the explorer alone shows is on no node of the zone', () =>
  withZone(quiet, async (world, rpc) => {
    world.sandbox.inject({ fault: 'transfer.forged', chain: 'zone', token: 'USDC', amount: '77.125' })
    world.step(15_000)
    const [record] = await world.records({ limit: '1' })
    const hash = String(record?.['zoneTxHash'])
    const shown = await world.zone('transaction/transaction-multi', { txId: hash })
    expect(shown.data[0]).toMatchObject({ hash, status: '0x1' })
    expect(await rpc.call('eth_getTransactionReceipt', [hash])).toBeNull()
  }))

test('a withdrawal whose amount the explorer inflates burned less on the zone', () =>
  withZone(quiet, async (world, rpc) => {
    world.sandbox.inject({ fault: 'transfer.inflated', token: 'USDC', amount: '5000', burned: '7000000' })
    world.step(15_000)
    const [record] = await world.records({ limit: '1' })
    const hash = String(record?.['zoneTxHash'])
    const shown = await world.zone('transaction/transaction-multi', { txId: hash })
    expect(shown.data[0]).toMatchObject({ value: '5000' })
    const receipt = await rpc.call('eth_getTransactionReceipt', [hash])
    expect(BigInt(receipt?.logs?.[0]?.data ?? '0x0')).toBe(7_000_000n)
  }))

test('a zone that stands still does so at its node too, unless only the explorer stands', () =>
  withZone(quiet, async (world, rpc) => {
    world.sandbox.inject({ fault: 'head.stall', chain: 'zone', for: '20s' })
    const before = await rpc.call('eth_blockNumber', ['latest'])
    world.step(10_000)
    expect(await rpc.call('eth_blockNumber', ['latest'])).toBe(before)
    world.step(20_000)
    world.sandbox.inject({ fault: 'head.stall', chain: 'zone', rpc: false, for: '20s' })
    const then = await rpc.call('eth_blockNumber', ['latest'])
    world.step(10_000)
    expect(await rpc.call('eth_blockNumber', ['latest'])).toBe(then + 100)
  }))
