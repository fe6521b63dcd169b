import { expect, test } from 'vitest'
import { findPatternProblem } from '../../../../src/rules/cel/findPatternProblem.ts'
import { problemsOf } from '../ruleFiles.ts'

test.each([
  '^USD',
  'USD[CT]',
  '^(USDC|USDT)$',
  '(foo)?bar',
  '(?:ab){2}',
  '0x[0-9a-f]{40}',
  '^a+b+$',
  '\\(a+\\)+',
  '(?i:usd)',
])('the pattern %s is taken', (pattern) => {
  expect(findPatternProblem(pattern)).toBeNull()
})

test.each([
  '(a+)+$',
  '(a|a)*$',
  '((a+)b)+',
  '(?:a*)*',
  '(x{2,})+',
  '(a+){20}',
  '(a)\\1',
  '(',
  'a'.repeat(201),
])('the pattern %s is refused', (pattern) => {
  expect(findPatternProblem(pattern)).not.toBeNull()
})

test('a pattern in `where` is checked when loaded, and must be written out', () => {
  const problems = (text: string) => problemsOf('on: transfer.stalled', `where: ${text}`, 'severity: info')
  expect(problems('transfer.token.name.matches("^USD")')).toEqual([])
  expect(problems('transfer.token.name.matches("(a+)+$")')).toHaveLength(1)
  expect(problems('transfer.state.matches(transfer.token.name)')).toEqual([
    '4:35 `where`: expected the pattern of matches() in quotes',
  ])
})
