import { expect, test } from 'vitest'
import { toEventSelector } from 'viem/utils'
import type { GateView } from '../../src/web/gate/toGateView.ts'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { send } from '../support/fakeExplorer.ts'
import { codes, leave, minute, openGate, second, unpaid } from '../support/gateWorld.ts'

test('it is found by id, key and hash, in whatever case; what is not shown yet waits and is no 404', async () => {
  const world = await openGate()
  const hash = await leave(world, 20, unpaid)
  await world.pass(2 * minute)
  const { transfers } = await world.ask(hash)
  const [one] = transfers
  for (const name of [
    hash.toUpperCase().replace('0X', '0x'),
    hash.toUpperCase(),
    ` ${hash} `,
    one?.key ?? '',
    one?.id ?? '',
  ])
    expect([name, (await world.ask(name)).verdict]).toEqual([name, 'clear'])
  const unknown = await world.get(`0x${'12'.repeat(32)}`)
  expect(unknown.status).toBe(200)
  const said = (await unknown.json()) as GateView
  expect([said.verdict, codes(said), said.transfers]).toEqual(['wait', ['wait not_shown'], []])
})

test('an origin that failed, that is not there, or that brought less is never clear', async () => {
  const world = await openGate()
  const failed = await leave(world, 20, unpaid)
  world.zone(failed, { status: '0x0' })
  const absent = await leave(world, 21, unpaid)
  world.fake.zoneTransactions.delete(absent)
  const less = await leave(world, 22, unpaid)
  world.zone(less, { value: '1', valueRaw: '1000000' })
  for (let looks = 0; looks < 20; looks += 1) {
    await world.pass(20 * second)
    for (const hash of [failed, absent, less])
      expect([hash, (await world.ask(hash)).verdict]).not.toEqual([hash, 'clear'])
  }
  expect(codes(await world.ask(failed))).toContain('suspect origin_failed')
  expect(codes(await world.ask(absent))).toContain('suspect origin_absent')
  expect(codes(await world.ask(less))).toContain('suspect transfer.mismatch')
})

test('a status that flips to failed shuts the gate, and opens it no sooner than it is settled', async () => {
  const world = await openGate()
  const hash = await leave(world, 20, unpaid)
  await world.pass(2 * minute)
  expect((await world.ask(hash)).verdict).toBe('clear')
  const record = world.fake.records[0] ?? {}
  world.fake.records[0] = { ...record, status: '0x0' }
  await world.pass(20 * second)
  expect(codes(await world.ask(hash))).toEqual(expect.arrayContaining(['suspect failed']))
})

test('two transfers of one transaction are judged each by itself, and the name by the worst', async () => {
  const world = await openGate()
  const hash = await leave(world, 20, unpaid)
  const second1 = {
    ...world.fake.records[0],
    id: `0x${'ab'.repeat(32)}`,
    value: '7',
    valueRaw: '7000000',
    targetAddress: user(30),
  }
  world.fake.records.unshift(second1)
  world.zone(hash, { value: '', valueRaw: '' })
  await world.pass(3 * minute)
  const both = await world.ask(hash)
  expect([both.transfers.length, both.verdict, codes(both)]).toEqual([2, 'clear', []])
  const at = String(world.now())
  world.fake.records[0] = {
    ...second1,
    mainTxHash: `0x${'78'.repeat(32)}`,
    mainBlockHeight: String(world.fake.mainHead()),
    mainBlockTime: at,
  }
  world.main(`0x${'78'.repeat(32)}`, { moves: [{ token, from: escrow, to: user(30), amount: '7' }] })
  await world.pass(30 * second)
  const one = await world.ask(hash)
  const verdicts = one.transfers.map(({ recipient, verdict }) => [recipient, verdict])
  expect([one.verdict, Object.fromEntries(verdicts)]).toEqual([
    'suspect',
    { [user(20)]: 'clear', [user(30)]: 'suspect' },
  ])
})

test('a second record of the same origin shuts the gate for both', async () => {
  const world = await openGate()
  const hash = await leave(world, 20, unpaid)
  const record = world.fake.records[0] ?? {}
  world.fake.records.unshift({
    ...record,
    id: `0x${'ab'.repeat(32)}`,
    mainTxHash: `0x${'79'.repeat(32)}`,
    mainBlockHeight: String(world.fake.mainHead()),
    mainBlockTime: String(world.now()),
  })
  world.fake.spell = (one) => ({ ...one, zoneTxEventIndex: '0' })
  await world.pass(3 * minute)
  const said = await world.ask(hash)
  expect(said.verdict).toBe('suspect')
  expect(said.transfers.map(({ verdict }) => verdict)).toEqual(['suspect', 'suspect'])
})

test('a payout of which nobody knows the origin holds what it may have paid, and no other', async () => {
  const world = await openGate()
  const hash = await leave(world, 20, unpaid)
  const other = await leave(world, 21, unpaid)
  await world.pass(2 * minute)
  expect([(await world.ask(hash)).verdict, (await world.ask(other)).verdict]).toEqual(['clear', 'clear'])
  const stray = `0x${'80'.repeat(32)}`
  world.withdraw(40, {
    zoneTxHash: '',
    zoneBlockHeight: '',
    zoneBlockTime: '',
    mainTxHash: stray,
    mainBlockTime: String(world.now()),
    mainBlockHeight: String(world.fake.mainHead()),
    targetAddress: user(20),
    value: '120',
    valueRaw: '120000000',
  })
  await world.pass(5 * second)
  expect(codes(await world.ask(hash))).toContain('wait may_be_paid')
  expect((await world.ask(hash)).transfers[0]?.payouts[0]?.hash).toBe(stray)
  expect(codes(await world.ask(other))).not.toContain('wait may_be_paid')
})

test('while a source is silent, or says that nothing is there, the gate waits', async () => {
  const world = await openGate()
  const hash = await leave(world, 20, unpaid)
  await world.pass(2 * minute)
  expect((await world.ask(hash)).verdict).toBe('clear')
  const { intercept } = world.fake
  world.fake.intercept = (_, response) => {
    send(response, 503, 'no')
    return true
  }
  await world.pass(30 * second)
  const silent = await world.ask(hash)
  expect([silent.verdict, codes(silent)]).toEqual([
    'wait',
    expect.arrayContaining(['wait source_stale', 'wait poller_late']),
  ])
  expect(silent.sources.map(({ isFresh }) => isFresh)).toEqual([false])
  world.fake.intercept = intercept
  await world.pass(2 * minute)
  expect((await world.ask(hash)).verdict).toBe('clear')
})

test('a row that cannot be read holds what left before it, and nothing that left later', async () => {
  const world = await openGate()
  const hash = await leave(world, 20, unpaid)
  await world.pass(2 * minute)
  world.withdraw(41, { txType: 'Sideways' })
  await world.pass(10 * second)
  expect(codes(await world.ask(hash))).toContain('wait quarantined')
  await world.pass(2 * minute)
  const later = await leave(world, 22, unpaid)
  await world.pass(2 * minute)
  expect(codes(await world.ask(later))).toEqual([])
})

test('a critical finding about its token holds it until somebody has handled the case, and another token is free', async () => {
  const world = await openGate({
    rules: `
rules:
  - { name: unbacked, on: transfer.unbacked, severity: critical }
`,
  })
  const hash = await leave(world, 20, unpaid)
  await world.pass(2 * minute)
  world.withdraw(42, {
    zoneTxHash: `0x${'81'.repeat(32)}`,
    mainBlockTime: String(world.now()),
    zoneBlockTime: String(world.now()),
  })
  world.fake.zoneTransactions.delete(`0x${'81'.repeat(32)}`)
  await world.until(() => world.told('transfer.unbacked').length > 0, 'the theft')
  const held = await world.ask(hash)
  expect([held.verdict, codes(held)]).toEqual([
    'suspect',
    expect.arrayContaining(['suspect transfer.unbacked']),
  ])
  const { operations, alerts } = world.monitor.app.parts
  const [open] = alerts.listLiveCases({ states: ['open'], limit: 1 })
  const from = { via: 'api', address: null, role: null, session: null } as const
  operations.changeCase({ id: `c${open?.id ?? 0}`, do: 'handle', text: 'traced' }, { by: 'ana', from })
  await world.pass(second)
  expect(codes(await world.ask(hash))).toEqual([])
})

test('a pause of a bridge contract holds everything until somebody has handled it', async () => {
  const contract = `0x${'c0'.repeat(20)}`
  const world = await openGate({
    rules: '\nrules:\n  - { name: changed, on: contract.changed, severity: critical }\n',
    bridge: { contracts: [contract] },
  })
  const hash = await leave(world, 20, unpaid)
  await world.pass(2 * minute)
  expect(codes(await world.ask(hash))).toEqual([])
  world.fake.logs.push({
    height: String(world.fake.mainHead()),
    address: contract,
    topics: [toEventSelector('Paused(address)')],
    data: `0x${'0'.repeat(64)}`,
    txId: `0x${'91'.repeat(32)}`,
    transactionTime: String(world.now()),
    logIndex: '0',
  })
  await world.until(() => world.told('contract.changed').length > 0, 'the pause')
  expect(codes(await world.ask(hash))).toEqual(['suspect contract.changed'])
})
