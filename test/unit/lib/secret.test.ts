import { expect, test } from 'vitest'
import { createScrubber, Secret } from '../../../src/lib/secret.ts'

const scrubOf = (...values: string[]) => createScrubber(values.map((value) => new Secret(value)))

test('F76: a secret of characters that mean something to a pattern is covered exactly, and nothing beside it', () => {
  const secret = '.*+?^${}()|[]\\/$&$1'
  const scrub = scrubOf(secret)
  expect(scrub(`POST ${secret} failed`)).toBe('POST [redacted] failed')
  expect(scrub(`GET /?k=${encodeURIComponent(secret)}!`)).toBe('GET /?k=[redacted]!')
  expect(scrub(JSON.stringify({ error: secret, other: 'abcdefghij' }))).toBe(
    '{"error":"[redacted]","other":"abcdefghij"}',
  )
})

test('F76: a secret of three letters masks nothing, one of eight is covered', () => {
  const scrub = scrubOf('and', 'eightlet', 'sevenlt')
  const line = 'the sandbox stands and sevenlt stays'
  expect(scrub(line)).toBe(line)
  expect(scrub('eightlet leaks')).toBe('[redacted] leaks')
})

test('F76: of two secrets where one holds the other no rest of the longer is left', () => {
  expect(scrubOf('password', 'password-and-more').call(null, 'x password-and-more y')).toBe('x [redacted] y')
})
