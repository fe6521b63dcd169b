import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { errorText } from '../lib/errors.ts'
import type { YamlInput } from '../lib/parseYamlDocument.ts'
import { fileProblem } from '../lib/yamlProblems.ts'
import type { Kinds } from './kinds.ts'
import { type LoadedRules, loadRules } from './loadRules.ts'

/** Tests of rules lie beside them and are no rules. */
const testName = /\.test\.ya?ml$/

/** Whether a file name is one of tests of rules. */
export function isRuleTestName(name: string): boolean {
  return testName.test(name)
}

/**
 * Reads and compiles all `*.yaml` and `*.yml` of a folder, in the order of their names. Hidden files and tests of rules
 * (`*.test.yaml`) are not read.
 */
export async function readRuleFolder(folder: string, kinds: Kinds): Promise<LoadedRules> {
  let files: YamlInput[]
  try {
    const names = await listRuleFiles(folder)
    files = await Promise.all(
      names.map(async (name) => ({
        path: `${basename(folder)}/${name}`,
        text: await readFile(join(folder, name), 'utf8'),
      })),
    )
  } catch (error) {
    const message = `the folder of rules cannot be read: ${errorText(error)}`
    return { ok: false, problems: [fileProblem(folder, message)] }
  }
  if (files.length > 0) return loadRules(files, kinds)
  const message = 'no rule file (*.yaml or *.yml) in this folder: nothing would ever be reported'
  return { ok: false, problems: [fileProblem(folder, message)] }
}

/** The names of a folder's rule files. */
export async function listRuleFiles(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter(isRuleName).sort()
}

function isRuleName(name: string): boolean {
  return /^[^.].*\.ya?ml$/.test(name) && !testName.test(name)
}
