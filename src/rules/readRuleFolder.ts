import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { errorText } from '../lib/errors.ts'
import type { YamlInput } from '../lib/parseYamlDocument.ts'
import { fileProblem } from '../lib/yamlProblems.ts'
import { type LoadedRules, loadRules } from './loadRules.ts'

/** Reads and compiles all `*.yaml` and `*.yml` of a folder, in the order of their names. Hidden files are not read. */
export async function readRuleFolder(folder: string): Promise<LoadedRules> {
  let files: YamlInput[]
  try {
    const names = (await readdir(folder)).filter((name) => /^[^.].*\.ya?ml$/.test(name)).sort()
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
  if (files.length > 0) return loadRules(files)
  const message = 'no rule file (*.yaml or *.yml) in this folder: nothing would ever be told'
  return { ok: false, problems: [fileProblem(folder, message)] }
}
