import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openState } from '../../../src/store/openState.ts'
import type { State } from '../../../src/store/state.ts'

let folder: string
let state: State
const path = () => join(folder, 'ledger.sqlite')
const logBytes = () => statSync(`${path()}-wal`).size
const { signal } = new AbortController()

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spanwatch-log-'))
  state = openState({ folder, since: 1_000, now: 5_000 })
})
afterEach(() => {
  state.close()
  rmSync(folder, { recursive: true, force: true })
})

let written = 0

/** So many megabytes of log, by as many commits. */
function write(megabytes: number): void {
  for (let left = megabytes; left > 0; left -= 1) {
    written += 1
    state.db.transaction(() =>
      state.db.prepare('INSERT INTO meta VALUES (?, ?)').run(`row-${written}`, 'x'.repeat(1_000_000)),
    )
  }
}

/** What the ledger's file holds without its log. */
function countInFile(): unknown {
  const copy = join(folder, 'copy')
  copyFileSync(path(), copy)
  const alone = new DatabaseSync(copy)
  const found = alone.prepare("SELECT count(*) AS n FROM meta WHERE name LIKE 'row-%'").get()?.['n']
  alone.close()
  return found
}

test.each([2, 6])('%d MB of log are copied into the file', async (megabytes) => {
  const before = written
  write(megabytes)
  await state.logCopies.run(signal)
  expect(countInFile()).toBe(written - before)
})

test('a long log gives its room back once nobody writes', async () => {
  write(6)
  await state.logCopies.run(signal)
  expect(logBytes()).toBeGreaterThan(6_000_000)
  await state.logCopies.run(signal)
  expect(logBytes()).toBe(0)
})

test('what is committed while a long log is copied is copied as well, and the log is kept for what comes next', async () => {
  const before = written
  const isAllCopied = () => countInFile() === written - before
  // On a machine that is busy the copy may be over before the commit is, or as good as over.
  for (let attempt = 0; attempt < 10; attempt += 1) {
    write(6)
    const running = state.logCopies.run(signal)
    write(1)
    await running
    if (logBytes() > 6_000_000 && isAllCopied()) break
  }
  expect(isAllCopied()).toBe(true)
  expect(logBytes()).toBeGreaterThan(6_000_000)
  write(1)
  // Begun anew, and cut.
  expect(logBytes()).toBeLessThan(5_000_000)
})

test('it is due by 8 MB, again after 8 MB more', async () => {
  const reader = new DatabaseSync(path(), { readOnly: true })
  const rows = reader.prepare('SELECT * FROM meta').iterate()
  rows.next()
  write(7)
  expect(state.logCopies.isDue()).toBe(false)
  write(2)
  expect(state.logCopies.isDue()).toBe(true)
  // Somebody reads what was before: the log cannot begin anew.
  await state.logCopies.run(signal)
  expect(state.logCopies.isDue()).toBe(false)
  write(9)
  expect(state.logCopies.isDue()).toBe(true)
  reader.close()
  await state.logCopies.run(signal)
  write(1)
  expect(state.logCopies.isDue()).toBe(false)
})

test('what stays in memory is not copied', async () => {
  await state.logCopies.run(signal)
  state.db.held.hold()
  write(6)
  await state.logCopies.run(signal)
  expect(countInFile()).toBe(0)
})
