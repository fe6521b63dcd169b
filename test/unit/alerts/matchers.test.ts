import { expect, test } from 'vitest'
import { compileMatchers, formatMatcher, type Matcher, parseMatcher } from '../../../src/alerts/matchers.ts'

function read(text: string): Matcher {
  const parsed = parseMatcher(text)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.matcher
}
const holds = (labels: Record<string, string>, ...texts: string[]) => compileMatchers(texts.map(read))(labels)

test.each([
  ['rule=stalled', { rule: 'stalled' }, true],
  ['rule=stalled', { rule: 'stalled-2' }, false],
  ['rule="a b"', { rule: 'a b' }, true],
  ['rule!=stalled', { rule: 'other' }, true],
  ['rule!=stalled', {}, true],
  ['team=', {}, true],
  ['rule=~stal.*', { rule: 'stalled' }, true],
  ['rule=~tall', { rule: 'stalled' }, false],
  ['rule=~a|b', { rule: 'ab' }, false],
  ['rule=~a|b', { rule: 'b' }, true],
  ['rule!~stal.*', { rule: 'stalled' }, false],
  ['rule!~stal.*', { rule: 'other' }, true],
  ['memo=~.*', { memo: 'two\nlines' }, true],
])('%s on %j is %s', (text, labels, expected) => {
  expect(holds(labels, text)).toBe(expected)
})

test('all have to match', () => {
  expect(holds({ rule: 'a', token: 'b' }, 'rule=a', 'token=b')).toBe(true)
  expect(holds({ rule: 'a', token: 'c' }, 'rule=a', 'token=b')).toBe(false)
})

test('a matcher is read again as it was written', () => {
  for (const text of ['rule=a', 'rule="a \\"b\\" \\\\"', 'kind=~"source\\..*"']) {
    expect(read(formatMatcher(read(text)))).toEqual(read(text))
  }
})

test.each([
  'rule',
  '=x',
  'ru le=x',
  'rule=~(a+)+$',
  'rule=~[',
  'rule=~.*a.*b.*c.*',
  'rule=~(a|b)*',
  'rule=~(a)\\1',
])('F79: %s is refused', (text) => {
  expect(parseMatcher(text).ok).toBe(false)
})

test('F79: the slowest pattern that is taken comes to an end on the longest text that it is tried on', () => {
  // A pattern that explodes runs into the test's time limit.
  expect(holds({ rule: 'a'.repeat(512) }, 'rule=~.*.*.*x')).toBe(false)
  expect(holds({ rule: 'x'.repeat(513) }, 'rule=~.*')).toBe(false)
  expect(holds({ rule: 'x'.repeat(513) }, 'rule!~y')).toBe(false)
})
