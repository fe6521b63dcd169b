import { describe, expect, test } from 'vitest'
import { rowsOf, startStepped, type SteppedSandbox } from './steppedSandbox.ts'

const quiet = '{ name: test, traffic: { transfersPerMinute: 0, emptyIds: 0 } }'
type Block = { number: string; transactions: string[] }

async function newest(world: SteppedSandbox) {
  const [record] = await world.records({ limit: '1' })
  return record as Record<string, string>
}

describe('value that arrives without having left', () => {
  test('a payout with an invented origin looks complete, and no chain knows the origin', async () => {
    await using world = await startStepped(quiet)
    world.step(60_000)
    world.sandbox.inject({ fault: 'transfer.unbacked', token: 'WETH', amount: '173600' })
    world.step(4_000)
    const record = await newest(world)
    const zone = await world.zone('transaction/transaction-multi', { txId: String(record.zoneTxHash) })
    const detail = await world.zone('cross/transaction-multi', { txId: String(record.zoneTxHash) })
    const paid = await world.main('transaction/token-transfer-multi', { txId: String(record.mainTxHash) })
    expect(record).toMatchObject({ status: '0x1', value: '173600', txType: 'ZoneToMain' })
    expect(zone.data).toEqual([])
    expect(detail.data).toHaveLength(1)
    expect(rowsOf(paid, 'transactionList')[0]).toMatchObject({ amount: '173600', to: record.targetAddress })
  })

  test('a payout without a record is only on the main chain', async () => {
    await using world = await startStepped(quiet)
    world.step(60_000)
    const before = await newest(world)
    world.sandbox.inject({ fault: 'transfer.unbacked', token: 'USDC', amount: '77.125', record: 'none' })
    world.step(4_000)
    const { escrow } = world.sandbox.world.contracts
    const moved = rowsOf(
      await world.main('address/transaction-list', { address: escrow, protocolType: 'token_20' }),
      'transactionLists',
    )
    expect(await newest(world)).toEqual(before)
    expect(moved[0]).toMatchObject({ from: escrow, amount: '77.125' })
  })

  test('a withdrawal paid twice has two records with one zone hash, and two payouts', async () => {
    await using world = await startStepped(quiet)
    world.step(60_000)
    world.sandbox.inject({ fault: 'transfer.duplicate' })
    world.step(5_000)
    const records = await world.records()
    const twice = records.filter((each) =>
      records.some(
        (other) => other !== each && other.zoneTxHash === each.zoneTxHash && other.valueRaw === each.valueRaw,
      ),
    )
    const details = (await world.zone('cross/transaction-multi', { txId: String(twice[0]?.zoneTxHash) })).data
    expect(twice).toHaveLength(2)
    expect(new Set(twice.map((record) => record.mainTxHash)).size).toBe(2)
    expect(details).toHaveLength(2)
    expect(new Set(details.map((detail) => detail.zoneEventIndex)).size).toBe(1)
  })

  test('a deposit event names an amount while no token moves', async () => {
    await using world = await startStepped(quiet)
    world.step(60_000)
    world.sandbox.inject({ fault: 'transfer.mismatch', token: 'WETH', amount: '77162' })
    world.step(20_000)
    const txId = String((await newest(world)).mainTxHash)
    const moves = await world.main('transaction/token-transfer-multi', { txId })
    const logs = await world.main('log/by-transaction', { txId })
    expect(moves.data).toEqual([])
    expect(logs.data).toHaveLength(1)
  })

  test('a forged deposit is in the explorer and in no node', async () => {
    await using world = await startStepped(quiet)
    world.step(60_000)
    world.sandbox.inject({ fault: 'transfer.forged' })
    world.step(20_000)
    const txId = String((await newest(world)).mainTxHash)
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getTransactionReceipt',
      params: [txId],
    })
    const canonical = await fetch(world.sandbox.canonicalUrl, { method: 'POST', body })
    expect(
      rowsOf(await world.main('transaction/token-transfer-multi', { txId }), 'transactionList'),
    ).toHaveLength(1)
    expect(await canonical.json()).toEqual({ jsonrpc: '2.0', id: 1, result: null })
  })

  test('a destination leg can be older than its origin', async () => {
    await using world = await startStepped(quiet)
    world.step(60_000)
    world.sandbox.inject({ fault: 'transfer.out_of_order', direction: 'ZoneToMain', by: '60s' })
    world.step(64_000)
    const record = await newest(world)
    expect(Number(record.zoneBlockTime) - Number(record.mainBlockTime)).toBeGreaterThanOrEqual(59_000)
  })

  test.each([
    { how: 'unreadable', check: (text: string) => text.startsWith('<') },
    { how: 'sum', check: (text: string) => text === '[{"tokenId":"7","amount":"1"}]' },
    { how: 'unpaid', check: (text: string) => text.includes('amount') },
  ])('a bad batch ($how) shows in batchDetail or in what was paid', async ({ how, check }) => {
    await using world = await startStepped(quiet)
    world.step(60_000)
    world.sandbox.inject({ fault: 'batch.bad', how })
    world.step(40_000)
    const record = await newest(world)
    const [detail] = (await world.zone('cross/transaction-multi', { txId: String(record.zoneTxHash) })).data
    const paid = rowsOf(
      await world.main('transaction/token-transfer-multi', { txId: String(record.mainTxHash) }),
      'transactionList',
    )
    const sum = paid.reduce((total, row) => total + BigInt(String(row.amount)), 0n).toString()
    expect(detail).toMatchObject({ crossType: 'BatchWithdraw', batchDetail: expect.toSatisfy(check) })
    expect(sum === record.valueRaw).toBe(how !== 'unpaid')
  })
})

describe('the escrow and the contracts', () => {
  test('a drained escrow shows in E6 and in its balance, with no bridge event', async () => {
    await using world = await startStepped(quiet)
    world.step(60_000)
    const { escrow, bridge } = world.sandbox.world.contracts
    const data = `0x70a08231${escrow.slice(2).padStart(64, '0')}`
    const token = world.sandbox.world.tokens[0]?.address
    const balance = async () => BigInt(String(await world.rpc('eth_call', { to: token, data }, 'latest')))
    const before = await balance()
    world.sandbox.inject({ fault: 'escrow.drained', token: 'USDC', amount: '62000' })
    world.step(3_000)
    const [row] = rowsOf(
      await world.main('address/transaction-list', { address: escrow, protocolType: 'token_20' }),
      'transactionLists',
    )
    const logs = (await world.main('log/by-transaction', { txId: String(row?.txId) })).data
    expect(row).toMatchObject({ from: escrow, amount: '62000' })
    expect(logs.map((log) => log.address)).not.toContain(bridge)
    expect((await balance()) - before).toBe(-62_000_000_000n)
  })

  test('an upgrade shows in E19, E17 and storage', async () => {
    await using world = await startStepped(quiet)
    const { bridge, bridgeImplementation } = world.sandbox.world.contracts
    world.sandbox.inject({ fault: 'contract.changed', what: 'upgraded' })
    world.step(2_000)
    const range = { startBlockHeight: '5007195', endBlockHeight: '5007205', address: bridge }
    const logs = (await world.main('log/by-block-and-address', range)).data
    const [contract] = (await world.main('contract/verify-contract-info', { contractAddress: bridge })).data
    const topic = '0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b'
    expect(logs.filter((log) => (log.topics as string[])[0] === topic)).toHaveLength(1)
    expect(contract?.implementation).not.toBe(bridgeImplementation)
  })

  test('challengeStatus takes a value in E6', async () => {
    await using world = await startStepped(quiet)
    world.step(60_000)
    world.sandbox.inject({ fault: 'challenge.changed', status: 'open', count: 3 })
    const { bridge } = world.sandbox.world.contracts
    const listed = rowsOf(
      await world.main('address/transaction-list', { address: bridge, limit: '50' }),
      'transactionLists',
    )
    expect(listed.filter((row) => row.challengeStatus === 'open').length).toBeGreaterThan(0)
    expect(listed.filter((row) => row.challengeStatus === '').length).toBeGreaterThan(0)
  })

  test('a relayer runs out of gas money', async () => {
    await using world = await startStepped(quiet)
    world.sandbox.inject({ fault: 'operator.low_balance', wei: '7' })
    world.step(2_000)
    expect(await world.rpc('eth_getBalance', world.sandbox.world.contracts.relayer, 'latest')).toBe('0x7')
  })
})

describe('flows', () => {
  test('a stopped route delivers nothing of its token, the others go on', async () => {
    await using world = await startStepped(
      '{ name: test, traffic: { transfersPerMinute: 120, depositShare: 0 } }',
    )
    world.sandbox.inject({ fault: 'route.stopped', token: 'USDC' })
    world.step(180_000)
    const fresh = await world.records()
    const waiting = (name: string) =>
      fresh.slice(60).filter((record) => record.tokenName === name && record.mainTxHash === '').length
    expect(waiting('USDC')).toBeGreaterThan(5)
    expect(waiting('USDT')).toBe(0)
  })

  test('nothing begins while it is quiet, and it goes on after', async () => {
    await using world = await startStepped('{ name: test, traffic: { transfersPerMinute: 120 } }')
    world.step(10_000)
    world.sandbox.inject({ fault: 'flow.quiet', for: '60s' })
    const total = async () => Number((await world.zone('cross/transaction-list')).data[0]?.total)
    world.step(3_000)
    const before = await total()
    world.step(56_000)
    expect(await total()).toBe(before)
    world.step(60_000)
    expect(await total()).toBeGreaterThan(before + 60)
  })
})

describe('preconfirmations that do not hold', () => {
  const pendingHash = async (world: SteppedSandbox) => {
    const block = (await world.rpc('eth_getBlockByNumber', 'pending', false)) as Block
    return String(block.transactions.at(-1))
  }
  const status = async (world: SteppedSandbox, hash: string) =>
    (await world.rpc('eth_getTransactionReceipt', hash)) as { status: string; blockNumber: string } | null

  test('a dropped one is seen, then null for good', async () => {
    await using world = await startStepped(quiet)
    world.sandbox.inject({ fault: 'preconf.dropped' })
    world.step(900)
    const hash = await pendingHash(world)
    expect(await status(world, hash)).toMatchObject({ status: '0x1' })
    world.step(5_000)
    expect(await status(world, hash)).toBeNull()
  })

  test('a flipped one succeeds, then has failed', async () => {
    await using world = await startStepped(
      '{ name: test, traffic: { transfersPerMinute: 0, blockTransactions: 0 } }',
    )
    world.step(2)
    world.sandbox.inject({ fault: 'preconf.flipped' })
    world.step(900)
    const hash = await pendingHash(world)
    const before = await status(world, hash)
    world.step(5_000)
    const after = await status(world, hash)
    expect([before?.status, after?.status]).toEqual(['0x0', '0x1'])
  })

  test('a moved one is in a later block than it was seen in', async () => {
    await using world = await startStepped(
      '{ name: test, traffic: { transfersPerMinute: 0, blockTransactions: 0 } }',
    )
    world.step(2)
    world.sandbox.inject({ fault: 'preconf.moved', by: 2 })
    world.step(900)
    const hash = await pendingHash(world)
    const before = await status(world, hash)
    world.step(5_000)
    const after = await status(world, hash)
    expect(Number(after?.blockNumber) - Number(before?.blockNumber)).toBe(2)
  })

  test('a late one is in no pending view before its block is complete', async () => {
    await using world = await startStepped(
      '{ name: test, traffic: { transfersPerMinute: 0, blockTransactions: 0 } }',
    )
    world.step(2)
    world.sandbox.inject({ fault: 'preconf.late' })
    world.step(900)
    const block = (await world.rpc('eth_getBlockByNumber', 'pending', false)) as Block
    world.step(1_100)
    const complete = (await world.rpc('eth_getBlockByNumber', block.number, false)) as Block
    expect(complete.transactions.length - block.transactions.length).toBe(1)
  })
})
