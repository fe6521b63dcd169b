import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { loadRuleTests, type LoadedTests } from '../replay/tests/loadRuleTests.ts'
import { runRuleTest } from '../replay/tests/runRuleTest.ts'
import { errorText, MonitorError } from '../lib/errors.ts'
import { renderProblems } from '../lib/renderProblems.ts'
import { type YamlProblem, positionOf, type YamlDoc } from '../lib/yamlProblems.ts'
import { isRuleTestName } from '../rules/readRuleFolder.ts'
import { shippedFolder } from '../config/config.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'
import { formatDuration } from '../lib/duration.ts'
import type { Difference } from '../replay/tests/compareExpectation.ts'

export interface RulesTestCommand {
  readonly config?: string
}

/** `spanwatch rules test`: unit tests of rules, in virtual time. Ends with 1 when one fails, with 2 when one is none. */
export async function testRules(
  io: Io,
  names: readonly string[],
  options: RulesTestCommand,
): Promise<number> {
  const paths = names.length > 0 ? names : await listTests(io, options)
  const files = await Promise.all(paths.map(loadRuleTests))
  const problems: YamlProblem[] = files.flatMap((file) => (file.ok ? [] : file.problems))
  if (problems.length > 0) throw new MonitorError('config.invalid', renderProblems(problems))
  const counts = files.flatMap((file) => (file.ok ? [testFile(io, file.loaded)] : []))
  const tests = counts.reduce((sum, { total }) => sum + total, 0)
  const failed = counts.reduce((sum, one) => sum + one.failed, 0)
  const word = (count: number, name: string) => `${count} ${name}${count === 1 ? '' : 's'}`
  io.out(
    `\n${word(tests, 'test')} in ${word(files.length, 'file')}, ${failed === 0 ? 'all pass' : `${failed} failed`}\n`,
  )
  return failed === 0 ? exitCodes.fine : exitCodes.wrong
}

function testFile(io: Io, loaded: LoadedTests): { readonly total: number; readonly failed: number } {
  io.out(`${loaded.doc.path}\n`)
  const results = loaded.file.tests.map((_, index) => runRuleTest(loaded, index))
  for (const { name, index, differences } of results) {
    io.out(`  ${differences.length === 0 ? 'ok    ' : 'FAILED'} ${name}\n`)
    for (const one of differences) io.out(`${renderDifference(loaded.doc, index, one)}\n`)
  }
  return { total: results.length, failed: results.filter(({ differences }) => differences.length > 0).length }
}

async function listTests(io: Io, { config }: RulesTestCommand): Promise<string[]> {
  const folder = config === undefined ? shippedFolder : readConfig(io, config, { needs: [] }).config.rulesDir
  let names: string[]
  try {
    names = await readdir(folder)
  } catch (error) {
    throw new MonitorError('config.invalid', `the folder of rules cannot be read: ${errorText(error)}`)
  }
  const tests = names.filter(isRuleTestName).sort()
  if (tests.length === 0)
    throw new MonitorError('config.invalid', `${folder}: there is no *.test.yaml in this folder`)
  return tests.map((name) => shorten(join(folder, name)))
}

/** As the operator would type it, where that is shorter. */
function shorten(path: string): string {
  const near = relative('.', path)
  return near.length < path.length ? near : path
}

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
