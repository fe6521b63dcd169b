import { kinds } from '../../../src/checks/index.ts'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readRuleFolder } from '../../../src/rules/readRuleFolder.ts'

const rule = (name: string) => `rules:\n  - { name: ${name}, on: transfer.failed, severity: info }\n`
let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spanwatch-rules-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('reads every YAML file in the order of their names, and no other', async () => {
  await writeFile(join(folder, 'b.yml'), rule('second'))
  await writeFile(join(folder, 'a.yaml'), rule('first'))
  await writeFile(join(folder, '.a.yaml.swp'), 'junk')
  await writeFile(join(folder, '.hidden.yaml'), 'junk')
  await writeFile(join(folder, 'README.md'), 'junk')
  const loaded = await readRuleFolder(folder, kinds)
  expect(loaded.ok && loaded.rules.map(({ name }) => name)).toEqual(['first', 'second'])
})

test('an empty folder is refused', async () => {
  expect(await readRuleFolder(folder, kinds)).toMatchObject({ ok: false, problems: [{ file: folder }] })
})

test('a folder that is not there is refused, named', async () => {
  const missing = join(folder, 'missing')
  expect(await readRuleFolder(missing, kinds)).toMatchObject({ ok: false, problems: [{ file: missing }] })
})
