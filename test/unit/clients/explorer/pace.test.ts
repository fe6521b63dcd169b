import { expect, test } from 'vitest'
import { createPace, type Lease, type Priority } from '../../../../src/clients/explorer/pace.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'

function setUp(options: { cap?: number; concurrency?: number } = {}) {
  const clock = createSteppedClock({ isManual: true })
  const pace = createPace(clock, {
    maxRequestsPerSecond: options.cap ?? 100,
    concurrency: options.concurrency ?? 1_000,
  })
  return { clock, pace }
}

function ask(pace: ReturnType<typeof createPace>, priority: Priority, count: number, order: Priority[] = []) {
  const leases: Lease[] = []
  for (let index = 0; index < count; index++) {
    void pace.acquire(priority).then((lease) => {
      leases.push(lease)
      order.push(priority)
    })
  }
  return leases
}

test.each([
  { title: 'four a second at first', cap: 100, expected: 4 },
  { title: 'the cap when that is lower', cap: 2, expected: 2 },
])('it starts with $title', async ({ cap, expected }) => {
  const { clock, pace } = setUp({ cap })
  const leases = ask(pace, 'tail', 50)
  await clock.advance(999)
  expect(leases).toHaveLength(expected)
})

test('it doubles each second without a sign, up to the cap', async () => {
  const { clock, pace } = setUp({ cap: 20 })
  const rates = []
  for (let second = 0; second < 5; second++) {
    rates.push(pace.metrics().requestsPerSecond)
    await clock.advance(1_000)
  }
  expect(rates).toEqual([4, 8, 16, 20, 20])
})

test('it halves on a sign and then adds ten percent a second (semantics 31)', async () => {
  const { clock, pace } = setUp({ cap: 16 })
  await clock.advance(5_000)
  const lease = await pace.acquire('tail')
  lease.throttled()
  const rates = []
  for (let second = 0; second < 3; second++) {
    rates.push(pace.metrics().requestsPerSecond)
    await clock.advance(1_000)
  }
  expect(rates).toEqual([8, expect.closeTo(8.8), expect.closeTo(9.68)])
})

test('what it adds is counted from the sign on (semantics 31)', async () => {
  const { clock, pace } = setUp({ cap: 16 })
  await clock.advance(5_900)
  const lease = await pace.acquire('tail')
  lease.throttled()
  await clock.advance(999)
  expect(pace.metrics().requestsPerSecond).toBe(8)
  await clock.advance(1)
  expect(pace.metrics().requestsPerSecond).toBeCloseTo(8.8)
})

test('it never falls below one a second (semantics 31)', async () => {
  const { clock, pace } = setUp()
  for (let sign = 0; sign < 10; sign++) {
    const leases = ask(pace, 'tail', 1)
    await clock.advance(2_000)
    leases[0]?.throttled()
  }
  expect(pace.metrics()).toMatchObject({ requestsPerSecond: 1, throttleSigns: 10 })
})

test('requests sent before a halving cause no second one', async () => {
  const { clock, pace } = setUp({ cap: 100 })
  const leases = ask(pace, 'tail', 3)
  await clock.advance(900)
  leases[0]?.throttled()
  leases[1]?.throttled()
  leases[2]?.throttled()
  expect(pace.metrics()).toMatchObject({ requestsPerSecond: 2, throttleSigns: 3 })
})

test('a pause that the service asks for holds everything', async () => {
  const { clock, pace } = setUp()
  const first = await pace.acquire('tail')
  first.throttled(5_000)
  const leases = ask(pace, 'urgent', 1)
  await clock.advance(4_999)
  expect(leases).toHaveLength(0)
  await clock.advance(1)
  expect(leases).toHaveLength(1)
})

test('no more requests are in flight than allowed', async () => {
  const { clock, pace } = setUp({ concurrency: 2 })
  const leases = ask(pace, 'tail', 3)
  await clock.advance(10_000)
  expect(leases).toHaveLength(2)
  expect(pace.metrics()).toMatchObject({ inFlight: 2, queued: 1 })
  leases[0]?.release()
  leases[0]?.release()
  await clock.advance(0)
  expect(leases).toHaveLength(3)
  expect(pace.metrics()).toMatchObject({ inFlight: 2, queued: 0, requests: 3, waitedMs: 10_250 })
})

test('what is more urgent goes first, and equals in their order', async () => {
  const { clock, pace } = setUp()
  const order: Priority[] = []
  ask(pace, 'sweep', 2, order)
  ask(pace, 'heads', 1, order)
  ask(pace, 'open', 1, order)
  ask(pace, 'urgent', 1, order)
  await clock.advance(5_000)
  // The first sweep found the pace idle.
  expect(order).toEqual(['sweep', 'urgent', 'open', 'heads', 'sweep'])
})

test('one that gives up leaves the queue', async () => {
  const { clock, pace } = setUp()
  ask(pace, 'tail', 1)
  const stop = new AbortController()
  const waiting = pace.acquire('tail', stop.signal)
  stop.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  await clock.advance(1_000)
  expect(pace.metrics()).toMatchObject({ requests: 1, queued: 0 })
})

test('what has waited ten seconds gets a turn though more urgent requests never stop, and only every fourth', async () => {
  const { clock, pace } = setUp({ cap: 1 })
  const order: Priority[] = []
  ask(pace, 'tail', 2, order)
  ask(pace, 'bulk', 3, order)
  for (let second = 0; second < 9; second++) {
    await clock.advance(1_000)
    ask(pace, 'tail', 1, order)
  }
  expect(order).not.toContain('bulk')
  for (let second = 0; second < 8; second++) {
    await clock.advance(1_000)
    ask(pace, 'tail', 1, order)
  }
  expect(order.slice(-8).filter((priority) => priority === 'bulk')).toHaveLength(2)
})
