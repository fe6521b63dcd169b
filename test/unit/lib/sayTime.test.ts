import { expect, test } from 'vitest'
import { groupDigits } from '../../../src/lib/groupDigits.ts'
import { sayDuration, sayInstant, sayTime } from '../../../src/lib/sayTime.ts'
import { shortHash } from '../../../src/lib/shortHash.ts'

const now = Date.UTC(2026, 0, 5, 14, 5, 7)

test.each([
  [27_000, '27 s'],
  [2_520_000, '42 min'],
  [5_400_000, '1 h 30 min'],
  [266_400_000, '3 d 2 h'],
])('%i ms is %s', (ms, words) => {
  expect(sayDuration(ms)).toBe(words)
})

test.each([
  [now - 120_000, '14:03:07 UTC (2 min ago)'],
  [now - 86_400_000, '2026-01-04 14:05:07 UTC (1 d ago)'],
  [now, '14:05:07 UTC (now)'],
  [now + 5_000, '14:05:12 UTC (in 5 s)'],
  [1e20, 'at an unreadable time'],
])('%i is said as %s', (at, words) => {
  expect(sayInstant(at, now)).toBe(words)
})

test('what is past is a time alone', () => {
  expect(sayTime(now - 120_000, now)).toBe('14:03:07 UTC')
})

test('thousands are separated and every digit is kept', () => {
  expect(['9750000', '1250000.500001', '-1000', 'none'].map(groupDigits)).toEqual([
    '9,750,000',
    '1,250,000.500001',
    '-1,000',
    'none',
  ])
})

test('a hash keeps its ends', () => {
  expect(shortHash(`0x12ab${'0'.repeat(56)}cd34`)).toBe('0x12ab…cd34')
  expect(shortHash('none seen')).toBe('none seen')
})
