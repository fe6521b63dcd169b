import { fc } from '../../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { codeSpan, plainText, slackCost, toSlackText } from '../../../../src/delivery/channels/slackText.ts'
import { hostileTexts } from '../messages.ts'

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: fc.constantFrom('&', '<', '>', '"', '\\', '`', '👍', 'a', '!', '|'), maxLength: 100 }),
)

describe('toSlackText', () => {
  test('escapes the ampersand first, so that an entity in data stays visible as such', () => {
    expect(toSlackText('&lt;!here&gt; <b> & c', 100)).toBe('&amp;lt;!here&amp;gt; &lt;b&gt; &amp; c')
  })

  test('leaves a text alone that costs exactly the limit, and cuts one that costs one more', () => {
    expect(toSlackText('ab<', 6)).toBe('ab&lt;')
    expect(toSlackText('abc<', 6)).toBe('abc…')
  })

  test('never ends inside a character or an entity', () => {
    expect(toSlackText('👍👍👍', 4)).toBe('👍…')
    expect(toSlackText('a&b', 5)).toBe('a…')
  })

  test('stays within the cost, has no bare angle bracket and reads back as a beginning of the text', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 150 }), (text, max) => {
        const out = toSlackText(text.toWellFormed().replace(/\p{Cc}/gu, ''), max)
        expect(out.replaceAll('&amp;', '&').length).toBeLessThanOrEqual(max)
        expect(out).not.toMatch(/[<>]/)
        expect(out.replace(/&(amp|lt|gt);/g, '')).not.toContain('&')
        expect(JSON.stringify(out).length - 2).toBeLessThanOrEqual(max)
      }),
    )
  })
})

test('the cost of a text is its length in the request body', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const clean = text.toWellFormed().replace(/\p{Cc}/gu, '')
      expect(slackCost(clean)).toBe(JSON.stringify(toSlackText(clean, 1_000_000)).length - 2)
    }),
  )
})

describe('codeSpan', () => {
  test('neutralises backticks, so that data cannot end the span', () => {
    expect(codeSpan('a`b```c', 100)).toBe("`a'b'''c`")
  })

  test('shows a dash for nothing', () => {
    expect(codeSpan('  ', 100)).toBe('`–`')
  })

  test.each(hostileTexts)('holds exactly two backticks, at its ends: %j', (text) => {
    expect(codeSpan(text, 500)).toMatch(/^`[^`]+`$/)
  })
})

test('plain text asks for no emoji, so that :skull: stays text', () => {
  expect(plainText(':skull:', 100)).toEqual({ type: 'plain_text', text: ':skull:', emoji: false })
})
