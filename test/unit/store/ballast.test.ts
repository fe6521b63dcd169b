import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createBallast, isDiskFull } from '../../../src/store/ballast.ts'
import { openDatabase } from '../../../src/store/database.ts'

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-ballast-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('the room is really taken, given away, and taken again', () => {
  const path = join(createFolder(), 'ballast')
  const ballast = createBallast(path, 3_000_000)
  expect(ballast.hold()).toBe(true)
  expect(statSync(path).size).toBe(3_000_000)
  expect(statSync(path).blocks * 512).toBeGreaterThanOrEqual(3_000_000)
  ballast.free()
  expect(existsSync(path)).toBe(false)
  expect(ballast.hold()).toBe(true)
})

test('room that cannot be had leaves no half a file', () => {
  const path = join(createFolder(), 'missing', 'ballast')
  expect(createBallast(path).hold()).toBe(false)
  expect(existsSync(path)).toBe(false)
})

test('F16: a commit that finds the disk full says so, and nothing else does', () => {
  const failures: unknown[] = []
  const db = openDatabase(':memory:', {
    onOutcome: (outcome) => 'error' in outcome && failures.push(outcome.error),
  })
  onTestFinished(() => db.close())
  db.prepare('PRAGMA max_page_count = 1').get()
  const fill = () =>
    db.transaction(() => {
      for (let row = 0; row < 1_000; row += 1)
        db.prepare('INSERT INTO meta VALUES (?, ?)').run(`${row}`, 'x'.repeat(9_000))
    })
  expect(fill).toThrow('full')
  expect(failures.map(isDiskFull)).toEqual([true])
  expect(() => db.transaction(() => db.prepare('INSERT INTO meta VALUES (1, NULL)').run())).toThrow()
  expect(failures.map(isDiskFull)).toEqual([true, false])
})

test('F16: no room for the index of the write-ahead log is a full disk, whatever SQLite calls it', () => {
  const refusal = (errcode: number) => Object.assign(new Error('disk I/O error'), { errcode })
  expect([4_874, 10, 778].map((code) => isDiskFull(refusal(code)))).toEqual([true, false, false])
})
