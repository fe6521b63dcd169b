import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { errorText } from '../lib/errors.ts'
import { readPlainText } from '../lib/plainFile.ts'
import type { YamlInput } from '../lib/parseYamlDocument.ts'
import { fileProblem, type YamlProblem } from '../lib/yamlProblems.ts'
import type { Kinds } from './kinds.ts'
import { type LoadedRules, loadRules } from './loadRules.ts'

/** Tests of rules lie beside them and are no rules. */
const testName = /\.test\.ya?ml$/i

/** Whether a file name is one of tests of rules. */
export function isRuleTestName(name: string): boolean {
  return testName.test(name)
}

/**
 * Reads and compiles all `*.yaml` and `*.yml` of a folder, in the order of their names. Hidden files and tests of rules
 * (`*.test.yaml`) are not read.
 */
export async function readRuleFolder(folder: string, kinds: Kinds): Promise<LoadedRules> {
  let names: string[]
  try {
    names = await listRuleFiles(folder)
  } catch (error) {
    const message = `the folder of rules cannot be read: ${errorText(error)}`
    return { ok: false, problems: [fileProblem(folder, message)] }
  }
  const files: YamlInput[] = []
  const problems: YamlProblem[] = []
  for (const name of names) {
    const path = `${basename(folder)}/${name}`
    try {
      files.push({ path, text: readPlainText(join(folder, name)) })
    } catch (error) {
      problems.push(fileProblem(path, `these rules cannot be read: ${errorText(error)}`))
    }
  }
  if (problems.length > 0) return { ok: false, problems }
  if (files.length > 0) {
    const loaded = loadRules(files, kinds)
    return loaded.ok ? { ...loaded, warnings: await warnOfFolders(folder) } : loaded
  }
  const message = 'no rule file (*.yaml or *.yml) in this folder: nothing would ever be reported'
  return { ok: false, problems: [fileProblem(folder, message)] }
}

/** Rules in folders below are not read, as if nobody had written them. */
async function warnOfFolders(folder: string): Promise<YamlProblem[]> {
  const found = await readdir(folder, { withFileTypes: true })
  const below = found.filter((one) => one.isDirectory() && !one.name.startsWith('.')).map(({ name }) => name)
  const warnings = below.sort().map(async (name) => {
    const files = await listRuleFiles(join(folder, name)).catch(() => [])
    const message = `rules in a folder below are not read, such as ${files[0] ?? ''}: move them up beside the others`
    return files.length === 0 ? [] : [fileProblem(`${basename(folder)}/${name}`, message)]
  })
  return (await Promise.all(warnings)).flat()
}

/** The names of a folder's rule files. */
export async function listRuleFiles(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter(isRuleName).sort()
}

function isRuleName(name: string): boolean {
  return /^[^.].*\.ya?ml$/i.test(name) && !testName.test(name)
}
