import { expect, test } from 'vitest'
import { createScrubber, Secret } from '../../../src/lib/secret.ts'
import { cleanText } from '../../../src/lib/text.ts'

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

const key = 'K3y-0f-20-characters'

test.each([
  { title: 'base64', text: Buffer.from(key).toString('base64') },
  { title: 'base64 without padding', text: Buffer.from(key).toString('base64').replace(/=+$/, '') },
  { title: 'base64 for URLs', text: Buffer.from(`${key}??>>`).toString('base64url') },
  { title: 'base64 within a URL', text: encodeURIComponent(Buffer.from(key).toString('base64')) },
  { title: 'base64 behind another word', text: Buffer.from(`user:${key}`).toString('base64') },
  {
    title: 'base64 behind another word of other length',
    text: Buffer.from(`us:${key}:more`).toString('base64'),
  },
  { title: 'hex', text: Buffer.from(key).toString('hex') },
])('F76: a secret is covered in $title', ({ text }) => {
  const line = scrubOf(key, `${key}??>>`)(`GET /?a=${text}&b=1`)
  expect(line).toContain('[redacted]')
  const rest = line.replace('[redacted]', '').replace('GET /?a=', '').replace('&b=1', '')
  // Of the words around it some characters are left, of the secret none that tells.
  expect(rest.length).toBeLessThanOrEqual(16)
  expect(Buffer.from(rest, 'base64').toString()).not.toContain(key.slice(0, 4))
})

test('F76: a secret is covered where a text was cut in its midst, wherever that was', () => {
  const scrub = scrubOf(key)
  for (let before = 0; before < 45; before += 1) {
    const line = scrub(`problem: "${cleanText(`${'x'.repeat(before)}${key} and more`.padEnd(80, '.'), 40)}"`)
    const shown = Array.from({ length: key.length }, (_, n) => key.slice(0, n + 1)).filter((part) =>
      line.includes(part),
    )
    expect(shown.at(-1)?.length ?? 0).toBeLessThan(4)
  }
})

test('F76: a text of which nothing can be seen hides no cut', () => {
  const text = `${'\u200b'.repeat(300)}${key} and more`
  expect(scrubOf(key)(cleanText(text, 40))).not.toContain(key.slice(0, 4))
})

test('F76: of a URL that is secret the scheme alone is no beginning that was cut off; a part of its host is', () => {
  const scrub = scrubOf('https://hooks.example.com/services/K3y', 'smtps://user:password@mail.example.com')
  const line = 'canonical: { url: "https://…" }, smtp://… smtps://… https%3A%2F%2F…'
  expect(scrub(line)).toBe(line)
  expect(scrub('to https://hook… and smtps://user:pass…')).toBe('to [redacted]… and [redacted]…')
})
