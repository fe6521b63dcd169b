import { describe, expect, test } from 'vitest'
import { shippedPoll } from '../support/incidents.ts'
import { type BridgeWorld, createBridgeWorld, escrow, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld } from '../support/escrowWorld.ts'
import { type FakeExplorer, send } from '../support/fakeExplorer.ts'

const second = 1_000
const minute = 60 * second

const rules = `
rules:
  - { name: stalled, on: transfer.stalled, with: { after: 20m }, severity: critical }
  - { name: vanished, on: transfer.vanished, severity: critical }
  - { name: unbacked, on: transfer.unbacked, severity: critical }
  - { name: failed, on: transfer.failed, severity: critical }
`
/** The sweep looks no further back than this: what is older is found by asking for it alone. */
const shortSweepMs = 2 * minute

type Filter = 'works' | 'is ignored' | 'gives nothing'

/** How the list's filters behave; the address filter of the fake is no filter at all otherwise. */
function filterBy({ fake }: Pick<BridgeWorld, 'fake'>, filters: { hash: Filter; address: Filter }): void {
  const before = fake.intercept
  fake.intercept = (request, response) => {
    const { path, query } = request
    if (!path.endsWith('/cross/transaction-list')) return before(request, response)
    const [hash, address] = [query.get('txid'), query.get('address')]
    const filter = hash === null ? (address === null ? null : filters.address) : filters.hash
    if (filter === null) return before(request, response)
    const fits = (record: FakeExplorer['records'][number]) =>
      hash === null
        ? [record['sourceAddress'], record['targetAddress']].includes(address ?? '')
        : [record['mainTxHash'], record['zoneTxHash']].includes(hash)
    const rows =
      filter === 'gives nothing' ? [] : filter === 'works' ? fake.records.filter(fits) : fake.records
    send(response, 200, { code: '0', msg: '', data: toPage(rows, Number(query.get('page') ?? 1)) })
    return true
  }
}

function toPage(rows: readonly object[], page: number): object[] {
  const data = rows.slice((page - 1) * 100, page * 100)
  const totalPage = String(Math.ceil(rows.length / 100))
  return [{ page: String(page), limit: '100', totalPage, total: String(rows.length), data }]
}

/** A deposit that is on its way, and so many records after it that nobody reads the list down to it. */
async function setUp(filters: { hash: Filter; address: Filter }, sweepMs = shortSweepMs) {
  const config = { poll: { ...shippedPoll, sweepMs } }
  const world = await createBridgeWorld({ rules, config, prepare: (bare) => filterBy(bare, filters) })
  const deposit = world.withdraw(1, {
    txType: 'MainToZone',
    crossType: 'Deposit',
    zoneTxHash: '',
    zoneBlockHeight: '',
    zoneBlockTime: '',
    mainBlockTime: String(world.now() - 5 * second),
    sourceAddress: user(1),
  })
  const mainHash = deposit['mainTxHash'] ?? ''
  world.main(mainHash, { moves: [{ token, from: user(1), to: escrow, amount: deposit['value'] ?? '' }] })
  await world.pass(15 * second)
  for (let n = 100; n < 250; n += 1) world.withdraw(n)
  await world.pass(4 * minute)
  const find = () => world.monitor.app.parts.ledger.listTransfers({ hash: mainHash, limit: 9 })
  expect(find()).toMatchObject([{ state: 'pending' }])
  const arrive = (overrides: Record<string, string> = {}) => {
    const zoneTxHash = `0x${'1e'.repeat(32)}`
    world.zone(zoneTxHash, { actionType: 'deposit', value: '101', valueRaw: '101000000' })
    const [zoneBlockTime, updateTime] = [String(world.now() - second), String(world.now())]
    Object.assign(deposit, { zoneTxHash, zoneBlockHeight: '99000', zoneBlockTime, updateTime, ...overrides })
  }
  return { world, deposit, find, arrive }
}

describe('a deposit on its way that the newest pages no longer show (semantics 16)', () => {
  test.each([
    { hash: 'works', address: 'gives nothing' },
    { hash: 'is ignored', address: 'works' },
    { hash: 'gives nothing', address: 'works' },
  ] as const)(
    'is seen to arrive where the filter by hash $hash and the one by address $address',
    async (filters) => {
      const { world, find, arrive } = await setUp(filters)
      arrive()
      await world.pass(90 * second)
      expect(find()).toMatchObject([{ state: 'completed' }])
      await world.pass(25 * minute)
      expect(world.told()).toEqual([])
    },
  )

  test.each([
    { hash: 'is ignored', address: 'works' },
    { hash: 'gives nothing', address: 'works' },
  ] as const)(
    'is seen to fail where the filter by hash $hash and the one by address $address',
    async (filters) => {
      const { world, arrive } = await setUp(filters)
      arrive({ status: '0x0' })
      await world.until(() => world.told('transfer.failed').length > 0, 'the failure')
      await world.pass(minute)
      expect(world.told()).toHaveLength(1)
    },
  )

  test.each([
    { hash: 'works', address: 'gives nothing' },
    { hash: 'gives nothing', address: 'works' },
    { hash: 'is ignored', address: 'works' },
  ] as const)(
    'and whose record is gone has vanished where the filter by hash $hash and the one by address $address',
    async (filters) => {
      const { world, deposit } = await setUp(filters, shippedPoll.sweepMs)
      const goneAt = world.now()
      world.fake.records = world.fake.records.filter((record) => record !== deposit)
      await world.until(() => world.told('transfer.vanished').length > 0, 'what vanished')
      expect(world.now() - goneAt).toBeGreaterThan(10 * minute)
      await world.pass(20 * minute)
      expect(world.told().map(({ kind }) => kind)).toEqual(['transfer.vanished'])
    },
  )

  test.each([
    { hash: 'gives nothing', address: 'gives nothing' },
    { hash: 'is ignored', address: 'is ignored' },
  ] as const)(
    'is neither gone nor failed where the filter by hash $hash and the one by address $address',
    async (filters) => {
      const { world, find } = await setUp(filters)
      await world.pass(15 * minute)
      expect(find()).toMatchObject([{ state: 'pending' }])
      expect(world.told()).toEqual([])
    },
  )
})

test('a payout whose record no page of the list shows is found by its hash, and is no drift (semantics 16)', async () => {
  const hidden = new Set<string | undefined>()
  const world = await createEscrowWorld({
    rules: 'rules:\n  - { name: drift, on: escrow.drift, severity: critical }\n',
    bridge: { contracts: [] },
    prepare(bare) {
      for (let n = 0; n < 3; n += 1) bare.deposit(n, { amount: '500' })
      for (let n = 3; n < 6; n += 1) bare.withdraw(n)
      const { fake } = bare
      const before = fake.intercept
      fake.intercept = (request, response) => {
        const { path, query } = request
        if (!path.endsWith('/cross/transaction-list') || query.has('txid')) return before(request, response)
        const rows = fake.records.filter(({ mainTxHash }) => !hidden.has(mainTxHash))
        send(response, 200, { code: '0', msg: '', data: toPage(rows, Number(query.get('page') ?? 1)) })
        return true
      }
    },
  })
  await world.pass(90 * second)
  const { mainTxHash: hash = '', targetAddress: to = '', value: amount = '' } = world.withdraw(50)
  hidden.add(hash)
  const moves = [{ token, from: escrow, to, amount }]
  world.main(hash, { height: world.fake.mainHead(), time: world.now(), moves })
  await world.pass(5 * minute)
  const { ledger } = world.monitor.app.parts
  expect(ledger.listTransfers({ hash, limit: 9 })).toMatchObject([{ state: 'completed' }])
  expect(world.conditions()).toEqual([])
})
