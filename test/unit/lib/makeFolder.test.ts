import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeFolder } from '../../../src/lib/makeFolder.ts'
import { takeFolder } from '../../../src/store/stateFolder.ts'

let base: string

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'spanwatch-folder-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

test('a folder is made with those above it, and one that is there is left as it is', () => {
  const path = join(base, 'a', 'b', 'c')
  makeFolder(path, 0o700)
  makeFolder(path, 0o755)
  expect(statSync(path).mode & 0o777).toBe(0o700)
})

test('a link to a folder is one', () => {
  symlinkSync(base, join(base, 'link'))
  makeFolder(join(base, 'link', 'a'))
  expect(existsSync(join(base, 'a'))).toBe(true)
})

test.each([
  { what: 'a file in its place', path: 'file', code: /EEXIST/ },
  { what: 'a file above it', path: 'file/a', code: /ENOTDIR/ },
  { what: 'a link to nothing in its place', path: 'nothing', code: /EEXIST/ },
])('$what is an error', ({ path, code }) => {
  writeFileSync(join(base, 'file'), '')
  symlinkSync(join(base, 'gone'), join(base, 'nothing'))
  expect(() => makeFolder(join(base, path))).toThrow(code)
})

// Without an end where it is made by `recursive`.
test.runIf(process.platform === 'linux')('where the system takes no folder a start ends and says so', () => {
  for (const path of ['/proc/spanwatch', '/proc/spanwatch/state'])
    expect(() => takeFolder(path)).toThrow(
      `The state folder ${path} cannot be made: ENOENT: no such file or directory, mkdir '/proc/spanwatch'`,
    )
})
