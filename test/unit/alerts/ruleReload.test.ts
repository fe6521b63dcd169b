import { expect, test } from 'vitest'
import { hourly, listSaid, stalled, watch, zone } from './watch.ts'

const minute = 60_000

test('a `for` raised above the age of what was told ends nothing and reminds of nothing until it is reached', async () => {
  const world = watch()
  await world.judge(stalled, [zone])
  const slower = { ...stalled, forMs: 120 * minute }
  await world.judge(slower, [zone], 90)
  world.store.touchQuietGroups(world.clock.now())
  await world.judge(slower, [zone], 28)
  expect(listSaid(world.ops)).toEqual(['firing critical'])
  await world.judge(slower, [zone], 10)
  expect(listSaid(world.ops)).toEqual(['firing critical', 'repeat critical'])
  await world.judge(slower, [])
  expect(listSaid(world.ops)).toEqual(['firing critical', 'repeat critical', 'resolved critical'])
  await world.stop()
})

test('what was told and is over before a raised `for` is reached ends', async () => {
  const world = watch()
  await world.judge(stalled, [zone])
  const slower = { ...stalled, forMs: 120 * minute }
  await world.judge(slower, [zone], 2)
  await world.judge(slower, [])
  expect(listSaid(world.ops)).toEqual(['firing critical', 'resolved critical'])
  await world.stop()
})

test('what a raised `for` made pending before it was told is told when that is reached', async () => {
  const world = watch({ routes: [{ ...hourly, groupWaitMs: 10 * minute }] })
  await world.judge(stalled, [zone])
  const slower = { ...stalled, forMs: 60 * minute }
  await world.judge(slower, [zone], 59)
  expect(listSaid(world.ops)).toEqual([])
  await world.judge(slower, [zone], 11)
  expect(listSaid(world.ops)).toEqual(['firing critical'])
  await world.stop()
})
