import { expect, test } from 'vitest'
import { parseRetryAfter, retryDelayMs } from '../../../../src/clients/explorer/retry.ts'

const now = Date.UTC(2026, 0, 1)
const failed = { attempt: 1, isThrottled: false, retryAfter: null, now }

test.each([
  { title: 'a first failure', facts: failed, expected: 250 },
  { title: 'a third failure', facts: { ...failed, attempt: 3 }, expected: 1_000 },
  { title: 'a sign of throttling', facts: { ...failed, isThrottled: true }, expected: 1_000 },
  { title: 'a twentieth failure', facts: { ...failed, attempt: 20 }, expected: 10_000 },
  { title: 'what the service asks for', facts: { ...failed, retryAfter: '4' }, expected: 4_000 },
  {
    title: 'no more than ten seconds, whatever is asked',
    facts: { ...failed, retryAfter: '3600' },
    expected: 10_000,
  },
  {
    title: 'its own pause when less is asked',
    facts: { ...failed, isThrottled: true, retryAfter: '0' },
    expected: 1_000,
  },
])('the pause after $title', ({ facts, expected }) => {
  expect(retryDelayMs(facts)).toBe(expected)
})

test.each([
  { header: null, expected: null },
  { header: '', expected: null },
  { header: '3', expected: 3_000 },
  { header: 'Thu, 01 Jan 2026 00:00:09 GMT', expected: 9_000 },
  { header: 'Wed, 31 Dec 2025 00:00:00 GMT', expected: 0 },
  { header: '-5', expected: null },
  { header: 'soon', expected: null },
])('Retry-After of $header', ({ header, expected }) => {
  expect(parseRetryAfter(header, now)).toBe(expected)
})
