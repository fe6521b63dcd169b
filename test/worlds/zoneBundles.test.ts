import { describe, expect, test } from 'vitest'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld } from '../support/escrowWorld.ts'

// Several records may name one zone transaction: no more is paid for it than it took.

const second = 1_000
const minute = 60 * second
const zoneTxHash = `0x${'77'.repeat(32)}`
const otherId = { id: `0x${'5d'.repeat(32)}` }

/** A zone whose actions say amounts, as thirty withdrawals showed; the last one took 1. */
async function start() {
  const action = (n: number, amount: string) =>
    JSON.stringify({ type: 'withdraw', amount: `${amount}000000`, destination: user(n), token })
  const world = await createEscrowWorld({
    balances: { [escrow]: { [token]: 1_000_000_000_000n } },
    prepare(bare) {
      for (let n = 0; n < 30; n += 1) {
        const zoneTxHash = `0x${(0xabc000 + n).toString(16).padStart(64, '0')}`
        const value = String(100 + n)
        bare.zone(zoneTxHash, { value, valueRaw: `${value}000000`, actionData: action(n, value) })
        bare.withdraw(n, { zoneTxHash })
      }
    },
  })
  await world.pass(2 * minute)
  const blockTime = String(world.now())
  world.zone(zoneTxHash, { value: '1', valueRaw: '1000000', blockTime, actionData: action(50, '1') })
  const pay = (amount: string, more: Record<string, string> = {}) =>
    world.withdraw(50, {
      zoneTxHash,
      mainTxHash: world.transact({ moves: [{ token, from: escrow, to: user(50), amount }] }),
      value: amount,
      valueRaw: `${amount}000000`,
      mainBlockHeight: String(world.fake.mainHead()),
      mainBlockTime: String(world.now()),
      ...more,
    })
  return { world, pay }
}

test('semantics.md 43: two payouts of far more than their one origin took are both told', async () => {
  const { world, pay } = await start()
  pay('200000')
  pay('199000', otherId)
  await world.until(() => world.told('transfer.mismatch').length === 2, 'both')
})

test.each([0, 2 * minute])(
  'semantics.md 43: what was told of one payout is not taken back for a second one of the same origin, %i ms later',
  async (afterMs) => {
    const { world, pay } = await start()
    pay('200000')
    await world.until(() => world.told('transfer.mismatch').length > 0, 'the first')
    await world.pass(afterMs)
    pay('3', otherId)
    await world.pass(10 * minute)
    expect(world.monitor.told().filter((text) => text.includes('orrection'))).toEqual([])
  },
)

describe('what a zone transaction credits for several deposits', () => {
  const words = (n: number, amount: string) =>
    JSON.stringify({ type: 'deposit', amount: `${amount}000000`, recipient: user(n), token })
  const credit = async (amount: string, count: number) => {
    const world = await createEscrowWorld({
      balances: { [escrow]: { [token]: 1_000_000_000_000n } },
      prepare(bare) {
        for (let n = 0; n < 30; n += 1)
          bare.deposit(n, { amount: String(100 + n), zone: { actionData: words(n, String(100 + n)) } })
      },
    })
    await world.pass(2 * minute)
    for (let n = 0; n < count; n += 1)
      world.deposit(50, { amount: '3', record: { zoneTxHash, id: `0x${String(n).padStart(64, 'a')}` } })
    const credited = { value: amount, valueRaw: `${amount}000000`, actionData: words(50, amount) }
    world.zone(zoneTxHash, { actionType: 'deposit', blockTime: String(world.now()), ...credited })
    return world
  }

  test('semantics.md 43: is told where it is more than came by all of them', async () => {
    const world = await credit('400000', 2)
    await world.until(() => world.told('transfer.mismatch').length === 2, 'both')
  })

  test('is not told where it is the sum, however many they are', async () => {
    const world = await credit('750', 250)
    await world.pass(10 * minute)
    expect(world.told('transfer.mismatch')).toEqual([])
  })
})

describe('one withdrawal of a zone transaction that does something else as well', () => {
  const item = (n: number, amount: string) => ({
    type: 'withdraw',
    amount: `${amount}000000`,
    destination: user(n),
    token,
  })
  /** It took 1,000 in all: 100 to pay out, and 900 that another account of the zone got, in other words. */
  const begin = async () => {
    const world = await createEscrowWorld({
      balances: { [escrow]: { [token]: 1_000_000_000_000n } },
      prepare(bare) {
        for (let n = 0; n < 30; n += 1) {
          const own = `0x${(0xabc000 + n).toString(16).padStart(64, '0')}`
          const value = String(100 + n)
          const actionData = JSON.stringify({ type: 'withdraw', actions: [item(n, value)] })
          bare.zone(own, { value, valueRaw: `${value}000000`, actionData })
          bare.withdraw(n, { zoneTxHash: own })
        }
      },
    })
    await world.pass(2 * minute)
    const blockTime = String(world.now())
    const actions = [item(50, '100'), { type: 'send', qty: '900000000', receiver: user(51) }]
    const actionData = JSON.stringify({ type: 'withdraw', actions })
    world.zone(zoneTxHash, { value: '1000', valueRaw: '1000000000', blockTime, actionData })
    const pay = (amount: string) =>
      world.withdraw(50, {
        ...otherId,
        zoneTxHash,
        mainTxHash: world.transact({ moves: [{ token, from: escrow, to: user(50), amount }] }),
        value: amount,
        valueRaw: `${amount}000000`,
        zoneBlockTime: blockTime,
        mainBlockHeight: String(world.fake.mainHead()),
        mainBlockTime: String(world.now()),
      })
    return { world, pay }
  }

  test('semantics.md 2: is told for each time that it is paid again', async () => {
    const { world, pay } = await begin()
    for (let n = 0; n < 3; n += 1) {
      pay('100')
      await world.pass(30 * second)
    }
    await world.until(() => world.told('transfer.duplicate').length === 2, 'both')
    expect(world.told('transfer.duplicate')).toMatchObject([
      { facts: { owed: '100', paid: '300' } },
      { facts: { owed: '100', paid: '300' } },
    ])
  })

  test('is not told where it is paid once', async () => {
    const { world, pay } = await begin()
    pay('100')
    await world.pass(10 * minute)
    expect(world.told()).toEqual([])
  })

  test('is not told as paid again where it is paid in two parts', async () => {
    const { world, pay } = await begin()
    pay('60')
    pay('40')
    await world.pass(10 * minute)
    expect(world.told('transfer.duplicate')).toEqual([])
  })
})
