import { expect, test } from 'vitest'
import { createBench, createCondition, createEvent, createRoute, createRule, start } from './harness.ts'

const urgent = createRule({ name: 'urgent', kind: 'chain.stalled', severity: 'critical' })
const patient = createRule({ name: 'patient', kind: 'chain.stalled', severity: 'critical', forMs: 600_000 })
const firing = { findings: [createCondition('zone')], unknown: [] }
const hour = 3_600_000

async function run(options: Parameters<typeof createBench>[0] = {}) {
  const bench = createBench({ routes: [createRoute({ repeatMs: 4 * hour })], ...options })
  const dispatcher = bench.startSending()
  const look = async (ms: number, rule = urgent) => {
    await bench.clock.advance(ms)
    bench.engine.applyCondition(rule, firing, bench.clock.now())
    bench.engine.flush(bench.clock.now())
    dispatcher.wake()
    await bench.clock.advance(0)
    return bench.ops.sent.flatMap(({ items }) => items.map(({ status }) => status))
  }
  const jump = (byMs: number) => {
    bench.clock.step(byMs)
    bench.engine.rebaseClock(byMs, bench.clock.now())
  }
  return { ...bench, dispatcher, look, jump }
}

test.each([hour, 10 * 365 * 24 * hour])(
  'F67: a jump by %i ms neither repeats nor silences a reminder',
  async (byMs) => {
    const { look, jump, dispatcher } = await run()
    expect(await look(0)).toEqual(['firing'])
    await look(2 * hour)
    jump(byMs)
    expect(await look(0)).toEqual(['firing'])
    expect(await look(2 * hour - 1)).toEqual(['firing'])
    expect(await look(300_001)).toEqual(['firing', 'repeat'])
    await dispatcher.stop()
  },
)

test.each([hour, -hour])('F67: a jump by %i ms neither shortens nor lengthens `for`', async (byMs) => {
  const { look, jump, dispatcher } = await run()
  await look(0, patient)
  await look(300_000, patient)
  jump(byMs)
  expect(await look(299_999, patient)).toEqual([])
  expect(await look(1, patient)).toEqual(['firing'])
  await dispatcher.stop()
})

test('F67: after more than an hour no reminder comes before the next group interval', async () => {
  const { look, jump, dispatcher } = await run()
  await look(0)
  await look(4 * hour - 1_000)
  jump(hour + 1)
  expect(await look(299_999)).toEqual(['firing'])
  expect(await look(1)).toEqual(['firing', 'repeat'])
  await dispatcher.stop()
})

test('F67: a message that waits is neither late nor given up by a jump', async () => {
  const { engine, jump, store, dispatcher, ops, clock } = await run()
  ops.answers = [{ result: 'transient', reason: '500' }]
  engine.tellEvents([{ rule: createRule(), finding: createEvent(1) }], start)
  dispatcher.wake()
  await clock.advance(0)
  jump(10 * 24 * hour)
  dispatcher.wake()
  ops.answers = [{ result: 'ack' }]
  await clock.advance(10_000)
  expect(store.listOutbox({ state: 'dead', limit: 9 })).toEqual([])
  expect(store.listOutbox({ state: 'sent', limit: 9 })).toHaveLength(1)
  await dispatcher.stop()
})
