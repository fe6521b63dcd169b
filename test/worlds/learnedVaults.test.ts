import { expect, test } from 'vitest'
import { type BridgeWorld, calmPoll, createBridgeWorld, escrow, token, user } from '../support/bridgeWorld.ts'

// Where deposits go is learned from deposits, that anybody can make: no movement beside one and no theft teaches it.

const second = 1_000
const thief = user(7)
const warning = 'warning transfer-mismatch-likely'
const critical = 'critical transfer-mismatch'

interface Way {
  readonly to?: string
  /** What moves beside the deposit, to others. */
  readonly beside?: Readonly<Record<string, string>>
}

function bring(
  world: Pick<BridgeWorld, 'withdraw' | 'main' | 'now'>,
  n: number,
  { to = escrow, beside = {} }: Way = {},
) {
  const now = String(world.now())
  const { mainTxHash = '', value = '' } = world.withdraw(n, {
    txType: 'MainToZone',
    crossType: 'Deposit',
    sourceAddress: user(n + 500),
    mainBlockTime: now,
    zoneBlockTime: now,
  })
  const from = user(n + 500)
  const others = Object.entries(beside).map(([to, amount]) => ({ token, from, to, amount }))
  world.main(mainTxHash, { moves: [{ token, from, to, amount: value }, ...others] })
}

/** A bridge that had these deposits, by the rules that are shipped. */
async function after(ways: readonly Way[], bridge: object = {}): Promise<BridgeWorld> {
  const world = await createBridgeWorld({
    config: { poll: calmPoll },
    bridge,
    prepare: (bare) => {
      for (const [n, way] of ways.entries()) bring(bare, n, way)
    },
  })
  await world.pass(120 * second)
  return world
}

const plain = (count: number): Way[] => Array.from({ length: count }, () => ({}))

const alerts = ({ monitor }: BridgeWorld) =>
  monitor.app.parts.db
    .prepare("SELECT rule, severity FROM alerts WHERE kind LIKE 'transfer.%' ORDER BY id")
    .all()
    .map(({ rule, severity }) => `${String(severity)} ${String(rule)}`)

const configured = { contracts: [escrow] }
const three = (beside: Way['beside']): Way[] => Array.from({ length: 3 }, () => ({ beside: beside ?? {} }))
const crumb = '0.000001'

test.each<[string, Way[], object]>([
  ['a crumb goes to a thief', three({ [thief]: crumb }), {}],
  ['the same and more goes to a thief', three({ [thief]: '900' }), {}],
  ['a crumb goes to a thief, while a contract is configured', three({ [thief]: crumb }), configured],
  [
    'a crumb goes to a thief, while an escrow is',
    three({ [thief]: crumb }),
    { escrows: [{ address: escrow, token }] },
  ],
  [
    'crumbs go to others',
    [{ beside: { [user(300)]: crumb } }, { beside: { [user(301)]: crumb } }],
    configured,
  ],
])('deposits beside which %s make no vault', async (_, ways, bridge) => {
  const world = await after([...ways, ...plain(22)], bridge)
  expect(alerts(world)).toEqual([])
  bring(world, 66, { to: thief })
  await world.pass(150 * second)
  expect(alerts(world)).toContain(critical)
})

test('every theft of a young bridge is told, of those that come together too', async () => {
  const world = await after(plain(6))
  for (const n of [61, 62, 63]) bring(world, n, { to: thief })
  await world.pass(90 * second)
  bring(world, 64, { to: thief })
  await world.pass(150 * second)
  expect(alerts(world)).toEqual([warning, warning, warning, warning])
})

test('and is critical at once where the configuration names a contract that is in use', async () => {
  const world = await after(plain(6), configured)
  for (const n of [61, 62, 63, 64]) {
    bring(world, n, { to: thief })
    await world.pass(60 * second)
  }
  await world.pass(90 * second)
  expect(alerts(world)).toEqual([critical, critical, critical, critical])
})

test('thefts that were warned of do not keep the next from being critical', async () => {
  const world = await after(plain(6))
  for (const n of [61, 62, 63]) bring(world, n, { to: thief })
  await world.pass(150 * second)
  for (let n = 100; n < 120; n += 1) bring(world, n)
  await world.pass(150 * second)
  bring(world, 64, { to: thief })
  await world.pass(150 * second)
  expect(alerts(world).at(-1)).toBe(critical)
})

test('a second vault is a warning for each of twenty depositors, and then a vault', async () => {
  const world = await after(plain(6))
  for (let n = 20; n < 66; n += 2) {
    bring(world, n, { to: user(8) })
    bring(world, n + 1)
    await world.pass(30 * second)
  }
  await world.pass(150 * second)
  const told = alerts(world)
  expect(told).toEqual(Array.from({ length: told.length }, () => warning))
  expect(told.length).toBeLessThanOrEqual(20)
})
