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
  ['token=0x00000000000000000000000000000000000000AA', { token: `0x${'aa'.padStart(40, '0')}` }, true],
  ['token!="0x00000000000000000000000000000000000000AA"', { token: `0x${'aa'.padStart(40, '0')}` }, false],
  ['vault=0x00000000000000000000000000000000000000AA', { vault: `0x${'AA'.padStart(40, '0')}` }, true],
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
  'symbol="USDC',
  'symbol="',
  'ru le=x',
  'rule=~[',
  'rule=~(a)\\1',
  'rule=~(?=a)',
  'rule=~(?<!a)b',
  'rule=~a)|(b',
  'rule=~(.{1000}){1000}',
  'rule=~(.*){1000}',
])('F79: %s is refused', (text) => {
  expect(parseMatcher(text).ok).toBe(false)
})

test('F79: a pattern that would run for ever elsewhere comes to its answer', () => {
  for (const pattern of ['(.?){60}x', '(a+)+$', '(a|aa)+$', '(.*a){20}b', '([a-z]+)*=', '.*a.*b.*c.*']) {
    const labels = { token: `${'a'.repeat(600)}!` }
    expect([holds(labels, `token=~${pattern}`), holds(labels, `token!~${pattern}`)]).toEqual([false, true])
  }
})

test('a value of any length is matched', () => {
  expect(holds({ rule: 'x'.repeat(5_000) }, 'rule=~.*')).toBe(true)
  expect(holds({ rule: 'x'.repeat(5_000) }, 'rule!~y')).toBe(true)
  expect(holds({ rule: 'x'.repeat(5_000) }, 'rule!~x+')).toBe(false)
})

test('a matcher that was made without reading it, and whose pattern is none, matches nothing', () => {
  const matcher = (operator: Matcher['operator']) => [{ label: 'rule', operator, value: '(?=a)' }]
  expect(compileMatchers(matcher('=~'))({ rule: 'a' })).toBe(false)
  expect(compileMatchers(matcher('!~'))({ rule: 'b' })).toBe(false)
})

test('a matcher of any length is read in time in proportion to it', () => {
  const startedAt = performance.now()
  for (const text of [`a="x${' '.repeat(60_000)}x`, `a${' '.repeat(60_000)}x`, `a=${' '.repeat(60_000)}`])
    parseMatcher(text)
  expect(performance.now() - startedAt).toBeLessThan(500)
})
