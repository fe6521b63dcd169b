import { expect, test } from 'vitest'
import { createMuteTimes } from '../../../src/lib/muteTimes.ts'
import { fc, timesOf } from '../../support/fastCheck.ts'
import { createBench, createCondition, createEvent, createRoute, createRule, start } from './harness.ts'
import { listSaid, restart, watch, zone } from './watch.ts'

const minute = 60_000
const day = 1_440
const failed = createRule()
const stalled = createRule({ name: 'stalled', kind: 'chain.stalled', severity: 'warning' })
const urgent = createRule({ name: 'urgent', kind: 'chain.stalled', severity: 'critical' })

/** Zones with a day on which their clock changes. */
const changes = fc.constantFrom(
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['America/Havana', '2026-03-08'],
  ['America/Havana', '2026-11-01'],
  ['Africa/Cairo', '2026-04-24'],
  ['Africa/Cairo', '2026-10-30'],
  ['America/Santiago', '2026-09-06'],
)
const wall = fc.integer({ min: 0, max: day })

test('F68: around a change of the clock each is told once, when it is quiet no more, and what is critical at once', () => {
  fc.assert(
    fc.property(
      fc.record({ change: changes, from: wall, to: wall, isActive: fc.boolean() }),
      fc.integer({ min: -2 * day, max: day }),
      ({ change: [timezone = 'UTC', date = ''], from, to, isActive }, offset) => {
        const times = [{ name: 'x', intervals: [{ timezone, weekdays: [0, 1, 2, 3, 4, 5, 6], from, to }] }]
        const quiet = isActive ? { active: times } : { mutes: times }
        const begin = Date.parse(`${date}T00:00:00Z`) + offset * minute
        const { engine, store } = createBench({ routes: [createRoute({ groupWaitMs: 0, ...quiet })] })
        const told = new Map<string, number[]>()
        const look = (at: number) => {
          for (const rule of [stalled, urgent])
            engine.applyCondition(rule, { findings: [createCondition('zone')], unknown: [] }, at)
          const next = engine.flush(at)
          for (const { id, alertId, what } of store.listOutbox({ state: 'queued', limit: 99 })) {
            const name = `${store.getAlert(alertId)?.rule} ${what}`
            told.set(name, [...(told.get(name) ?? []), at])
            store.dropItem(id, at)
          }
          return next
        }
        engine.tellEvents([{ rule: failed, finding: createEvent(1) }], begin)
        const end = begin + 2 * day * minute
        for (let at = begin; at < end; ) at = Math.max(Math.min(look(at) ?? end, end), at + minute)
        const { find } = createMuteTimes(quiet)
        let speaks = begin
        while (speaks < end && find(speaks) !== null) speaks += minute
        expect(told.get('urgent firing')).toEqual([begin])
        for (const name of ['failed event', 'stalled firing']) {
          const [first, ...again] = told.get(name) ?? []
          expect(again).toEqual([])
          if (speaks >= end) expect(first).toBeUndefined()
          else expect((first ?? 0) - speaks, name).toBeLessThan(minute + 5_001)
          expect(first ?? begin, name).toBeGreaterThanOrEqual(speaks >= end ? begin : speaks)
        }
      },
    ),
    { numRuns: timesOf(8) },
  )
})

test('an end that a mute time holds waits for it after a start with a route more before its own', async () => {
  const at = Math.floor((start % (day * minute)) / minute)
  const times = { timezone: 'UTC', weekdays: [0, 1, 2, 3, 4, 5, 6], from: at + 5, to: at + 60 }
  const quiet = { groupWaitMs: 0, mutes: [{ name: 'evening', intervals: [times] }] }
  const before = watch({ routes: [createRoute({ id: 'routes[0]', ...quiet })] })
  await before.judge(stalled, [zone], 7)
  await before.judge(stalled, [], 10)
  const routes = [
    createRoute({ id: 'routes[0]', matches: () => false }),
    createRoute({ id: 'routes[1]', ...quiet }),
  ]
  const world = await restart(before, { routes })
  await world.judge(stalled, [], 30)
  expect(listSaid(world.ops)).toEqual(['firing warning'])
  await world.judge(stalled, [], 20)
  expect(listSaid(world.ops)).toEqual(['firing warning', 'resolved warning'])
  await world.stop()
})
