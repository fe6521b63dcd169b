import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../lib/isObject.ts'
import { parseYamlDocument } from '../../lib/parseYamlDocument.ts'
import { readPlainText } from '../../lib/plainFile.ts'
import { isRuleTestName } from '../../rules/readRuleFolder.ts'

/** A test beside the rules, as it is called. */
export interface RuleTestName {
  readonly file: string
  readonly name: string
  /** What it expects, as text in which rules are named. */
  readonly expects: string
}

/** The tests that lie beside the rules; what cannot be read is left out, since `spanwatch rules test` says so. */
export function readRuleTests(folder: string): RuleTestName[] {
  return listTestFiles(folder).flatMap((file) => {
    try {
      const { data } = parseYamlDocument({ path: file, text: readPlainText(join(folder, file)) })
      const tests = isObject(data) && Array.isArray(data['tests']) ? data['tests'] : []
      return tests.filter(isObject).map((test) => ({
        file,
        name: typeof test['name'] === 'string' ? test['name'] : '',
        expects: JSON.stringify(test['expect'] ?? ''),
      }))
    } catch {
      return []
    }
  })
}

function listTestFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter(isRuleTestName).sort()
  } catch {
    return []
  }
}

/** Those that expect something of a rule, by its name alone or with its subject behind it. */
export function testsOf(rule: string, tests: readonly RuleTestName[]): string[] {
  return tests
    .filter(({ expects }) => expects.includes(`"${rule}"`) || expects.includes(`"${rule} `))
    .map(({ file, name }) => `${file}: ${name}`)
}
