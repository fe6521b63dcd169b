import { expect, test } from 'vitest'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld } from '../support/escrowWorld.ts'

const second = 1_000
const minute = 60 * second

// The zone counts the token with 18 decimals, the main chain and the records with 6.
test.each([
  ['the same units', '000000'],
  ['finer units', '000000000000000000'],
])(
  'semantics.md 2, 43: a second payout of one origin is told where the zone counts in %s',
  async (_, zeros) => {
    const world = await createEscrowWorld({
      balances: { [escrow]: { [token]: 1_000_000_000_000n } },
      prepare(bare) {
        for (let n = 0; n < 4; n += 1) {
          const zoneTxHash = `0x${(0xabc0 + n).toString(16).padStart(64, '0')}`
          bare.zone(zoneTxHash, { value: String(100 + n), valueRaw: `${100 + n}${zeros}` })
          bare.withdraw(n, { zoneTxHash })
        }
      },
    })
    await world.pass(2 * minute)
    const pay = (n: number, zoneTxHash: string, more: Record<string, string>) => {
      const hash = world.transact({ moves: [{ token, from: escrow, to: user(n), amount: '50000' }] })
      return world.withdraw(n, {
        zoneTxHash,
        mainTxHash: hash,
        value: '50000',
        valueRaw: '50000000000',
        mainBlockHeight: String(world.fake.mainHead()),
        mainBlockTime: String(world.now()),
        ...more,
      })
    }
    const zoneTxHash = `0x${'77'.repeat(32)}`
    world.zone(zoneTxHash, { value: '50000', valueRaw: `50000${zeros}`, blockTime: String(world.now()) })
    const first = pay(50, zoneTxHash, { id: `0x${'1d'.repeat(32)}` })
    await world.pass(3 * minute)
    pay(50, zoneTxHash, { id: first['id'] ?? '' })
    await world.pass(10 * minute)
    expect(world.told('transfer.duplicate').length).toBeGreaterThan(0)
  },
)
