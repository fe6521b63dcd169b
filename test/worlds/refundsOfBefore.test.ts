import { expect, test } from 'vitest'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld, listLosses } from '../support/escrowWorld.ts'

// What the zone refused before the start is held when counting begins, and given back later: nothing is missing by that.

const second = 1_000
const minute = 60 * second
const stranger = `0x${'bad0'.repeat(10)}`

test('a deposit that failed before the start and is given back after it is no shortfall; what is taken is', async () => {
  const world = await createEscrowWorld({
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    balances: { [escrow]: { [token]: 1_000_000_000n } },
    prepare(bare) {
      for (let n = 0; n < 6; n += 1) bare.deposit(n, { amount: '250' })
      bare.deposit(80, {
        amount: '90',
        record: { status: '0x0' },
        zone: { status: '0x0', value: '', valueRaw: '' },
      })
    },
  })
  await world.pass(2 * minute)
  const losses = () => listLosses(world)
  world.transact({ moves: [{ token, from: escrow, to: user(80), amount: '90' }] })
  for (let n = 0; n < 12; n += 1) {
    world.deposit(100 + n, { amount: '50' })
    await world.pass(20 * second)
  }
  expect(losses()).toEqual([])
  world.transact({ moves: [{ token, from: escrow, to: stranger, amount: '70' }] })
  await world.until(() => losses().includes('escrow.shortfall 70'), 'what is missing')
}, 60_000)
