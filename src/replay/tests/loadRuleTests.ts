import { kinds } from '../../checks/index.ts'
import { readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { checkMuteNames } from '../../config/checkConfig.ts'
import { errorText } from '../../lib/errors.ts'
import { parseYamlDocument, type YamlInput } from '../../lib/parseYamlDocument.ts'
import { schemaProblems } from '../../lib/schemaProblems.ts'
import {
  fileProblem,
  problemAt,
  withoutEchoes,
  type YamlDoc,
  type YamlProblem,
} from '../../lib/yamlProblems.ts'
import { type LoadedRules, loadRules } from '../../rules/loadRules.ts'
import { listRuleFiles } from '../../rules/readRuleFolder.ts'
import { readRules } from '../../rules/readRules.ts'
import type { LoadedRule } from '../../rules/types.ts'
import { checkTestFile } from './checkTestFile.ts'
import { type TestFile, testFileSchema } from './testSchema.ts'

export interface LoadedTests {
  readonly file: TestFile
  readonly doc: YamlDoc
  readonly rules: readonly LoadedRule[]
}

export type LoadedTestFile =
  | { readonly ok: true; readonly loaded: LoadedTests }
  | { readonly ok: false; readonly problems: readonly YamlProblem[] }

/** Reads one file of tests with the rules that it is about: whole, or all that is wrong with it. */
export async function loadRuleTests(path: string): Promise<LoadedTestFile> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    return fail([fileProblem(path, `the tests cannot be read: ${errorText(error)}`)])
  }
  const { doc, data, problems } = parseYamlDocument({ path, text })
  if (doc === null) return fail(problems)
  const parsed = testFileSchema.safeParse(data)
  if (!parsed.success) {
    const found = schemaProblems(doc, { schema: testFileSchema, data }, parsed.error)
    return fail([...problems, ...withoutEchoes(problems, found)])
  }
  if (problems.length > 0) return fail(problems)
  const rules = await loadTestedRules(doc, dirname(resolve(path)), parsed.data)
  if (!rules.ok) return fail(rules.problems)
  const tests = { doc, file: parsed.data, rules: rules.rules }
  const wrong = [...checkMuteNames(doc, data), ...checkTestFile(tests)]
  if (wrong.length > 0) return fail(wrong)
  return { ok: true, loaded: { file: parsed.data, doc, rules: rules.rules } }
}

function fail(problems: readonly YamlProblem[]): LoadedTestFile {
  return { ok: false, problems }
}

/** Without `rules` what a daemon would run with that folder; else the files that are named, and nothing more. */
async function loadTestedRules(doc: YamlDoc, folder: string, { rules }: TestFile): Promise<LoadedRules> {
  if (rules === undefined) return readRules(folder, kinds)
  const files: YamlInput[] = []
  const problems: YamlProblem[] = []
  for (const [index, name] of rules.entries()) {
    try {
      for (const path of await listPlaces(resolve(folder, name))) {
        files.push({ path, text: await readFile(path, 'utf8') })
      }
    } catch (error) {
      problems.push(problemAt(doc, ['rules', index], `these rules cannot be read: ${errorText(error)}`))
    }
  }
  return problems.length > 0 ? { ok: false, problems } : loadRules(files, kinds)
}

async function listPlaces(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  return (await listRuleFiles(path)).map((name) => join(path, name))
}
