import { expect, test } from 'vitest'
import { createOutput } from '../../../src/cli/io.ts'
import { createLog } from '../../../src/lib/log.ts'
import { cleanText, escapeInvisible, inBrackets } from '../../../src/lib/text.ts'
import { fc } from '../../support/fastCheck.ts'

/** All that is assigned, and what is reserved to be invisible. */
const points = Array.from({ length: 0x110000 }, (_, point) => point).filter(
  (point) =>
    /\P{Cn}|\p{Default_Ignorable_Code_Point}/u.test(String.fromCodePoint(point)) &&
    (point < 0xd800 || point > 0xdfff),
)
/** By the properties themselves, one by one: the shipped expression is another one. */
const isUnseen = (char: string) =>
  /^\p{Default_Ignorable_Code_Point}$/u.test(char) ||
  /^\p{Bidi_Control}$/u.test(char) ||
  /^\p{Zl}|\p{Zp}|\p{Cc}$/u.test(char) ||
  /^\p{Variation_Selector}$/u.test(char)

test('issue 12.5: of all code points what is invisible, turns the direction or ends a line is dropped, alone and inside', () => {
  const left = points.filter((point) => {
    const char = String.fromCodePoint(point)
    if (!isUnseen(char)) return false
    const shown = cleanText(`a${char}b`)
    return cleanText(char) !== '' || (shown !== 'ab' && shown !== 'a b')
  })
  expect(left).toEqual([])
})

test('issue 12.5: all others but white space are kept', () => {
  const lost = points.filter((point) => {
    const char = String.fromCodePoint(point)
    return !isUnseen(char) && !/[\s\ufff9-\ufffb]/.test(char) && cleanText(char) !== char.normalize('NFC')
  })
  expect(lost).toEqual([])
})

test.each([
  ['a tag', 'US\u{e0041}DC'],
  ['a variation selector', 'US\ufe0fDC'],
  ['a supplementary variation selector', 'US\u{e0100}DC'],
  ['a Hangul filler', 'US\u3164DC'],
  ['a half-width Hangul filler', 'US\uffa0DC'],
  ['a soft hyphen', 'US\u00adDC'],
  ['a grapheme joiner', 'US\u034fDC'],
  ['an isolate', 'US\u2067DC'],
  ['an annotation', 'US\ufff9DC'],
])('%s does not show', (_, text) => {
  expect(cleanText(text)).toBe('USDC')
})

test('separators of lines and paragraphs become a space', () => {
  expect(cleanText('a\u2028b\u2029c\u0085d\r\n\ve')).toBe('a b c d e')
})

test('what is clean stays as it is, and is composed whatever stood between', () => {
  expect(cleanText('e\u034f\u0301')).toBe('é')
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
      const clean = cleanText(text)
      expect([cleanText(clean), clean.normalize('NFC'), clean.isWellFormed()]).toEqual([clean, clean, true])
    }),
  )
})

test.each([
  ['USD] [USDC', '[USD) (USDC]'],
  ['］ USDC ［', '[) USDC (]'],
  ['】〕⟧❳⁆﹈⎤', '[)))))))]'],
  ['\u0338\u20e0USDC', '[USDC]'],
  ['\u202eCDSU]', '[CDSU)]'],
  ['\u3164', '[unnamed token]'],
  ['', '[unnamed token]'],
])('issue 12.5: the name %j cannot close our brackets', (name, shown) => {
  expect(inBrackets(name)).toBe(shown)
})

test('issue 12.5: of all code points no bracket is left between ours', () => {
  const left = points.filter((point) => {
    const inside = inBrackets(`a${String.fromCodePoint(point)}b`).slice(1, -1)
    return /[\p{Ps}\p{Pe}]/u.test(inside.replace(/[(){}]/g, '')) || /[[\]]/.test(inside.normalize('NFKC'))
  })
  expect(left).toEqual([])
})

test('issue 12.5: a terminal and a log get what is invisible written out, in JSON without a loss', () => {
  const printed: string[] = []
  const { out, err } = createOutput({ out: (text) => printed.push(text), err: (text) => printed.push(text) })
  const name = 'a\u202eb\u{e0041}c\u009bd\u2028e\u3164'
  out(`${name}\n`)
  expect(printed[0]).toBe('a\\u202eb\\udb40\\udc41c\\u009bd\\u2028e\\u3164\n')
  createLog({ write: err }).info({ name }, 'seen')
  expect(JSON.parse(printed[1] ?? '')).toMatchObject({ name })
  const raw = points.map((point) => String.fromCodePoint(point)).filter(isUnseen)
  out(JSON.stringify(raw))
  expect(JSON.parse(printed[2] ?? '')).toEqual(raw)
  expect(raw.filter((char) => printed[2]?.includes(char))).toEqual([])
})

test('colours, lines and tabs pass; other sequences of a terminal do not', () => {
  expect(escapeInvisible('\u001b[1;31mred\u001b[0m\tx\r\ny')).toBe('\u001b[1;31mred\u001b[0m\tx\r\ny')
  expect(escapeInvisible('\u001b[2J\u001b]0;title\u0007\rover')).toBe(
    '\\u001b[2J\\u001b]0;title\\u0007\\u000dover',
  )
})
