import { expect, test } from 'vitest'
import { createHealth } from '../../../../src/clients/explorer/health.ts'

const failingSince = (health: ReturnType<typeof createHealth>) =>
  health.read().endpoints.find(({ endpoint }) => endpoint === 'E3')?.failingSince

test('an endpoint fails since its first failure after its last good answer', () => {
  const health = createHealth({ source: 'explorer', host: 'explorer.example.com', startedAt: 0 })
  health.failed('E3', 10, 'timeout', false)
  health.failed('E3', 20, 'timeout', false)
  expect(failingSince(health)).toBe(10)
  health.good('E3', 30)
  expect(failingSince(health)).toBeNull()
})

test('an endpoint is good since its first good answer after its last failure', () => {
  const health = createHealth({ source: 'explorer', host: 'explorer.example.com', startedAt: 0 })
  const goodSince = () => health.read().endpoints[0]?.goodSince
  health.good('E3', 10)
  health.good('E3', 20)
  expect(goodSince()).toBe(10)
  health.failed('E3', 30, 'timeout', false)
  expect(goodSince()).toBeNull()
  health.good('E3', 40)
  expect(goodSince()).toBe(40)
})

test('once credentials are accepted again, what was refused meanwhile has its time anew', () => {
  const health = createHealth({ source: 'explorer', host: 'explorer.example.com', startedAt: 0 })
  health.failed('E3', 10, 'invalid key', true)
  health.good('E5', 60_000)
  expect(failingSince(health)).toBe(60_000)
})

test('F67: after the clock was set, an outage is as old as it was, on either side', () => {
  const now = 1_790_000_000_000
  const hour = 3_600_000
  for (const byMs of [hour, -hour]) {
    const health = createHealth({ source: 'explorer', host: 'x', startedAt: now - 100_000 })
    health.good('E3', now - 40_000)
    health.good('E17', now - 20_000)
    health.failed('E3', now - 30_000, 'down', true)
    health.rebaseClock({ byMs, now: now + byMs })
    const { endpoints, startedAt, rejected } = health.read()
    const age = (at: number | null | undefined) => now + byMs - (at ?? 0)
    expect(endpoints.map(({ lastGoodAt }) => age(lastGoodAt))).toEqual([40_000, 20_000])
    expect([age(endpoints[0]?.failingSince), age(startedAt), age(rejected?.at)]).toEqual([
      30_000, 100_000, 30_000,
    ])
  }
})

test('the time of the service is the median of what it said lately', () => {
  const health = createHealth({ source: 'explorer', host: 'x', startedAt: 0 })
  const at = Date.UTC(2026, 5, 1)
  const hour = 3_600_000
  expect(health.read().clockAheadMs).toBeNull()
  for (const wrongMs of [0, hour, 0, -hour, 0])
    health.answered(new Date(at + 10_000 + wrongMs).toUTCString(), at)
  health.answered(null, at)
  health.answered('soon', at)
  expect(health.read().clockAheadMs).toBe(10_500)
})
