import { expect, test } from 'vitest'
import { createEscrowWorld } from '../support/escrowWorld.ts'

test('a bridge on which nothing happens is written to the disk hardly more than once a second', async () => {
  const world = await createEscrowWorld({
    balances: {},
    bridge: { operators: [{ address: `0x${'09'.repeat(20)}`, minBalance: null }] },
    prepare(bare) {
      for (let n = 0; n < 3; n += 1) bare.deposit(n, { amount: '100' })
    },
  })
  await world.pass(300_000)
  let saves = 0
  world.monitor.app.parts.timings.observers.add({ rule: () => undefined, commit: () => (saves += 1) })
  await world.pass(120_000)
  expect(saves).toBeLessThan(150)
})
