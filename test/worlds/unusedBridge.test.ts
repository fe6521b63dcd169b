import { expect, test } from 'vitest'
import { escrow, token } from '../support/bridgeWorld.ts'
import { createEscrowWorld } from '../support/escrowWorld.ts'

// A bridge whose escrow was filled before anybody crossed it: no record names a block of the main chain.

const minute = 60_000
const funder = `0x${'f0'.repeat(20)}`
const stranger = `0x${'bad0'.repeat(10)}`

test('what leaves an escrow is told before the first record of the bridge', async () => {
  const world = await createEscrowWorld({
    prepare({ transact }) {
      transact({ moves: [{ token, from: funder, to: escrow, amount: '1000' }] })
    },
  })
  await world.pass(2 * minute)
  expect(world.conditions()).toEqual([])
  world.transact({ moves: [{ token, from: escrow, to: stranger, amount: '900' }] })
  const drifts = () => world.conditions().filter(({ kind }) => kind === 'escrow.drift')
  await world.until(() => drifts().some(({ state }) => state === 'firing'), 'the theft')
})
