import { formatDuration } from '../../lib/duration.ts'
import { positionOf, type YamlDoc } from '../../lib/yamlProblems.ts'
import type { Difference } from './compareExpectation.ts'

/**
 * A difference for people: where it stands, then what was expected (-) and what came (+).
 * @example
 * rules/a.test.yaml:12:9: at 30m: `firing` is other than expected
 *       - withdrawal-stalled w1
 *       + nothing
 */
export function renderDifference(doc: YamlDoc, test: number, difference: Difference): string {
  const { line, column } = positionOf(doc, ['tests', test, ...difference.path], 'key')
  const { expected, got, key, message } = difference
  const verdict = message ?? `\`${key}\` is other than expected`
  const head = `    ${doc.path}:${line}:${column}: at ${formatDuration(difference.at)}: ${verdict}`
  if (message !== null) return head
  return [head, ...listLines(expected, got).map((one) => `      ${one}`)].join('\n')
}

function listLines(expected: readonly string[], got: readonly string[]): string[] {
  const left = [...got]
  const shared: string[] = []
  const missing = expected.filter((one) => {
    const place = left.indexOf(one)
    if (place === -1) return true
    shared.push(...left.splice(place, 1))
    return false
  })
  return [
    ...shared.map((one) => `  ${one}`),
    ...(expected.length === 0 ? ['- nothing'] : missing.map((one) => `- ${one}`)),
    ...(got.length === 0 ? ['+ nothing'] : left.map((one) => `+ ${one}`)),
  ]
}
