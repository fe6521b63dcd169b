import { describe, expect, test } from 'vitest'
import { keptFinding } from '../../../src/alerts/findingJson.ts'
import { createBench, createCondition, createRoute, createRule, start } from './harness.ts'

const minute = 60_000

async function run(kind: string, facts: Readonly<Record<string, string | number>> = {}) {
  const bench = createBench({ routes: [createRoute({ repeatMs: minute })] })
  const dispatcher = bench.startSending()
  const rule = createRule({ name: 'one', kind, keepFiringForMs: 5 * minute })
  return {
    ...bench,
    dispatcher,
    look: async (afterMs: number, readMsAgo: number | null) => {
      await bench.clock.advance(afterMs)
      const now = bench.clock.now()
      const found =
        readMsAgo === null
          ? []
          : [createCondition('one', { kind, facts, labels: {}, since: now - readMsAgo })]
      bench.engine.applyCondition(rule, { findings: found, unknown: [] }, now)
      bench.engine.flush(now)
      dispatcher.wake()
      await bench.clock.advance(0)
    },
    jump: (byMs: number) => {
      bench.clock.step(byMs)
      bench.engine.rebaseClock(byMs, bench.clock.now())
    },
    since: () => {
      const [row] = bench.store.listAlerts({ limit: 1 })
      return row && keptFinding(row).since
    },
    said: () => bench.ops.sent.flatMap(({ items }) => items.map(({ since }) => since)),
  }
}

describe('what is dated by the newest reading began with the first one of its episode', () => {
  test.each<[kind: string, facts?: Readonly<Record<string, number>>]>([
    ['supply.excess'],
    ['escrow.shortfall'],
    ['escrow.headroom'],
    ['limit.used'],
    ['operator.low_balance'],
    ['source.suspicious'],
    ['source.rejected'],
    ['source.differs'],
    ['flow.surge'],
    ['flow.imbalance'],
    ['flow.failing'],
    ['flow.quiet', { count: 3 }],
    ['monitor.poll_overdue', { crashes: 3 }],
    ['monitor.rule_overflow'],
    ['monitor.message_dead'],
  ])('%s', async (kind, facts) => {
    const { look, since, said, dispatcher } = await run(kind, facts)
    await look(0, 90_000)
    for (let n = 0; n < 7; n += 1) await look(minute, 30_000)
    expect(since()).toBe(start - 90_000)
    expect(new Set(said())).toEqual(new Set([start - 90_000]))
    await dispatcher.stop()
  })
})

test.each([
  ['chain.stalled', {}],
  ['probe.missed', {}],
  ['flow.quiet', { count: 0 }],
  ['monitor.poll_overdue', { crashes: 0 }],
])('%s with %j knows its own beginning, and may find a later one', async (kind, facts) => {
  const { look, since, dispatcher } = await run(kind, facts)
  await look(0, 90_000)
  await look(minute, 30_000)
  expect(since()).toBe(start + minute - 30_000)
  await dispatcher.stop()
})

test('the beginning is kept while it is kept firing, and over a gap in that', async () => {
  const { look, since, dispatcher } = await run('supply.excess')
  await look(0, 90_000)
  await look(minute, null)
  await look(minute, 30_000)
  expect(since()).toBe(start - 90_000)
  await dispatcher.stop()
})

test('an episode after the end begins with its own reading', async () => {
  const { look, since, dispatcher } = await run('supply.excess')
  await look(0, 90_000)
  await look(minute, null)
  await look(5 * minute, null)
  await look(minute, 30_000)
  expect(since()).toBe(start + 7 * minute - 30_000)
  await dispatcher.stop()
})

test('an earlier reading than the first one is where it began', async () => {
  const { look, since, dispatcher } = await run('supply.excess')
  await look(0, 30_000)
  await look(minute, 10 * minute)
  expect(since()).toBe(start - 9 * minute)
  await dispatcher.stop()
})

test('a beginning by a clock that was years behind is none', async () => {
  const { look, jump, since, clock, dispatcher } = await run('supply.excess')
  await look(0, 30_000)
  jump(10 * 365 * 86_400_000)
  await look(minute, 30_000)
  expect(since()).toBe(clock.now() - 30_000)
  await dispatcher.stop()
})
