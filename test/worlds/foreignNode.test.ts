import { expect, test } from 'vitest'
import { escrow, token } from '../support/bridgeWorld.ts'
import { createEscrowWorld } from '../support/escrowWorld.ts'
import { send } from '../support/fakeExplorer.ts'

const minute = 60_000

/** An escrow by a node, whose blocks bear the mark 0, beside an explorer whose blocks bear this one. */
async function createWorld(mark: string) {
  const held = { [token]: 1_000_000_000n }
  const world = await createEscrowWorld({
    balances: { [escrow]: held },
    prepare(bare) {
      for (let n = 0; n < 6; n += 1) bare.deposit(n, { amount: '250' })
      const before = bare.fake.intercept
      bare.fake.intercept = (request, response) => {
        const height = Number(request.query.get('height'))
        if (!request.path.endsWith('/block-fills') || height > bare.fake.mainHead())
          return before(request, response)
        const hash = `0x${mark}${height.toString(16).padStart(63, '0')}`
        const row = { hash, height: String(height), blockTime: String(bare.now()) }
        send(response, 200, { code: '0', msg: '', data: [row] })
        return true
      }
    },
  })
  const open = () =>
    world
      .conditions()
      .filter(({ kind, state }) => state === 'firing' && !kind.startsWith('flow.'))
      .map(({ kind, severity }) => `${kind} ${severity}`)
  return { ...world, held, open }
}

test('a node of another chain is told as such, and what it says that the escrow holds is no loss', async () => {
  const world = await createWorld('1')
  await world.pass(4 * minute)
  world.held[token] = 0n
  await world.pass(15 * minute)
  expect(world.open()).toEqual(['source.differs critical'])
})

test('a balance that falls as much by a node of the same chain is a loss', async () => {
  const world = await createWorld('0')
  await world.pass(4 * minute)
  expect(world.open()).toEqual([])
  world.held[token] = 0n
  await world.pass(15 * minute)
  expect(world.open()).toContain('escrow.shortfall critical')
})
