import { expect, test } from 'vitest'
import { createEvent, createRule } from './harness.ts'
import { hourly, listSaid, watch } from './watch.ts'

const stuck = createRule({ name: 'stuck', kind: 'transfer.stalled', severity: 'critical' })
const of = (n: number) => ({
  ...createEvent(n, { state: 'pending', amount: null, amountRaw: null }),
  kind: 'transfer.stalled',
})
const once = { ...stuck, forMs: 5 * 60_000 }

/** The alert of the second transfer goes on as that of the first. */
const rename = (world: ReturnType<typeof watch>) => world.engine.renameSubject('t2', 't1', world.clock.now())

test('what fires and was told goes on as the alert of the older transfer, though that was over', async () => {
  const world = watch()
  await world.judge(stuck, [of(1)])
  world.store.ackAlert(1, 'ana', world.clock.now())
  await world.judge(stuck, [], 10)
  await world.judge(stuck, [of(2)])
  rename(world)
  await world.judge(stuck, [of(1)], 62)
  const before = ['firing critical', 'resolved critical', 'firing critical']
  expect(listSaid(world.ops)).toEqual([...before, 'repeat critical'])
  await world.judge(stuck, [])
  expect(listSaid(world.ops)).toEqual([...before, 'repeat critical', 'resolved critical'])
  await world.stop()
})

test('what fires and was told goes on as the alert of the older transfer, though that is pending', async () => {
  const world = watch()
  await world.judge(once, [of(2)], 8)
  await world.judge(once, [of(1), of(2)])
  rename(world)
  await world.judge(once, [of(1)])
  expect(listSaid(world.ops)).toEqual(['firing critical'])
  await world.judge(once, [])
  expect(listSaid(world.ops)).toEqual(['firing critical', 'resolved critical'])
  await world.stop()
})

const slow = { ...once, severity: 'warning' as const }

/** The second transfer's was told, is pending again, and goes on as that of the first, which is pending. */
async function renamePending() {
  const world = watch({ routes: [{ ...hourly, groupIntervalMs: 10 * 60_000 }] })
  await world.judge(slow, [of(2)], 7)
  await world.judge(slow, [of(1)])
  await world.judge(slow, [of(1), of(2)])
  rename(world)
  return world
}

test('what was told and is pending again goes on where the alert of the older transfer fires before its end was sent', async () => {
  const world = await renamePending()
  await world.judge(slow, [of(1)], 20)
  expect(listSaid(world.ops)).toEqual(['firing warning'])
  await world.judge(slow, [], 20)
  expect(listSaid(world.ops)).toEqual(['firing warning', 'resolved warning'])
  await world.stop()
})

test('what was told and is pending again ends with the alert of the older transfer that is forgotten', async () => {
  const world = await renamePending()
  await world.judge(slow, [], 20)
  expect(listSaid(world.ops)).toEqual(['firing warning', 'resolved warning'])
  await world.stop()
})

test('an end that waits to be sent is sent', async () => {
  const world = watch()
  await world.judge(stuck, [of(1)])
  await world.judge(stuck, [of(1), of(2)])
  world.ops.answers = [{ result: 'transient', reason: '503' }, { result: 'ack' }]
  world.engine.applyCondition(stuck, { findings: [of(1)], unknown: [] }, world.clock.now())
  world.engine.flush(world.clock.now())
  rename(world)
  await world.judge(stuck, [of(1)], 5)
  expect(listSaid(world.ops).slice(2)).toEqual(['resolved critical', 'resolved critical'])
  await world.stop()
})
