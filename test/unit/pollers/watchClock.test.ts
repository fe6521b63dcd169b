import { expect, test } from 'vitest'
import { createClockWatch } from '../../../src/pollers/watchClock.ts'

function createClock() {
  const clock = { wall: 1_790_000_000_000, mono: 0 }
  const look = createClockWatch({ now: () => clock.wall, monotonicMs: () => clock.mono })
  return (wallMs: number, monoMs: number) => {
    clock.wall += wallMs
    clock.mono += monoMs
    return look()?.byMs ?? null
  }
}

test.each([
  ['a second that passed', 1_000, 1_000, null],
  ['a busy minute', 60_000, 60_000, null],
  ['30 s on', 31_000, 1_000, null],
  ['more than 30 s on', 31_001, 1_000, 30_001],
  ['30 s back', -29_000, 1_000, null],
  ['more than 30 s back', -29_001, 1_000, -30_001],
  ['a night asleep', 28_800_000, 0, 28_800_000],
])('F67: %s', (_, wall, mono, expected) => {
  expect(createClock()(wall, mono)).toBe(expected)
})

test('a jump is seen once, slewing never', () => {
  const look = createClock()
  expect(look(3_601_000, 1_000)).toBe(3_600_000)
  expect(look(1_000, 1_000)).toBeNull()
  for (let n = 0; n < 100; n += 1) expect(look(1_500, 1_000)).toBeNull()
})
