import { expect, test } from 'vitest'
import { escrow, otherToken, token } from '../support/bridgeWorld.ts'
import { createEscrowWorld, type EscrowWorld } from '../support/escrowWorld.ts'

// Two tokens are held: what is held of the one is compared all the time, and nobody can say it of the other.

const minute = 60_000
const unit = 10n ** 6n

const watch = () =>
  createEscrowWorld({
    balances: { [escrow]: { [token]: 1_000n * unit, [otherToken]: 1_000n * unit } },
    bridge: {
      escrows: [
        { address: escrow, token, baseline: null },
        { address: escrow, token: otherToken, baseline: null },
      ],
    },
    prepare(bare) {
      for (let n = 1; n <= 6; n += 1) bare.withdraw(n)
    },
  })

const blind = (world: EscrowWorld) =>
  world
    .conditions()
    .flatMap(({ kind, state, facts }) =>
      kind === 'monitor.no_data' && state === 'firing' ? String(facts['about']).split(' ')[0] : [],
    )

test('what can be compared is told of nowhere, for hours', async () => {
  const world = await watch()
  for (let n = 0; n < 15; n += 1) await world.pass(10 * minute)
  expect(blind(world)).toEqual([])
}, 600_000)

test('a token of which one withdrawal does not say how much it is, is told after an hour, and no other', async () => {
  const world = await watch()
  await world.pass(10 * minute)
  world.withdraw(40, {
    tokenContractAddress: otherToken,
    value: '',
    valueRaw: '',
    mainBlockHeight: String(world.fake.mainHead()),
    mainBlockTime: String(world.now()),
  })
  for (let n = 0; n < 5; n += 1) await world.pass(10 * minute)
  expect(blind(world)).toEqual([])
  for (let n = 0; n < 3; n += 1) await world.pass(10 * minute)
  expect(blind(world)).toHaveLength(1)
}, 600_000)
