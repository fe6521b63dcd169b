import { expect, test } from 'vitest'
import { type BridgeWorld, calmPoll, createBridgeWorld } from '../support/bridgeWorld.ts'

// Fields of records hold words. One that none had before while many had others is news of the bridge itself.

const minute = 60_000
const hour = 60 * minute

/** A bridge with this many withdrawals behind it, one of them of a kind that was given up. */
async function start(count: number): Promise<BridgeWorld> {
  const world = await createBridgeWorld({
    config: { poll: calmPoll },
    prepare({ withdraw, now }) {
      const at = now() - 3 * hour
      const past = { zoneBlockTime: String(at), mainBlockTime: String(at + 9_000) }
      withdraw(500, { ...past, crossType: 'OldWithdraw' })
      for (let n = 1; n < count; n += 1) withdraw(n)
    },
  })
  await world.pass(2 * minute)
  return world
}

/** Every alert, with its severity. */
const alerts = (world: BridgeWorld) =>
  world.monitor.app.parts.db
    .prepare('SELECT severity, kind FROM alerts ORDER BY id')
    .all()
    .map(({ severity, kind }) => `${String(severity)} ${String(kind)}`)

test('semantics.md 50: a crossType that none had is told once, as a warning, while 200 records had others', async () => {
  const world = await start(200)
  // Documented, and known from before the start.
  world.withdraw(300, { crossType: 'Deposit' })
  world.withdraw(301, { crossType: 'OldWithdraw' })
  await world.pass(2 * minute)
  expect(alerts(world)).toEqual([])
  for (let n = 302; n < 305; n += 1) world.withdraw(n, { crossType: 'ForcedWithdraw' })
  await world.until(() => alerts(world).length > 0, 'the word')
  await world.pass(3 * minute)
  expect(alerts(world)).toEqual(['warning source.new_word'])
  expect(world.told()[0]?.facts).toMatchObject({ field: 'crossType', word: 'ForcedWithdraw', others: 202 })
})

test('semantics.md 50: one that none had is not told while fewer records had others, nor is an unknown status', async () => {
  const world = await start(199)
  world.withdraw(300, { crossType: 'ForcedWithdraw' })
  await world.pass(2 * minute)
  expect(alerts(world)).toEqual([])
  // That one is drift, and drift alone.
  world.withdraw(301, { status: 'FAILED' })
  await world.until(() => alerts(world).length > 0, 'the drift')
  await world.pass(2 * minute)
  expect(new Set(alerts(world))).toEqual(new Set(['warning source.drift']))
})
