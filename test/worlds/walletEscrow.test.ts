import { expect, test } from 'vitest'
import { readEscrowToken } from '../../src/checks/escrow/owed/owedStore.ts'
import { escrow, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld, type EscrowWorld, listLosses } from '../support/escrowWorld.ts'

// An escrow that is a hot wallet: it pays withdrawals of native currency by transactions of its own, and their gas.

const second = 1_000
const minute = 60 * second
const unit = 10n ** 18n

/** It holds 1,000 units when it is first read. */
async function watch(fee: string) {
  const held = { [escrow]: { '': 1_000n * unit } }
  const world = await createEscrowWorld({
    balances: held,
    bridge: {
      contracts: [],
      escrows: [{ address: escrow, token: '', baseline: null }],
      tokens: [{ address: '', symbol: 'NAT', decimals: 18 }],
    },
    prepare(bare) {
      for (let n = 0; n < 6; n += 1) {
        const place = { height: bare.fake.mainHead() - 100 + n, time: bare.now() - 100_000 + n * second }
        const main = { ...place, value: '5', from: user(n), to: escrow }
        bare.deposit(n, { amount: '5', token: '', decimals: 18, main })
      }
    },
  })
  const pay = (n: number, cost = fee) => {
    const hash = world.transact({ from: escrow, to: user(n), value: '2', fee: cost })
    world.withdraw(n, {
      mainTxHash: hash,
      mainBlockHeight: String(world.fake.mainHead()),
      mainBlockTime: String(world.now()),
      tokenContractAddress: '',
      tokenType: '',
      value: '2',
      valueRaw: String(2n * unit),
    })
  }
  await world.pass(3 * minute)
  return { ...world, pay }
}

const gasOf = ({ monitor }: Pick<EscrowWorld, 'monitor'>) =>
  readEscrowToken(monitor.app.parts.db, '')?.accounts?.gas

test('the gas of its payouts, and of one that failed, is no loss and has an account', async () => {
  const world = await watch('0.0004')
  for (let n = 0; n < 8; n += 1) {
    world.pay(100 + n)
    await world.pass(minute)
  }
  world.transact({ from: escrow, to: user(300), value: '2', fee: '0.0003', isFailed: true })
  await world.pass(8 * minute)
  expect(listLosses(world)).toEqual([])
  expect(gasOf(world)).toBe(-(8n * 4n + 3n) * 10n ** 14n)
}, 240_000)

test.each([
  ['in one transaction, far above what others cost', ['7'], ['escrow.drift 7', 'escrow.shortfall 7']],
  [
    'in many that each cost little, once a day of them is more than one in a hundred',
    Array.from({ length: 24 }, () => '0.5'),
    null,
  ],
] as const)(
  'what is taken as gas %s is told',
  async (_, costs, said) => {
    const world = await watch(costs.length > 1 ? '0.1' : '0.0004')
    for (let n = 0; n < 6; n += 1) {
      world.pay(100 + n)
      await world.pass(20 * second)
    }
    await world.pass(2 * minute)
    expect(listLosses(world)).toEqual([])
    for (const fee of costs) {
      world.transact({ from: escrow, to: user(300), value: '0', fee })
      await world.pass(10 * second)
    }
    await world.pass(6 * minute)
    const losses = listLosses(world)
    if (said) expect(losses.toSorted()).toEqual(said)
    else expect(losses).toContain('escrow.drift 0.5')
  },
  240_000,
)
