import { describe, expect, test } from 'vitest'
import { createHealth, type FailureKind } from '../../../../src/clients/explorer/health.ts'

const start = 1_790_000_000_000

/** A source whose endpoints answer, or do not, when a test says so. Times are seconds since the start. */
function setUp() {
  const time = { mono: 5_000, wall: start }
  const clock = { now: () => time.wall, monotonicMs: () => time.mono }
  const health = createHealth({ source: 'explorer', host: 'explorer.example.com', clock })
  const pass = (seconds: number) => {
    time.mono += seconds * 1_000
    time.wall += seconds * 1_000
  }
  const at = (seconds: number) => pass(seconds - (time.mono - 5_000) / 1_000)
  const good = (seconds: number, endpoint: string) => {
    at(seconds)
    health.good(health.asked(endpoint))
  }
  const fail = (seconds: number, endpoint: string, kind: FailureKind = 'broken') => {
    at(seconds)
    health.failed(health.asked(endpoint), 'HTTP 502', kind)
  }
  const of = (endpoint: string) => health.read().endpoints.find((one) => one.endpoint === endpoint)
  const since = (wall: number | null | undefined) => (wall == null ? null : (wall - time.wall) / 1_000)
  return { health, time, at, pass, good, fail, of, since }
}

test('an endpoint fails since it was asked first after its last good answer', () => {
  const { health, at, good, of } = setUp()
  at(1)
  const asked = health.asked('E3')
  at(11)
  health.failed(asked, 'timeout', 'broken')
  expect(of('E3')).toMatchObject({ failingSince: start + 1_000, lastFailureAt: start + 11_000 })
  good(30, 'E3')
  expect(of('E3')).toMatchObject({ failingSince: null, backAt: start + 30_000, lastGoodAt: start + 30_000 })
})

describe('an endpoint fails by itself', () => {
  const own = (world: ReturnType<typeof setUp>) => world.of('E17')?.ownFailures

  test('each time that it fails again after another answered', () => {
    const world = setUp()
    for (const round of [0, 10, 20]) {
      world.fail(round, 'E17')
      world.fail(round + 1, 'E17')
      world.good(round + 2, 'E3')
    }
    expect(own(world)).toBe(2)
    world.good(30, 'E17')
    expect(own(world)).toBe(0)
  })

  test('not as one filter of an endpoint that fails whatever it is asked', () => {
    const failuresOf = (fails: readonly string[]) => {
      const world = setUp()
      for (const round of [0, 10, 20, 30]) {
        for (const endpoint of fails) world.fail(round, endpoint)
        world.good(round + 1, 'E5')
      }
      return world.of('E3 by height')?.ownFailures
    }
    expect(failuresOf(['E3 by height'])).toBe(3)
    expect(failuresOf(['E3', 'E3 by height'])).toBe(0)
  })

  test('as a filter of an endpoint that comes and goes, too', () => {
    const world = setUp()
    for (const round of [0, 10, 20, 30]) {
      world.good(round, 'E3')
      world.fail(round + 5, 'E3')
      world.good(round + 6, 'E5')
      world.fail(round + 7, 'E3 by height')
    }
    expect(world.of('E3 by height')?.ownFailures).toBe(3)
  })

  test('not when it failed with all the others, and was not asked since they came back', () => {
    const world = setUp()
    world.good(0, 'E5')
    for (let second = 1; second < 25; second += 2) {
      world.fail(second, 'E17')
      world.fail(second + 1, 'E3')
    }
    world.good(26, 'E3')
    world.good(27, 'E5')
    expect(own(world)).toBe(0)
    expect(world.health.read().backAt).toBe(start + 26_000)
  })

  test('not when everything comes and goes, and it is asked only while it is away', () => {
    const world = setUp()
    for (const round of [0, 40, 80, 120]) {
      world.fail(round + 1, 'E17')
      world.fail(round + 20, 'E3')
      world.good(round + 25, 'E3')
    }
    expect(own(world)).toBe(0)
  })

  test('not by a question that was sent before the others came back', () => {
    const world = setUp()
    world.fail(0, 'E17')
    const asked = world.health.asked('E17')
    world.good(5, 'E3')
    world.at(10)
    world.health.failed(asked, 'timeout', 'broken')
    expect(own(world)).toBe(0)
  })
})

describe('a source was away as a whole', () => {
  test('when nothing of it answered for a while and several endpoints were asked', () => {
    const { good, fail, health } = setUp()
    fail(0, 'E3')
    fail(5, 'E6')
    good(6, 'E3')
    expect(health.read().backAt).toBe(start + 6_000)
  })

  test('not while one endpoint fails and nobody asks another', () => {
    const { good, fail, health } = setUp()
    good(0, 'E3')
    for (const second of [1, 5, 10, 15]) fail(second, 'E6')
    good(20, 'E3')
    expect(health.read().backAt).toBeNull()
  })
})

test('one that is only throttled is told from one that is broken', () => {
  const { fail, of } = setUp()
  fail(0, 'E3', 'throttled')
  fail(1, 'E3', 'throttled')
  expect(of('E3')?.isThrottling).toBe(true)
  fail(2, 'E3')
  expect(of('E3')?.isThrottling).toBe(false)
  fail(3, 'E3', 'throttled')
  expect(of('E3')?.isThrottling).toBe(false)
})

test('a failure that comes after the good answer to a later question says nothing', () => {
  const { health, at, good, of } = setUp()
  const asked = health.asked('E3')
  good(5, 'E3')
  at(10)
  health.failed(asked, 'timeout', 'broken')
  expect(of('E3')).toMatchObject({ failingSince: null, lastFailureAt: null })
})

test('refused credentials hold until anything is answered well', () => {
  const { health, good, fail } = setUp()
  fail(1, 'E3', 'rejected')
  fail(2, 'E3')
  expect(health.read().rejected).toEqual({ at: start + 1_000, reason: 'HTTP 502' })
  good(3, 'E5')
  expect(health.read().rejected).toBeNull()
})

describe('an endpoint that refuses while others answer', () => {
  const isRejected = (world: ReturnType<typeof setUp>) => world.health.read().rejected !== null

  test('is one that the key has no permission for: the credentials are not refused', () => {
    const world = setUp()
    world.good(0, 'E3')
    for (const round of [1, 41, 81]) {
      world.fail(round, 'E17', 'rejected')
      expect(isRejected(world)).toBe(false)
      world.good(round + 1, 'E3')
    }
    expect(world.of('E17')?.ownFailures).toBe(2)
  })

  test('says so the first time where it answered before', () => {
    const world = setUp()
    world.good(0, 'E17')
    world.good(0, 'E3')
    const found = [40, 80, 120].map((round) => {
      world.fail(round, 'E17', 'rejected')
      const is = isRejected(world)
      world.good(round + 1, 'E3')
      return is
    })
    expect(found).toEqual([true, false, false])
  })

  test('does not hide that the others refuse as well', () => {
    const world = setUp()
    world.good(0, 'E3')
    world.fail(1, 'E17', 'rejected')
    world.good(2, 'E5')
    world.fail(3, 'E17', 'rejected')
    world.fail(4, 'E5', 'rejected')
    expect(isRejected(world)).toBe(true)
    world.fail(5, 'E17', 'rejected')
    expect(isRejected(world)).toBe(true)
  })

  test('nor where nothing ever answered', () => {
    const world = setUp()
    world.fail(1, 'E17', 'rejected')
    expect(isRejected(world)).toBe(true)
  })
})

test.each([3_600_000, -3_600_000, 20_000, -20_000])(
  'F67: when the clock is set by %i ms, an outage is as old as it was',
  (byMs) => {
    const { health, time, good, fail, of, since } = setUp()
    good(60, 'E3')
    good(60, 'E5')
    fail(70, 'E3', 'rejected')
    fail(75, 'E17')
    good(80, 'E17')
    fail(90, 'E3', 'rejected')
    fail(90, 'E5', 'rejected')
    time.wall += byMs
    const { startedAt, rejected } = health.read()
    expect([startedAt, rejected?.at].map(since)).toEqual([-90, 0])
    expect([of('E3')?.lastGoodAt, of('E3')?.failingSince, of('E17')?.backAt].map(since)).toEqual([
      -30, -20, -10,
    ])
  },
)

test('the time of the service is the median of what it said lately', () => {
  const { health } = setUp()
  const at = Date.UTC(2026, 5, 1)
  const hour = 3_600_000
  expect(health.read().clockAheadMs).toBeNull()
  for (const wrongMs of [0, hour, 0, -hour, 0])
    health.answered(new Date(at + 10_000 + wrongMs).toUTCString(), at)
  health.answered(null, at)
  health.answered('soon', at)
  expect(health.read().clockAheadMs).toBe(10_500)
})

test('by how much the clock of the service is ahead is whole, whatever part of a ms an answer took, and however few there are', () => {
  const { health } = setUp()
  const at = Date.UTC(2026, 5, 1)
  for (const tookMs of [0.25, 1.75, 3.25, 4.5]) {
    health.answered(new Date(at).toUTCString(), at - tookMs)
    expect(Number.isInteger(health.read().clockAheadMs)).toBe(true)
  }
})
