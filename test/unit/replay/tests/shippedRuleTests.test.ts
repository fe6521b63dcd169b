import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadRuleTests } from '../../../../src/replay/tests/loadRuleTests.ts'
import { renderDifference } from '../../../../src/cli/rulesTest.ts'
import { runRuleTest } from '../../../../src/replay/tests/runRuleTest.ts'
import { renderProblems } from '../../../../src/lib/renderProblems.ts'
import { isRuleTestName, listRuleFiles } from '../../../../src/rules/readRuleFolder.ts'

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

for (const name of names) {
  const loaded = await load(name)
  describe(`invariant 12: rules/${name}`, () => {
    test.each(loaded.file.tests.map((one, index) => ({ title: one.name, index })))('$title', ({ index }) => {
      const { differences } = runRuleTest(loaded, index)
      expect(differences.map((one) => renderDifference(loaded.doc, index, one)).join('\n')).toBe('')
    })
  })
}
