import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/store/database.ts'
import { ledgerPath } from '../../../src/store/state.ts'
import { runCommand } from '../../unit/cli/testIo.ts'
import { createLoopbackConfig } from './serveBlocks.ts'

test.each([
  ['report', ['--date', 'today', '--out', 'file'], '--out: {folder}/file cannot be written: EEXIST'],
  [
    'report',
    ['--date', 'today', '--out', 'file/below'],
    '--out: {folder}/file/below cannot be written: ENOTDIR',
  ],
  ['backup', ['--to', 'file/copy.sqlite'], '{folder}/file is no folder.'],
  ['backup', ['--to', 'missing/copy.sqlite'], '{folder}/missing is no folder.'],
])('%s %j, where that cannot be written, is an error that says so', async (command, words, expected) => {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-unwritable-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'spanwatch.yaml')
  writeFileSync(config, createLoopbackConfig('http://127.0.0.1:9'))
  writeFileSync(join(folder, 'file'), '')
  mkdirSync(join(folder, 'state'), { mode: 0o700 })
  openDatabase(ledgerPath(join(folder, 'state'))).close()
  const place = join(folder, words.at(-1) ?? '')
  const { err, exitCode } = await runCommand([command, ...words.slice(0, -1), place, '-c', config])
  expect(err).toContain(expected.replace('{folder}', folder))
  expect(exitCode).toBe(2)
})
