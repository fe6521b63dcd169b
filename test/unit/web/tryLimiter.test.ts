import { expect, test } from 'vitest'
import { createTryLimiter, groupAddress } from '../../../src/web/tryLimiter.ts'

const limits = { maxTries: 3, windowMs: 1_000, maxAddresses: 2 }

function createLimiter() {
  const clock = { now: 0, monotonicMs: () => clock.now }
  return { clock, limiter: createTryLimiter(clock, limits) }
}

test('the last try is free, the one after it waits until the window ends', () => {
  const { clock, limiter } = createLimiter()
  limiter.countFailure('a')
  limiter.countFailure('a')
  expect(limiter.waitMs('a')).toBe(0)
  limiter.countFailure('a')
  expect(limiter.waitMs('a')).toBe(1_000)
  clock.now = 999
  expect(limiter.waitMs('a')).toBe(1)
  clock.now = 1_000
  expect(limiter.waitMs('a')).toBe(0)
})

test('another address is not held up', () => {
  const { limiter } = createLimiter()
  for (let i = 0; i < 5; i++) limiter.countFailure('a')
  expect(limiter.waitMs('b')).toBe(0)
})

test('the number of addresses remembered is bounded', () => {
  const { limiter } = createLimiter()
  for (let i = 0; i < 3; i++) limiter.countFailure('a')
  limiter.countFailure('b')
  expect(limiter.waitMs('a')).toBe(1_000)
  limiter.countFailure('c')
  expect(limiter.waitMs('a')).toBe(0)
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['in-process', 'in-process'],
])('%s counts as %s', (address, group) => {
  expect(groupAddress(address)).toBe(group)
})
