import { expect, test } from 'vitest'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld } from '../support/escrowWorld.ts'

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
