import { expect, test } from 'vitest'
import { readPattern } from '../../../src/lib/linearPattern.ts'

const fits = (source: string, text: string) => {
  const read = readPattern(source, 'everything')
  return read.ok ? read.pattern.fits(text) : read.problem
}

// Each of them takes longer than the universe has when every way through it is tried; 30 `a` are enough for most.
const long = 'a'.repeat(2_000)
test.each([
  ['(a+)+$', `${long}!`, false],
  ['(a|aa)+$', `${long}!`, false],
  ['(a|a?)+$', `${long}!`, false],
  ['(.*a){20}', `${'a'.repeat(600)}b`, false],
  ['([a-z]+)*=', long, false],
  ['(\\w+\\s?)*$', `${'word '.repeat(200)}!`, false],
  ['(.?){60}x', 'a'.repeat(600), false],
  ['(a?){60}a{60}', 'a'.repeat(600), false],
  ['(x+x+)+y', 'x'.repeat(2_000), false],
  ['(.*)*x', long, false],
  ['([a-zA-Z0-9]+)*@', long, false],
  ['(a|b|ab)*c', 'ab'.repeat(1_000), false],
  ['((a*)*)*b', long, false],
  ['(?:a{1,20}){1,20}b', long, false],
  ['(.*,){11}P', '1,'.repeat(300), false],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', long, false],
  ['(a+)+', long, true],
  ['(a|aa)+', long, true],
])('issue 12.1: %s comes to an end', (source, text, expected) => {
  expect(fits(source, text)).toBe(expected)
})

test.each([
  ['a|ab', 'ab', true],
  ['tall', 'stalled', false],
  ['(?i)usdc', 'UsdC', true],
  ['.', '\n', true],
  ['.', '😀', true],
  ['\\x{1F600}', '😀', true],
  ['(?P<n>a)', 'a', true],
])('%s on %j is %s', (source, text, expected) => {
  expect(fits(source, text)).toBe(expected)
})

test('in CEL a dot does not match a line break, and a pattern is looked for anywhere', () => {
  const read = readPattern('a.c', 'line')
  expect(read.ok && [read.pattern.isIn('xabcx'), read.pattern.isIn('a\nc')]).toEqual([true, false])
})

test.each([
  ['a(?=b)', 'invalid or unsupported Perl syntax `(?=` at character 2; patterns are written as for RE2'],
  ['(a)\\1', 'invalid escape sequence `\\1` at character 4; patterns are written as for RE2'],
  ['\\u0041', 'invalid escape sequence `\\u` at character 1; patterns are written as for RE2'],
  ['[', 'missing closing ] `[`'],
  ['a)|(b', 'unexpected ) `a)|(b`'],
  ['a**', 'invalid nested repetition operator `**` at character 2'],
  ['(.{1000}){1000}', 'invalid repeat count `{1000}` at character 3'],
  ['(a{30}){40}', 'invalid repeat count `{40}` at character 8'],
  ['(.*){500}', 'the pattern grows to 2002 steps when its repeats are written out, at most 1010 are taken'],
  [
    '(a?){500}a{500}',
    'the pattern grows to 2502 steps when its repeats are written out, at most 1010 are taken',
  ],
  ['a'.repeat(1_001), 'expected a pattern of at most 1000 characters, got 1001'],
  [`(?i)${'\\pL'.repeat(66)}`, 'expected a pattern that ignores case of at most 200 characters, got 202'],
])('%s is refused with its place', (source, problem) => {
  expect(fits(source, 'a')).toBe(problem)
})

test('a thousand plain characters, and two hundred that ignore case, are taken', () => {
  expect(fits('a'.repeat(1_000), 'a'.repeat(1_000))).toBe(true)
  expect(fits(`(?i)${'a'.repeat(196)}`, 'A'.repeat(196))).toBe(true)
})
