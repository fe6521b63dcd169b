import { expect, test } from 'vitest'
import { isSurelyHeld } from '../../../src/replicas/leaseTime.ts'

const from = { monotonicMs: 1_000, bootMs: 50_000 }

test.each([
  ['at once', { monotonicMs: 1_000, bootMs: 50_000 }, true],
  ['within ten seconds, less what two clocks may differ', { monotonicMs: 10_499, bootMs: 59_499 }, true],
  ['after that', { monotonicMs: 10_500, bootMs: 59_500 }, false],
  ['while the machine was suspended', { monotonicMs: 1_100, bootMs: 59_500 }, false],
  ['where the time since the boot is not known', { monotonicMs: 10_499, bootMs: null }, true],
  ['where it stands still', { monotonicMs: 10_500, bootMs: 50_000 }, false],
])('a lease is surely held %s: %j %s', (_, now, isHeld) => {
  expect(isSurelyHeld(from, now)).toBe(isHeld)
})

test('it is not before the first renewal', () => {
  expect(isSurelyHeld(null, from)).toBe(false)
})
