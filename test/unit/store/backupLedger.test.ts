import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { backupLedger } from '../../../src/store/backupLedger.ts'
import { openDatabase } from '../../../src/store/database.ts'

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-backup-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a backup taken between two writes holds what was committed, and opens as a ledger', async () => {
  const folder = createFolder()
  const path = join(folder, 'ledger.sqlite')
  const db = openDatabase(path)
  onTestFinished(() => db.close())
  const put = db.prepare('INSERT INTO meta VALUES (?, ?)')
  for (let row = 0; row < 5_000; row += 1) put.run(`before-${row}`, 'x'.repeat(500))
  const target = join(folder, 'copy.sqlite')
  const steps: number[] = []
  const copying = backupLedger(path, target, ({ remainingPages }) => steps.push(remainingPages))
  db.transaction(() => put.run('during', 'x'))
  await copying
  const copy = openDatabase(target)
  onTestFinished(() => copy.close())
  expect(copy.prepare("SELECT count(*) AS n FROM meta WHERE name LIKE 'before-%'").get()).toEqual({
    n: 5_000,
  })
  expect(copy.generation).toBe(db.generation)
  expect(statSync(target).mode & 0o777).toBe(0o600)
})

test('an existing file is never written over', async () => {
  const folder = createFolder()
  const path = join(folder, 'ledger.sqlite')
  openDatabase(path).close()
  writeFileSync(join(folder, 'copy.sqlite'), 'mine')
  await expect(backupLedger(path, join(folder, 'copy.sqlite'))).rejects.toThrow('exists already')
})

test('a backup that fails leaves nothing behind', async () => {
  const folder = createFolder()
  const path = join(folder, 'ledger.sqlite')
  writeFileSync(path, 'this is no database, however long it may be'.repeat(100))
  await expect(backupLedger(path, join(folder, 'copy.sqlite'))).rejects.toThrow('failed')
  expect(readdirSync(folder)).toEqual(['ledger.sqlite'])
  await expect(backupLedger(path, join(folder, 'missing', 'copy.sqlite'))).rejects.toThrow()
  expect(existsSync(join(folder, 'missing'))).toBe(false)
})
