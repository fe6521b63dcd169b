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
