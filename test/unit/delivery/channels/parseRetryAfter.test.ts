import { expect, test } from 'vitest'
import { parseRetryAfter } from '../../../../src/delivery/channels/classifyHttp.ts'

const now = Date.UTC(2026, 0, 5, 9)
const dateIn = (seconds: number) => new Date(now + seconds * 1_000).toUTCString()

test.each([
  { header: '1', expected: 1_000 },
  { header: '30', expected: 30_000 },
  { header: ' 30 ', expected: 30_000 },
  { header: '0', expected: 1_000 },
  { header: '900', expected: 900_000 },
  { header: '901', expected: 900_000 },
  { header: '999999', expected: 900_000 },
  { header: '9'.repeat(400), expected: 900_000 },
  { header: dateIn(30), expected: 30_000 },
  { header: dateIn(-30), expected: 1_000 },
  { header: dateIn(86_400), expected: 900_000 },
  { header: null, expected: 1_000 },
  { header: '', expected: 1_000 },
  { header: 'soon', expected: 1_000 },
  { header: '-5', expected: 1_000 },
  { header: '1.5', expected: 1_000 },
])('Retry-After $header waits $expected ms', ({ header, expected }) => {
  expect(parseRetryAfter(header, now)).toBe(expected)
})
