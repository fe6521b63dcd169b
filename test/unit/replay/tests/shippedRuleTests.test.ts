import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { kinds } from '../../../../src/checks/index.ts'
import { loadRuleTests } from '../../../../src/replay/tests/loadRuleTests.ts'
import { renderDifference } from '../../../../src/cli/rulesTest.ts'
import { runRuleTest } from '../../../../src/replay/tests/runRuleTest.ts'
import { renderProblems } from '../../../../src/lib/renderProblems.ts'
import { isRuleTestName, listRuleFiles, readRuleFolder } from '../../../../src/rules/readRuleFolder.ts'
import { readRuleTests, testsOf } from '../../../../src/web/views/readRuleTests.ts'

const folder = join(import.meta.dirname, '../../../../rules')
const names = readdirSync(folder).filter(isRuleTestName)

async function load(name: string) {
  const file = await loadRuleTests(join(folder, name))
  if (!file.ok) throw new Error(renderProblems(file.problems))
  return file.loaded
}

test('every file of shipped rules has tests beside it', async () => {
  const files = await listRuleFiles(folder)
  expect(
    files.map((name) => name.replace('.yaml', '.test.yaml')).filter((name) => !names.includes(name)),
  ).toEqual([])
})

/** Of days of traffic: `test/unit/rules/detectors` judges them. */
const ofDays = ['flow-quiet', 'flow-imbalance']

test('every shipped rule is expected to say something by a test beside it, but what the alert engine finds itself', async () => {
  const rules = await readRuleFolder(folder, kinds)
  if (!rules.ok) throw new Error(renderProblems(rules.problems))
  const tests = readRuleTests(folder)
  const untested = rules.rules.filter(
    ({ name, kind }) => testsOf(name, tests).length === 0 && !isRaisedByAlerts(kind),
  )
  expect(untested.map(({ name }) => name).filter((name) => !ofDays.includes(name))).toEqual([])
})

function isRaisedByAlerts(kind: string): boolean {
  const detector = kinds.find(kind)
  return detector?.from === 'raised' && detector.raisedBy === 'alerts'
}

for (const name of names) {
  const loaded = await load(name)
  describe(`invariant 12: rules/${name}`, () => {
    test.each(loaded.file.tests.map((one, index) => ({ title: one.name, index })))('$title', ({ index }) => {
      const { differences } = runRuleTest(loaded, index)
      expect(differences.map((one) => renderDifference(loaded.doc, index, one)).join('\n')).toBe('')
    })
  })
}
