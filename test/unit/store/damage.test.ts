import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MonitorError } from '../../../src/lib/errors.ts'
import { DamagedLedger } from '../../../src/store/damage.ts'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import { openState } from '../../../src/store/openState.ts'
import type { State } from '../../../src/store/state.ts'
import { damageLog, damages } from '../../support/damage.ts'

let folder: string
let state: State | null = null
const path = () => join(folder, 'ledger.sqlite')
const open = () => (state = openState({ folder, since: 1_000, now: 5_000 }))

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spanwatch-damage-'))
})
const close = () => {
  state?.close()
  state = null
}
afterEach(() => {
  close()
  rmSync(folder, { recursive: true, force: true })
})

/** Rows enough for some hundred pages, all in the file. */
function fill(db: Database): void {
  db.transaction(() => {
    for (let row = 0; row < 500; row += 1)
      db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(`row-${row}`, 'x'.repeat(900))
  })
  db.checkpoint()
}

function fillOpened(): State {
  const opened = open()
  fill(opened.db)
  return opened
}

test.each(Object.keys(damages))(
  'F84: %s under a running process is found by looking the file through',
  async (name) => {
    const { damage, integrity } = fillOpened()
    await integrity.look()
    expect(damage.aborted).toBe(false)
    damages[name]?.(path())
    await integrity.look()
    expect(damage.reason).toBeInstanceOf(DamagedLedger)
    expect(String(damage.reason)).toMatch(/damaged: .*Restore it from a backup/)
  },
)

test.each(Object.keys(damages))('F84: with %s nothing starts, and the remedy is named', (name) => {
  fillOpened()
  close()
  damages[name]?.(path())
  expect(open).toThrow(DamagedLedger)
  expect(open).toThrow(/--reset-state/)
})

test('F84: garbage in the write-ahead log under a running process is found, too', async () => {
  const { db, damage, integrity } = fillOpened()
  db.transaction(() => db.prepare("DELETE FROM meta WHERE name LIKE 'row-1%'").run())
  expect(damageLog(path())).toBe(true)
  await integrity.look()
  expect(damage.reason).toBeInstanceOf(DamagedLedger)
})

test('F84: garbage in the write-ahead log at a start loses what stood in it and no more', () => {
  const { db, cursors } = fillOpened()
  db.transaction(() => db.prepare("INSERT INTO meta VALUES ('late', 'x')").run())
  cursors.write(cursors.read())
  // As a power loss leaves it: without the process's own last checkpoint.
  const copy = mkdtempSync(join(tmpdir(), 'spanwatch-damage-'))
  for (const name of ['ledger.sqlite', 'ledger.sqlite-wal', 'cursors.json'])
    copyFileSync(join(folder, name), join(copy, name))
  damageLog(join(copy, 'ledger.sqlite'))
  const after = openState({ folder: copy, since: 1_000, now: 6_000 })
  expect(after.db.prepare("SELECT count(*) AS n FROM meta WHERE name LIKE 'row-%'").get()).toEqual({ n: 500 })
  expect(after.db.prepare("SELECT 1 FROM meta WHERE name = 'late'").get()).toBeUndefined()
  after.close()
  rmSync(copy, { recursive: true })
})

test('F84: a broken page that a statement meets is the same damage, in words', () => {
  fillOpened()
  close()
  damages['overwritten pages']?.(path())
  const damage = new AbortController()
  const readAll = () => {
    // As of one too large to be looked through before it is used.
    const db = openDatabase(path(), { readOnly: true, damage })
    db.prepare('SELECT sum(length(value)) FROM meta').get()
  }
  expect(readAll).toThrow(DamagedLedger)
  expect(damage.signal.reason).toBeInstanceOf(DamagedLedger)
})

test('F84: a row that cannot be understood has the file looked through', async () => {
  const { db, damage, integrity } = fillOpened()
  damages['overwritten pages']?.(path())
  const misread = () => {
    throw new MonitorError('state.invalid', 'The ledger cannot be read: alerts, column id')
  }
  expect(() => db.transaction(misread)).toThrow('column id')
  await integrity.look()
  expect(damage.aborted).toBe(true)
})

test('after a checkpoint the file alone holds everything, and a long log gives its room back', () => {
  const { db } = fillOpened()
  const copy = `${path()}.copy`
  copyFileSync(path(), copy)
  const alone = new DatabaseSync(copy)
  expect(alone.prepare("SELECT count(*) AS n FROM meta WHERE name LIKE 'row-%'").get()).toEqual({ n: 500 })
  alone.close()
  db.truncateLog()
  expect(statSync(`${path()}-wal`).size).toBe(0)
})

test('a reader holds up no checkpoint', () => {
  const { db } = fillOpened()
  const reader = new DatabaseSync(path(), { readOnly: true })
  const rows = reader.prepare('SELECT * FROM meta').iterate()
  rows.next()
  db.transaction(() => db.prepare("INSERT INTO meta VALUES ('late', 'x')").run())
  const startedMs = performance.now()
  db.truncateLog()
  const { pages, copied } = db.checkpoint()
  expect(performance.now() - startedMs).toBeLessThan(1_000)
  expect(copied).toBeLessThanOrEqual(pages)
  reader.close()
  db.truncateLog()
  expect(statSync(`${path()}-wal`).size).toBe(0)
})
