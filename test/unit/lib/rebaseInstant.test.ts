import { expect, test } from 'vitest'
import { rebaseInstant } from '../../../src/lib/rebaseInstant.ts'

const hour = 3_600_000
const now = 100 * hour

test.each([
  ['slept an hour: an age of a minute stays one', hour, now - hour - 60_000, now - 60_000],
  ['slept an hour: what was noted after the jump stays', hour, now - 1_000, now],
])('F67: %s', (_, byMs, at, expected) => {
  expect(rebaseInstant(at, { byMs, now })).toBe(expected)
})
