import { describe, expect, test } from 'vitest'
import { without } from '../../../src/sandbox/endpoints/mainEndpoints.ts'
import { rowsOf, startStepped, type SteppedSandbox } from './steppedSandbox.ts'

type Row = Record<string, string>
const complete = async (world: SteppedSandbox, txType: string) =>
  (await world.records()).find(
    (each) => each.txType === txType && each.mainTxHash && each.zoneTxHash && each.tokenType === 'ERC20',
  ) as Row

describe.each(['MainToZone', 'ZoneToMain'])('a %s through the endpoints of the main chain', (txType) => {
  test('E2, E13, E1 and E6 show the same movement of the token', async () => {
    await using world = await startStepped()
    const record = await complete(world, txType)
    const { escrow } = world.sandbox.world.contracts
    const token = { tokenContractAddress: String(record.tokenContractAddress) }
    const found = [
      rowsOf(
        await world.main('transaction/token-transaction-detail', { txId: String(record.mainTxHash) }),
        'tokenTransferDetails',
      ),
      rowsOf(
        await world.main('transaction/token-transfer-multi', { txId: String(record.mainTxHash) }),
        'transactionList',
      ),
      rowsOf(await world.main('token/transaction-list', { ...token, limit: '50' }), 'transactionList'),
      rowsOf(
        await world.main('address/transaction-list', {
          address: escrow,
          protocolType: 'token_20',
          limit: '50',
        }),
        'transactionLists',
      ),
    ].map((list) =>
      list.find((row) => (row.txId ?? row.txid) === record.mainTxHash && row.amount === record.value),
    )
    const parties =
      txType === 'MainToZone'
        ? { from: record.sourceAddress, to: escrow }
        : { from: escrow, to: record.targetAddress }
    const expected = { ...parties, height: record.mainBlockHeight, transactionTime: record.mainBlockTime }
    expect(found).toEqual(found.map(() => expect.objectContaining(expected)))
  })

  test('E7, E15, E16, E19 and E21 agree on its transaction', async () => {
    await using world = await startStepped()
    const record = await complete(world, txType)
    const { bridge } = world.sandbox.world.contracts
    const [txId, height] = [String(record.mainTxHash), String(record.mainBlockHeight)]
    const range = { startBlockHeight: height, endBlockHeight: height }
    const listed = rowsOf(await world.main('block/transaction-list-multi', range), 'transactionList').find(
      (row) => row.txId === txId,
    )
    const multi = rowsOf(
      await world.main('transaction/internal-transaction-multi', { txId }),
      'transactionList',
    )
    const detail = rowsOf(
      await world.main('transaction/internal-transaction-detail', { txId }),
      'internalTransactionDetails',
    )
    const byBlock = (await world.main('log/by-block-and-address', { ...range, address: bridge })).data.filter(
      (log) => log.txId === txId,
    )
    const byTx = (await world.main('log/by-transaction', { txId })).data
    const block = (await world.main('block/block-fills', { height })).data[0]
    expect(listed).toMatchObject({ to: bridge, state: 'success', blockHash: block?.hash })
    expect(detail.map((row) => ({ ...without(row, ['state']), blockHash: block?.hash }))).toEqual(multi)
    expect(byTx.filter((log) => log.address === bridge)).toEqual(byBlock)
    expect(byBlock.length).toBeGreaterThan(0)
  })

  test('E4 lists its zone transaction as E9 details it', async () => {
    await using world = await startStepped()
    const record = await complete(world, txType)
    const listed = rowsOf(
      await world.zone('block/transaction-list', { height: String(record.zoneBlockHeight) }),
      'data',
    )
    const [detail] = (await world.zone('transaction/transaction-multi', { txId: String(record.zoneTxHash) }))
      .data
    expect(detail).toMatchObject(listed.find((row) => row.hash === record.zoneTxHash) as Row)
  })
})

test('E10 lists the payouts of the relayer, E6 both kinds of the bridge', async () => {
  await using world = await startStepped()
  const { relayer, bridge } = world.sandbox.world.contracts
  const range = { startBlockHeight: '5000000', endBlockHeight: '5007200', limit: '100' }
  const paid = rowsOf(
    await world.main('address/normal-transaction-list-multi', { address: relayer, ...range }),
    'transactionList',
  )
  const seen = rowsOf(
    await world.main('address/transaction-list', { address: bridge, limit: '50' }),
    'transactionLists',
  )
  expect(new Set(paid.map((row) => row.from))).toEqual(new Set([relayer]))
  expect(new Set(seen.map((row) => row.to))).toEqual(new Set([bridge]))
  expect(seen.some((row) => row.from === relayer) && seen.some((row) => row.from !== relayer)).toBe(true)
})

test('E8 lists the internal calls of the bridge', async () => {
  await using world = await startStepped()
  const { bridge } = world.sandbox.world.contracts
  const calls = rowsOf(
    await world.main('address/internal-transaction-list', { address: bridge, isFromOrTo: 'from' }),
    'transactionList',
  )
  expect(calls.length).toBe(20)
  expect(new Set(calls.map((row) => row.from))).toEqual(new Set([bridge]))
})

test('E17 shows the proxy, its implementation and a token, and nothing of a person', async () => {
  await using world = await startStepped()
  const { bridge, bridgeImplementation, owner } = world.sandbox.world.contracts
  const ask = (contractAddress: string) => world.main('contract/verify-contract-info', { contractAddress })
  expect((await ask(bridge)).data[0]).toMatchObject({ proxy: '1', implementation: bridgeImplementation })
  expect((await ask(bridgeImplementation)).data[0]).toMatchObject({ proxy: '0', implementation: '' })
  expect(await ask(owner)).toMatchObject({ code: '0', data: [] })
})

test('E18 and E20 stop at the first 1,000 logs', async () => {
  await using world = await startStepped(
    '{ name: test, history: { transfers: 4000 }, traffic: { depositShare: 1 } }',
  )
  const { bridge } = world.sandbox.world.contracts
  const topic0 = '0xb8910b9960c443aac3240b98585384e3a6f109fbf6969e264c3f183d69aba7e1'
  const all = await world.main('log/by-address', { address: bridge })
  const one = await world.main('log/by-address-and-topic', { address: bridge, topic0 })
  expect([all.data.length, one.data.length]).toEqual([1_000, 1_000])
  expect(new Set(one.data.map((log) => (log.topics as string[])[0]))).toEqual(new Set([topic0]))
})

test('every page of a range of E7 together holds every transaction once', async () => {
  await using world = await startStepped()
  const range = { startBlockHeight: '5006900', endBlockHeight: '5007200', limit: '100' }
  const first = await world.main('block/transaction-list-multi', range)
  const pages = Number(first.data[0]?.totalPage)
  const answers = await Promise.all(
    Array.from({ length: pages }, (_, at) =>
      world.main('block/transaction-list-multi', { ...range, page: String(at + 1) }),
    ),
  )
  const hashes = answers.flatMap((answer) => rowsOf(answer, 'transactionList').map((row) => row.txId))
  expect(pages).toBeGreaterThan(4)
  expect(new Set(hashes).size).toBe(hashes.length)
})

test.each([
  {
    path: 'address/normal-transaction-list-multi',
    query: { address: `0x${'1'.repeat(40)}`, startBlockHeight: '1', endBlockHeight: '10001' },
    code: '0',
  },
  {
    path: 'address/normal-transaction-list-multi',
    query: { address: `0x${'1'.repeat(40)}`, startBlockHeight: '1', endBlockHeight: '10002' },
    code: '50036',
  },
  {
    path: 'address/normal-transaction-list-multi',
    query: {
      address: Array(21)
        .fill(`0x${'1'.repeat(40)}`)
        .join(','),
      startBlockHeight: '1',
      endBlockHeight: '2',
    },
    code: '50025',
  },
  {
    path: 'address/transaction-list',
    query: { address: `0x${'1'.repeat(40)}`, protocolType: 'token_30' },
    code: '50036',
  },
  { path: 'address/transaction-list', query: {}, code: '50014' },
  {
    path: 'block/transaction-list-multi',
    query: { startBlockHeight: '9', endBlockHeight: '8' },
    code: '50036',
  },
  {
    path: 'transaction/token-transfer-multi',
    query: {
      txId: Array(21)
        .fill(`0x${'a'.repeat(64)}`)
        .join(','),
    },
    code: '50025',
  },
  { path: 'log/by-address-and-topic', query: { address: `0x${'1'.repeat(40)}` }, code: '50014' },
])('$path is answered with $code', async ({ path, query, code }) => {
  await using world = await startStepped()
  expect(await world.main(path, query)).toMatchObject({ code })
})
