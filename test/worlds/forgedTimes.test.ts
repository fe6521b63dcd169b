import { describe, expect, test } from 'vitest'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld, type EscrowWorld, type EscrowWorldOptions } from '../support/escrowWorld.ts'
import type { WireRecord } from '../support/fakeExplorer.ts'

const minute = 60_000
const day = 24 * 60 * minute

test.each([
  ['with escrows', {}],
  ['without', { bridge: { escrows: [], contracts: [] } }],
])(
  'a payout without an origin, whose record is of long ago by its times alone, is told: %s',
  async (_, given) => {
    const world = await createEscrowWorld({
      prepare(bare) {
        for (let n = 1; n <= 6; n += 1) bare.withdraw(n)
        for (let n = 31; n <= 36; n += 1) bare.deposit(n, { amount: String(n) })
      },
      ...given,
    })
    await world.pass(3 * minute)
    const { zoneTxHash = '' } = world.withdraw(53, {
      mainTxHash: world.transact({ moves: [{ token, from: escrow, to: user(53), amount: '5000' }] }),
      mainBlockHeight: String(world.fake.mainHead()),
      mainBlockTime: String(world.now() - 300 * day),
      zoneBlockTime: String(world.now() - 300 * day),
      value: '5000',
      valueRaw: '5000000000',
    })
    world.fake.zoneTransactions.delete(zoneTxHash)
    await world.until(() => world.told('transfer.unbacked').length > 0, 'the payout')
    expect(world.told('transfer.unbacked')).toHaveLength(1)
  },
)

describe('a payout whose record is of long ago by its heights as well', () => {
  const prepare = (bare: Parameters<NonNullable<EscrowWorldOptions['prepare']>>[0]) => {
    for (let n = 1; n <= 6; n += 1) bare.withdraw(n)
    for (let n = 31; n <= 36; n += 1) bare.deposit(n, { amount: String(n) })
  }
  const pay = (world: EscrowWorld, heights: WireRecord) =>
    world.withdraw(53, {
      mainTxHash: world.transact({ moves: [{ token, from: escrow, to: user(53), amount: '5000' }] }),
      mainBlockTime: String(world.now() - 300 * day),
      zoneBlockTime: String(world.now() - 300 * day),
      value: '5000',
      valueRaw: '5000000000',
      ...heights,
    })

  test.each([
    ['it names none', { mainBlockHeight: '', zoneBlockHeight: '' }],
    ['it names old ones', { mainBlockHeight: '5', zoneBlockHeight: '5' }],
  ])('is told without an origin, since it left the escrow now: %s', async (_, heights) => {
    const world = await createEscrowWorld({ prepare })
    await world.pass(3 * minute)
    const { zoneTxHash = '' } = pay(world, heights)
    world.fake.zoneTransactions.delete(zoneTxHash)
    await world.until(() => world.told('transfer.unbacked').length > 0, 'the payout')
  })

  test('is silent with one', async () => {
    const world = await createEscrowWorld({ prepare })
    await world.pass(3 * minute)
    const { zoneTxHash = '' } = pay(world, { mainBlockHeight: '5', zoneBlockHeight: '5' })
    world.zone(zoneTxHash, { value: '5000', valueRaw: '5000000000' })
    await world.pass(5 * minute)
    const told = [...world.told().map(({ kind }) => kind), ...world.conditions().map(({ kind }) => kind)]
    expect(told).toEqual([])
  })
})

describe('a credit whose record is of long ago, by its heights too', () => {
  async function credit(main: { readonly moves: [] } | undefined) {
    const world = await createEscrowWorld({
      prepare(bare) {
        for (let n = 1; n <= 6; n += 1) bare.withdraw(n)
        for (let n = 31; n <= 36; n += 1) bare.deposit(n, { amount: String(n) })
      },
    })
    await world.pass(3 * minute)
    const at = String(world.now() - 300 * day)
    const record = { mainBlockTime: at, zoneBlockTime: at, mainBlockHeight: '5', zoneBlockHeight: '5' }
    const invented = { mainTxHash: `0x${'de'.repeat(32)}` }
    world.deposit(53, { amount: '5000', ...(main && { main }), record: { ...record, ...(main && invented) } })
    await world.pass(10 * minute)
    return world.told('transfer.unbacked')
  }

  test('is told without a deposit, since it is of now on the zone', async () => {
    expect(await credit({ moves: [] })).toHaveLength(1)
  })

  test('is not with one', async () => {
    expect(await credit(undefined)).toEqual([])
  })
})
