import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import { saveMeta } from '../../../src/store/meta.ts'
import { ledgerTables } from '../../../src/store/migrations/0001_ledger.ts'

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-db-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function createOldLedger(path: string): void {
  const old = new DatabaseSync(path)
  old.exec(`${ledgerTables}; PRAGMA user_version = 1; INSERT INTO meta VALUES ('next_key', '7')`)
  old.close()
}

const readVersion = (path: string) => {
  const db = new DatabaseSync(path, { readOnly: true })
  onTestFinished(() => db.close())
  const next = db.prepare("SELECT value FROM meta WHERE name = 'next_key'").get()?.['value']
  return { version: Number(db.prepare('PRAGMA user_version').get()?.['user_version']), next }
}

test('F21: an older ledger is migrated, and kept as it was beside the migrated one', () => {
  const path = join(createFolder(), 'ledger.sqlite')
  createOldLedger(path)
  const db = openDatabase(path)
  expect(db.prepare('SELECT count(*) AS n FROM alerts').get()).toEqual({ n: 0 })
  db.close()
  expect(readVersion(path).version).toBeGreaterThan(1)
  expect(readVersion(`${path}.version-1`)).toEqual({ version: 1, next: '7' })
  expect(statSync(`${path}.version-1`).mode & 0o777).toBe(0o600)
})

test('F16: a migration that was cut off goes on without a copy of what it had come to, and without the room for one', () => {
  const folder = createFolder()
  const path = join(folder, 'ledger.sqlite')
  createOldLedger(path)
  const inTheWay = (sql: string) => {
    const old = new DatabaseSync(path)
    old.exec(sql)
    old.close()
  }
  inTheWay('CREATE TABLE settled_answers (key)')
  expect(() => openDatabase(path)).toThrow('settled_answers')
  inTheWay('DROP TABLE settled_answers')
  openDatabase(path).close()
  const copies = () => readdirSync(folder).filter((name) => name.includes('.version-'))
  expect(copies()).toEqual(['ledger.sqlite.version-1'])
  expect(readVersion(`${path}.version-1`)).toEqual({ version: 1, next: '7' })
  // The next one begins anew.
  inTheWay('PRAGMA user_version = 65; DROP INDEX stage_events_name')
  openDatabase(path).close()
  expect(copies()).toEqual(['ledger.sqlite.version-1', 'ledger.sqlite.version-65'])
})

test('a new ledger and one of this version leave no copy', () => {
  const folder = createFolder()
  const path = join(folder, 'ledger.sqlite')
  openDatabase(path).close()
  const { version } = {
    version: new DatabaseSync(path).prepare('PRAGMA user_version').get()?.['user_version'],
  }
  openDatabase(path).close()
  expect(existsSync(`${path}.version-0`)).toBe(false)
  expect(existsSync(`${path}.version-${String(version)}`)).toBe(false)
})

test('ledgers in memory have the tables of one in a file, and share nothing', () => {
  const file = openDatabase(join(createFolder(), 'ledger.sqlite'))
  const first = openDatabase(':memory:')
  saveMeta(first, 'next_key', '7')
  const second = openDatabase(':memory:')
  onTestFinished(() => [file, first, second].forEach((db) => db.close()))
  const listTables = (db: Database) =>
    db.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY type, name').all()
  for (const db of [first, second]) expect(listTables(db)).toEqual(listTables(file))
  expect(second.prepare("SELECT value FROM meta WHERE name = 'next_key'").get()).toBeUndefined()
  expect(new Set([file, first, second].map(({ generation }) => generation)).size).toBe(3)
})

test('F21: a newer ledger is refused and left as it is', () => {
  const path = join(createFolder(), 'ledger.sqlite')
  createOldLedger(path)
  const future = new DatabaseSync(path)
  future.exec('PRAGMA user_version = 999')
  future.close()
  expect(() => openDatabase(path)).toThrow(/newer spanwatch/)
  expect(readVersion(path)).toEqual({ version: 999, next: '7' })
})

test('a ledger that a daemon is only just beginning is not called one of an older spanwatch', () => {
  const path = join(createFolder(), 'ledger.sqlite')
  new DatabaseSync(path).close()
  expect(() => openDatabase(path, { readOnly: true })).toThrow(/holds nothing yet: a daemon that starts/)
})

test('what is written beside a transaction is on the disk when it returns, with what waited before it', () => {
  const path = join(createFolder(), 'ledger.sqlite')
  const db = openDatabase(path)
  const other = openDatabase(path, { readOnly: true })
  const named = () =>
    other.prepare("SELECT name FROM meta WHERE name LIKE 'test%' ORDER BY name").all().length
  db.transaction(() => saveMeta(db, 'test 1', 'x'), true)
  expect(named()).toBe(0)
  saveMeta(db, 'test 2', 'x')
  expect(named()).toBe(2)
  db.transaction(() => saveMeta(db, 'test 3', 'x'), true)
  db.checkpoint()
  expect(named()).toBe(3)
  db.transaction(() => saveMeta(db, 'test 4', 'x'), true)
  db.close()
  expect(named()).toBe(4)
  other.close()
})

test('pages that hold nothing are given back some at a time, where they are many', () => {
  const db = openDatabase(join(createFolder(), 'ledger.sqlite'))
  const count = (name: string) => Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
  const insert = db.prepare('INSERT INTO names (name) VALUES (?)')
  db.transaction(() => {
    for (let place = 0; place < 500; place += 1) insert.run(`${place}`.padEnd(4_000, '.'))
  })
  const whole = count('page_count')
  expect(db.giveBack(100)).toBe(false)
  db.prepare('DELETE FROM names').run()
  let steps = 1
  for (; db.giveBack(100); steps += 1) expect(count('page_count')).toBeLessThanOrEqual(whole - 100 * steps)
  expect(steps).toBeGreaterThan(5)
  expect(count('page_count')).toBeLessThan(whole / 3)
  expect(count('freelist_count')).toBeGreaterThan(0)
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  db.close()
})

test('a ledger that was begun before keeps them', () => {
  const path = join(createFolder(), 'ledger.sqlite')
  createOldLedger(path)
  const db = openDatabase(path)
  db.transaction(() => {
    for (let place = 0; place < 500; place += 1)
      db.prepare('INSERT INTO names (name) VALUES (?)').run(`${place}`.padEnd(4_000, '.'))
    db.prepare('DELETE FROM names').run()
  })
  expect(db.giveBack(100)).toBe(false)
  db.close()
})
