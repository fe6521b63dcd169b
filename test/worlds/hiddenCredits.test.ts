import { expect, test } from 'vitest'
import { escrow, token, user } from '../support/bridgeWorld.ts'
import { createEscrowWorld } from '../support/escrowWorld.ts'

// semantics.md 43, item by item: the zone credits no more than came.

const minute = 60_000
const zoneTxHash = `0x${'79'.repeat(32)}`
const credit = (n: number, amount: number, more: object = {}) => ({
  kind: 'mint',
  quantity: `${amount}000000`,
  account: user(n),
  ...more,
})

/** A zone whose credits match their deposits, and then one that credits all of these, while some came. */
async function start(
  credits: readonly object[],
  came: readonly [n: number, amount: number][],
  total?: number,
) {
  const world = await createEscrowWorld({
    balances: { [escrow]: { [token]: 1_000_000_000_000n } },
    prepare(bare) {
      for (let n = 0; n < 30; n += 1) {
        const actionData = JSON.stringify({ type: 'credit', credits: [credit(n, 100 + n)] })
        bare.deposit(n, { amount: String(100 + n), zone: { actionType: 'credit', actionData } })
      }
    },
  })
  await world.pass(3 * minute)
  for (const [n, amount] of came)
    world.deposit(n, {
      amount: String(amount),
      record: { zoneTxHash, id: `0x${String(n).padStart(64, 'a')}` },
    })
  world.zone(zoneTxHash, {
    actionType: 'credit',
    blockTime: String(world.now()),
    actionData: JSON.stringify({ type: 'credit', credits }),
    ...(total !== undefined && { value: String(total), valueRaw: `${total}000000` }),
  })
  return world
}

test.each([
  ['names the sum', 400_050],
  ['names the one that came', 50],
  ['names no amount', undefined],
])(
  'a credit beside that of a deposit, for which nothing came, is told where the zone %s',
  async (_, total) => {
    const world = await start([credit(50, 50), credit(51, 400_000)], [[50, 50]], total)
    await world.until(() => world.told('transfer.mismatch').length > 0, 'the credit')
    expect(world.told('transfer.mismatch')).toMatchObject([
      { facts: { what: 'amount', leg: 'zone', found: '400050', expected: '50' } },
    ])
  },
)

test('credits of deposits that all came are not told', async () => {
  const world = await start(
    [credit(50, 50), credit(51, 400_000)],
    [
      [50, 50],
      [51, 400_000],
    ],
    400_050,
  )
  await world.pass(20 * minute)
  expect(world.told('transfer.mismatch')).toEqual([])
})
