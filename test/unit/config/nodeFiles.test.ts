import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../../src/config/loadConfig.ts'
import { smallest } from './loadInMemory.ts'

/** A configuration beside a folder of secrets. */
function setUp(modes: { folder: number; file: number }) {
  // In a folder that everybody may enter, as /etc is.
  const root = mkdtempSync(join(tmpdir(), 'spanwatch-config-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  chmodSync(root, 0o755)
  mkdirSync(join(root, 'secrets'))
  writeFileSync(join(root, 'secrets', 'token'), 'sixteen-letters-0\n')
  chmodSync(join(root, 'secrets', 'token'), modes.file)
  chmodSync(join(root, 'secrets'), modes.folder)
  mkdirSync(join(root, 'etc'))
  const path = join(root, 'etc', 'spanwatch.yaml')
  const load = (text: string, env: Readonly<Record<string, string>> = {}) => {
    writeFileSync(path, text)
    const loaded = loadConfig({ path, env })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
    return { ...loaded, warnings: loaded.warnings.map(({ line, message }) => `${line} ${message}`) }
  }
  return { root, load }
}

const named = `${smallest}http: { token: "\${file:../secrets/token}" }\n`
const warning = '2 every user of this machine can read ../secrets/token: take that away with chmod o-r'

test.each([
  { file: '644', folder: '755', warnings: [warning] },
  { file: '640', folder: '755', warnings: [] },
  { file: '644', folder: '700', warnings: [] },
])('F80: a secret file of mode $file in a folder of mode $folder', ({ file, folder, warnings }) => {
  const modes = { file: Number.parseInt(file, 8), folder: Number.parseInt(folder, 8) }
  const { config, warnings: given } = setUp(modes).load(named)
  expect(config.http?.token?.reveal()).toBe('sixteen-letters-0')
  expect(given).toEqual(warnings)
})

test('F80: a name with .. leads from the folder of the file, not from where spanwatch was started', () => {
  const { root, load } = setUp({ file: 0o600, folder: 0o700 })
  expect(load(`${smallest}state: ../data\n`).config.stateDir).toBe(join(root, 'data'))
})

test('F80: what a variable or a file brings names no further file', () => {
  const { load } = setUp({ file: 0o600, folder: 0o700 })
  const text = `${smallest}http: { token: "\${TOKEN}" }\n`
  const { config } = load(text, { TOKEN: '${file:../secrets/token}' })
  expect(config.http?.token?.reveal()).toBe('${file:../secrets/token}')
})

test.skipIf(process.platform === 'win32')(
  'a pipe or a device in the place of a secret is an error, and nobody waits for it',
  () => {
    const { root, load } = setUp({ file: 0o600, folder: 0o700 })
    execFileSync('mkfifo', [join(root, 'secrets', 'pipe')])
    expect(() => load(`${smallest}http: { token: "\${file:../secrets/pipe}" }\n`)).toThrow(
      'it is a pipe or a device, not a file',
    )
    expect(() => load(`${smallest}http: { token: "\${file:/dev/zero}" }\n`)).toThrow(
      'it is a pipe or a device',
    )
  },
)
