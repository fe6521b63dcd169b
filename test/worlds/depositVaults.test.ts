import { expect, test } from 'vitest'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { bridge, createEscrowWorld } from '../support/escrowWorld.ts'

// semantics.md 43: a deposit brings its money to the bridge; where that is, the configuration says.

const rules = `
rules:
  - { name: mismatch, on: transfer.mismatch, severity: critical }
`
const router = `0x${'40'.repeat(20)}`
const escrows = [token, ''].map((one) => ({ address: escrow, token: one, baseline: null }))

async function start() {
  const world = await createEscrowWorld({ rules, bridge: { escrows } })
  await world.pass(60_000)
  return world
}

const paidTo = (to: string, amount: string) => ({ moves: [{ token, from: user(9), to, amount }] })

test('the first deposit that is paid to somebody else than the escrow is told at once', async () => {
  const world = await start()
  world.deposit(9, { amount: '700', main: paidTo(user(66), '700') })
  const startedAt = world.now()
  await world.until(() => world.told('transfer.mismatch').length === 1, 'the deposit')
  expect(world.now() - startedAt).toBeLessThan(60_000)
  expect(world.told('transfer.mismatch')[0]?.facts).toMatchObject({ what: 'recipient', found: user(66) })
})

test('one in native currency too', async () => {
  const world = await start()
  world.deposit(9, {
    amount: '7',
    token: '',
    decimals: 18,
    main: { value: '7', from: user(9), to: user(66) },
  })
  await world.until(() => world.told('transfer.mismatch').length === 1, 'the deposit')
})

test('one that a router passes on, or that goes by a contract of the bridge, is none to tell of', async () => {
  const world = await start()
  world.deposit(9, { amount: '7', token: '', decimals: 18 })
  world.deposit(10, {
    amount: '8',
    token: '',
    decimals: 18,
    main: { value: '8', from: user(10), to: bridge },
  })
  world.deposit(11, {
    amount: '700',
    main: {
      moves: [
        { token, from: user(11), to: router, amount: '700' },
        { token, from: router, to: escrow, amount: '700' },
      ],
    },
  })
  await world.pass(180_000)
  expect(world.told('transfer.mismatch')).toEqual([])
})
