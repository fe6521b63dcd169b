import { expect, test } from 'vitest'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld } from '../support/escrowWorld.ts'
import { send } from '../support/fakeExplorer.ts'

// The list of a block's transactions (E7) says what a transaction itself carried in native currency. While it does not
// answer, the lists of those who would have been paid say that nothing of it was theirs.

const second = 1_000
const minute = 60 * second
const stranger = `0x${'bad0'.repeat(10)}`
const relayer = `0x${'4e'.repeat(20)}`

const answers = {
  error: { status: 500, body: { code: '50026', msg: 'system error', data: [] } },
  empty: { status: 200, body: { code: '0', msg: '', data: [] } },
}

async function createDeadWorld(how: keyof typeof answers) {
  const world = await createEscrowWorld({
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    // The escrow of native currency is not watched: evidence alone judges it.
    bridge: { escrows: [{ address: escrow, token, baseline: null }] },
    prepare(bare) {
      for (let n = 0; n < 6; n += 1) bare.deposit(n, { amount: '3', token: '', decimals: 18 })
      const before = bare.fake.intercept
      bare.fake.intercept = (request, response) => {
        if (!request.path.endsWith('/block/transaction-list-multi')) return before(request, response)
        send(response, answers[how].status, answers[how].body)
        return true
      }
    },
  })
  await world.pass(2 * minute)
  type Money = Omit<Parameters<typeof world.main>[1], 'height' | 'time'>
  const pay = (n: number, money: (to: string) => Money) => {
    const now = { mainBlockHeight: String(world.fake.mainHead()), mainBlockTime: String(world.now()) }
    const record = world.withdraw(n, {
      value: '2',
      valueRaw: `2${'0'.repeat(18)}`,
      tokenContractAddress: '',
      tokenType: '',
      ...now,
    })
    const place = { height: world.fake.mainHead(), time: world.now() }
    world.main(record['mainTxHash'] ?? '', { ...place, ...money(record['targetAddress'] ?? '') })
  }
  const accusations = () => [...world.told('transfer.unbacked'), ...world.told('transfer.mismatch')]
  return { ...world, pay, accusations }
}

const bothWays = ['error', 'empty'] as const

test.each(bothWays)(
  'a native payout that went to somebody else is told while E7 does not answer (%s)',
  async (how) => {
    const world = await createDeadWorld(how)
    const paidAt = world.now()
    world.pay(80, () => ({ calls: [{ from: escrow, to: stranger, amount: '2' }] }))
    await world.until(() => world.accusations().length > 0, 'the theft')
    expect(world.now() - paidAt).toBeLessThan(2 * minute)
  },
  60_000,
)

test.each(bothWays)(
  'a native deposit that went to somebody else is told while E7 does not answer (%s)',
  async (how) => {
    const world = await createDeadWorld(how)
    const paidAt = world.now()
    const main = { calls: [{ from: user(80), to: stranger, amount: '2' }] }
    world.deposit(80, { amount: '2', token: '', decimals: 18, main })
    await world.until(() => world.accusations().length > 0, 'the theft')
    expect(world.now() - paidAt).toBeLessThan(2 * minute)
  },
  60_000,
)

test.each(bothWays)(
  'honest native transfers of every form are silent while E7 does not answer (%s)',
  async (how) => {
    const world = await createDeadWorld(how)
    const elsewhere = { from: relayer, to: stranger, amount: '0.1' }
    for (let n = 0; n < 12; n += 1) {
      if (n % 4 === 0) world.pay(100 + n, (to) => ({ calls: [{ from: escrow, to, amount: '2' }] }))
      // By the relayer's own transaction, beside calls of something else.
      else if (n % 4 === 1)
        world.pay(100 + n, (to) => ({ from: relayer, to, value: '2', calls: [elsewhere] }))
      else if (n % 4 === 2) world.deposit(100 + n, { amount: '2', token: '', decimals: 18 })
      else {
        const main = { from: user(100 + n), to: escrow, value: '2', calls: [elsewhere] }
        world.deposit(100 + n, { amount: '2', token: '', decimals: 18, main })
      }
      await world.pass(30 * second)
    }
    await world.pass(6 * minute)
    expect(world.accusations()).toEqual([])
  },
  60_000,
)
