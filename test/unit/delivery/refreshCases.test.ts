import { expect, test } from 'vitest'
import type { Channel, StandingCase } from '../../../src/delivery/channels/message.ts'
import { refreshCases } from '../../../src/delivery/refreshCases.ts'
import { createSilentLog } from '../../../src/lib/log.ts'
import { kinds } from '../../../src/checks/index.ts'
import { createBench, createEvent, createFakeChannel, createRoute, createRule } from '../alerts/harness.ts'

const failed = createRule({ severity: 'critical' })
const minute = 60_000

/** A channel that forgets, beside one that does not, and what it was told again. */
async function run(answer: Awaited<ReturnType<Channel['deliver']>> = { result: 'ack' }) {
  const told: (readonly StandingCase[])[] = []
  const gate = { isOpen: true }
  const manager = Object.assign(createFakeChannel('manager', 'alertmanager'), {
    followsCases: true as const,
    refresh: {
      everyMs: minute,
      mayTell: async () => gate.isOpen,
      async tell(cases: readonly StandingCase[]) {
        told.push(cases)
        return answer
      },
    },
  })
  manager.answers = [{ result: 'ack', thread: 'the labels' }]
  const fakes = [manager, createFakeChannel('ops')]
  const names = fakes.map(({ name }) => name)
  const bench = createBench({
    fakes,
    routes: [createRoute({ channels: names })],
    channels: fakes.map(({ name, type }) => ({ name, type, followsCases: name === 'manager' })),
  })
  const dispatcher = bench.startSending()
  const ending = new AbortController()
  const noted: string[] = []
  const refreshing = refreshCases(
    {
      clock: bench.clock,
      store: bench.store,
      channels: fakes,
      log: createSilentLog(),
      kinds,
      live: { rules: [failed] },
      tokens: { symbolOf: () => null, priceOf: () => null },
      pageUrl: null,
      dispatcher: { noteAnswer: (channel, { result }) => noted.push(`${channel} ${result}`) },
    },
    ending.signal,
  )
  await bench.clock.advance(0)
  return {
    ...bench,
    gate,
    told,
    noted,
    stopSending: () => dispatcher.stop(),
    find: (n: number) => {
      bench.engine.tellEvents([{ rule: failed, finding: createEvent(n) }], bench.clock.now())
      dispatcher.wake()
      return bench.clock.advance(0)
    },
    end: async () => {
      ending.abort()
      await refreshing
      await dispatcher.stop()
    },
  }
}

test('what stands is told again each minute, with what the channel gave back, until it is over', async () => {
  const { told, find, clock, database, noted, end } = await run()
  expect(told).toEqual([])
  await find(1)
  await clock.advance(minute)
  await clock.advance(minute)
  expect(told.map((cases) => cases.map((one) => [one.case.id, one.thread]))).toEqual([
    [['c1', 'the labels']],
    [['c1', 'the labels']],
  ])
  database.prepare("UPDATE cases SET state = 'acknowledged'").run()
  await clock.advance(minute)
  database.prepare("UPDATE cases SET state = 'handled'").run()
  await clock.advance(2 * minute)
  expect(told).toHaveLength(3)
  expect(noted).toEqual([])
  await end()
})

test('a failure is noted, and the next time comes all the same', async () => {
  const { told, find, clock, noted, end } = await run({ result: 'transient', reason: 'no answer' })
  await find(1)
  await clock.advance(2 * minute)
  expect(told).toHaveLength(2)
  expect(noted).toEqual(['manager transient', 'manager transient'])
  await end()
})

test('one that refuses us is asked again when its probe is due, and its word opens the way', async () => {
  const { told, find, clock, store, noted, stopSending, end } = await run()
  await find(1)
  // It would ask first.
  await stopSending()
  const probeAt = clock.now() + 2.5 * minute
  store.saveChannel({ ...store.getChannel('manager'), circuit: 'open', openedAt: clock.now(), probeAt })
  await clock.advance(2 * minute)
  expect(told).toHaveLength(0)
  await clock.advance(minute)
  expect([told.length, noted]).toEqual([1, ['manager ack']])
  await end()
})

test('nothing is told again by a node that may not: another one may have ended it', async () => {
  const { clock, told, gate, find, end } = await run()
  await find(1)
  gate.isOpen = false
  await clock.advance(3 * minute)
  expect(told).toEqual([])
  gate.isOpen = true
  await clock.advance(minute)
  expect(told).toHaveLength(1)
  await end()
})
