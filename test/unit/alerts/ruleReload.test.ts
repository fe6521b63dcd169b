import { expect, test } from 'vitest'
import type { LoadedRule } from '../../../src/rules/types.ts'
import { type BenchOptions, createBench, createCondition, createRoute, createRule } from './harness.ts'

const minute = 60_000
const zone = createCondition('zone')
const stalled = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'critical' })
const byRule = { groupBy: ['rule'], groupWaitMs: 0, repeatMs: 60 * minute }

/** Rules are judged once a minute, by a monitor that sends. */
function watch(options: BenchOptions = {}) {
  const bench = createBench({ routes: [createRoute(byRule)], ...options })
  const dispatcher = bench.startSending()
  const flush = async () => {
    bench.engine.flush(bench.clock.now())
    dispatcher.wake()
    await bench.clock.advance(minute)
  }
  return {
    ...bench,
    flush,
    async judge(rule: LoadedRule, of: { isTrue?: boolean; minutes?: number } = {}) {
      const { isTrue = true, minutes = 1 } = of
      for (let at = 0; at < minutes; at += 1) {
        const findings = isTrue ? [zone] : []
        bench.engine.applyCondition(rule, { findings, unknown: [] }, bench.clock.now())
        await flush()
      }
    },
    said: () => bench.ops.sent.flatMap(({ items }) => items.map(({ status }) => status)),
    stop: () => dispatcher.stop(),
  }
}

test('a `for` raised above the age of what was told ends nothing and reminds of nothing until it is reached', async () => {
  const world = watch()
  await world.judge(stalled)
  const slower = { ...stalled, forMs: 120 * minute }
  await world.judge(slower, { minutes: 90 })
  world.store.touchQuietGroups(world.clock.now())
  await world.judge(slower, { minutes: 28 })
  expect(world.said()).toEqual(['firing'])
  await world.judge(slower, { minutes: 10 })
  expect(world.said()).toEqual(['firing', 'repeat'])
  await world.judge(slower, { isTrue: false })
  expect(world.said()).toEqual(['firing', 'repeat', 'resolved'])
  await world.stop()
})

test('what was told and is over before a raised `for` is reached ends', async () => {
  const world = watch()
  await world.judge(stalled)
  const slower = { ...stalled, forMs: 120 * minute }
  await world.judge(slower, { minutes: 2 })
  await world.judge(slower, { isTrue: false })
  expect(world.said()).toEqual(['firing', 'resolved'])
  await world.stop()
})

test('what a raised `for` made pending before it was told is told when that is reached', async () => {
  const world = watch({ routes: [createRoute({ ...byRule, groupWaitMs: 10 * minute })] })
  await world.judge(stalled)
  const slower = { ...stalled, forMs: 60 * minute }
  await world.judge(slower, { minutes: 59 })
  expect(world.said()).toEqual([])
  await world.judge(slower, { minutes: 11 })
  expect(world.said()).toEqual(['firing'])
  await world.stop()
})
