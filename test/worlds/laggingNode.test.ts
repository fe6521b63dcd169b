import { expect, test } from 'vitest'
import { escrow, token } from '../support/bridgeWorld.ts'
import { createEscrowWorld, listLosses } from '../support/escrowWorld.ts'

// A node that is minutes behind the explorer shows what an escrow held then, which is held against what was owed then.

const second = 1_000
const minute = 60 * second
const stranger = `0x${'bad0'.repeat(10)}`

async function start() {
  const seen = { behind: 0 }
  const world = await createEscrowWorld({
    pace: { maxRequestsPerSecond: 4, concurrency: 8 },
    balances: { [escrow]: { [token]: 1_000_000_000n } },
    nodeBehind: () => seen.behind,
    prepare(bare) {
      for (let n = 0; n < 6; n += 1) bare.deposit(n, { amount: '250' })
    },
  })
  await world.pass(2 * minute)
  const losses = () => listLosses(world)
  return { ...world, seen, losses }
}

test('deposits are no shortfall while the node is three minutes behind', async () => {
  const world = await start()
  world.seen.behind = 180
  for (let n = 0; n < 24; n += 1) {
    world.deposit(100 + n, { amount: '50' })
    await world.pass(10 * second)
    expect(world.losses()).toEqual([])
  }
}, 60_000)

test('what left is told while the node is three minutes behind, and what is missing once it has come so far', async () => {
  const world = await start()
  world.seen.behind = 180
  await world.pass(minute)
  const at = world.now()
  world.transact({ moves: [{ token, from: escrow, to: stranger, amount: '300' }] })
  await world.until(() => world.losses().includes('escrow.drift 300'), 'what left')
  expect(world.now() - at).toBeLessThan(3 * minute)
  await world.until(() => world.losses().includes('escrow.shortfall 300'), 'what is missing')
  expect(world.now() - at).toBeLessThan(7 * minute)
}, 60_000)
