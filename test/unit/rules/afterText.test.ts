import { kinds } from '../../../src/checks/index.ts'
import { expect, test } from 'vitest'
import { parseAfter } from '../../../src/rules/durationText.ts'
import { loadRules } from '../../../src/rules/loadRules.ts'

test.each([
  ['30m', 1_800_000],
  ['p50', { percentile: 'p50', share: 0.5, factor: 1 }],
  ['p95*2', { percentile: 'p95', share: 0.95, factor: 2 }],
  ['p99 * 3', { percentile: 'p99', share: 0.99, factor: 3 }],
  ['p99.9 * 1.5', { percentile: 'p99.9', share: 0.999, factor: 1.5 }],
])('%s is read', (text, expected) => {
  expect(parseAfter(text)).toEqual(expected)
})

test.each([
  ['0s', 'expected a duration above 0'],
  ['soon', 'expected a duration such as 30m, or a percentile such as p99 * 3'],
  ['p98', '`p98` is not learned, did you mean `p99`?: expected p50, p95, p99, p99.9'],
  ['p999 * 2', '`p999` is not learned, did you mean `p99.9`?: expected p50, p95, p99, p99.9'],
  ['p99 x 3', '`x` is no operator here, did you mean `p99 * 3`?'],
  ['p99 * -3', 'the factor -3 has to be above 0 and at most 1000, as in `p99 * 3`'],
  ['p99 * 0', 'the factor 0 has to be above 0 and at most 1000, as in `p99 * 3`'],
])('%s is refused', (text, problem) => {
  expect(parseAfter(text)).toBe(problem)
})

test('a mistake is told with its place when the rule is loaded', () => {
  const text = [
    'rules:',
    '  - name: a',
    '    on: transfer.stalled',
    '    with:',
    '      after: p98 * 3',
    '      floor: 0s',
    '      minSamples: 0',
  ].join('\n')
  const loaded = loadRules([{ path: 'a.yaml', text }], kinds)
  const said = loaded.ok ? [] : loaded.problems.map(({ line, column, message }) => [line, column, message])
  expect(said).toEqual([
    [5, 14, '`after`: `p98` is not learned, did you mean `p99`?: expected p50, p95, p99, p99.9'],
    [6, 14, '`floor`: expected a duration above 0, got "0s"'],
    [7, 19, '`minSamples`: expected at least 1, got 0'],
  ])
})
