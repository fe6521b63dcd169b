import { existsSync, mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copyForOthers } from '../../../src/daemon/copyForOthers.ts'
import { readSpareBytes } from '../../../src/store/ballast.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { ledgerPath } from '../../../src/store/state.ts'

function open() {
  const stateDir = mkdtempSync(join(tmpdir(), 'spanwatch-copy-'))
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }))
  openDatabase(ledgerPath(stateDir)).close()
  const target = join(stateDir, 'replica-snapshot')
  return { stateDir, target, copy: () => copyForOthers({ stateDir, target }, new AbortController().signal) }
}

test('a ledger is copied', async () => {
  const { target, copy } = open()
  await copy()
  expect(existsSync(target)).toBe(true)
})

test('F16: without room for it beside the reserve nothing is written, and that is said', async () => {
  const { stateDir, target, copy } = open()
  truncateSync(ledgerPath(stateDir), readSpareBytes(stateDir) + 2 ** 34)
  await expect(copy()).rejects.toThrow(/could not be copied for others: it needs \d+ bytes of room/)
  expect(existsSync(`${target}.partial`)).toBe(false)
})
