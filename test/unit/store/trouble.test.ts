import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { initialCursors, type WalkCursors } from '../../../src/store/cursors.ts'
import type { Database } from '../../../src/store/database.ts'
import { createTrouble, readMarker } from '../../../src/store/trouble.ts'

const full = Object.assign(new Error('database or disk is full'), { errcode: 13 })
const ioError = Object.assign(new Error('disk I/O error'), { errcode: 10 })

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-trouble-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const ledger = { isHeld: false, isWaiting: false, released: 0, heldBytes: 4_096, refuses: false }
  const notes: unknown[] = []
  const db = {
    prepare: () => ({ run: (...values: unknown[]) => void notes.push(values) }),
    truncateLog: () => undefined,
    held: {
      hold: () => void (ledger.isHeld = true),
      isHeld: () => ledger.isHeld,
      isUnsaved: () => ledger.isHeld || ledger.isWaiting,
      heldBytes: () => ledger.heldBytes,
      release() {
        ledger.isHeld = false
        if (ledger.refuses) throw full
        ledger.released += 1
        trouble.note({ tookMs: 1 }, db)
      },
    },
  } as unknown as Database
  let now = 0
  const trouble = createTrouble(
    folder,
    () => (now += 1_000),
    () => undefined,
  )
  const written: number[] = []
  let kept = initialCursors(0)
  const advanced: (readonly [page: number, pages: number])[] = []
  const file: WalkCursors = {
    read: () => kept,
    write(next) {
      kept = next
      written.push(next.sweep.page)
    },
    advance(next, pages = 1) {
      kept = next
      advanced.push([next.sweep.page, pages])
    },
  }
  const cursors = trouble.watchCursors(file, db)
  const at = (page: number) => ({ ...initialCursors(0), sweep: { ...initialCursors(0).sweep, page } })
  return { folder, ledger, db, notes, trouble, cursors, written, advanced, at }
}

test('F16: the first commit that finds the disk full gives the reserve away, the next one holds (semantics 37)', () => {
  const { folder, ledger, db, trouble } = setUp()
  writeFileSync(join(folder, 'ballast'), 'room')
  trouble.note({ error: full }, db)
  expect(ledger.isHeld).toBe(false)
  expect(readMarker(folder)).toBeNull()
  trouble.note({ error: full }, db)
  expect(ledger.isHeld).toBe(true)
  expect(readMarker(folder)).toBeGreaterThan(0)
})

test('a disk that refuses now and then is asked again; one that refuses five times in a row is not', () => {
  const { ledger, db, trouble } = setUp()
  for (let round = 0; round < 10; round += 1) {
    for (let refusal = 0; refusal < 4; refusal += 1) trouble.note({ error: ioError }, db)
    trouble.note({ tookMs: 1 }, db)
  }
  expect(ledger.isHeld).toBe(false)
  for (let refusal = 0; refusal < 5; refusal += 1) trouble.note({ error: ioError }, db)
  expect(ledger.isHeld).toBe(true)
  expect(trouble.diskErrors()).toEqual({ count: 45, last: 'disk I/O error' })
})

test('F16: cursors stay in memory with the commits that they point past, and are saved after them', () => {
  const { folder, ledger, db, trouble, cursors, written, at } = setUp()
  cursors.write(at(2))
  trouble.note({ error: full }, db)
  cursors.write(at(3))
  expect(written).toEqual([2])
  expect(cursors.read().sweep.page).toBe(3)
  trouble.settle(db)
  expect(ledger.released).toBe(1)
  expect(written).toEqual([2, 3])
  expect(readMarker(folder)).toBeNull()
})

test('cursors that point past a commit that waits are saved after it, the newest of them alone', () => {
  const { ledger, db, trouble, cursors, written, at } = setUp()
  ledger.isWaiting = true
  cursors.write(at(2))
  cursors.write(at(3))
  expect([cursors.read().sweep.page, written]).toEqual([3, []])
  ledger.isWaiting = false
  trouble.note({ tookMs: 1 }, db)
  expect([cursors.read().sweep.page, written]).toEqual([3, [3]])
  trouble.note({ tookMs: 1 }, db)
  expect(written).toEqual([3])
})

test('a walk that came further while a commit waits comes as many pages further after it; what had to be written is', () => {
  const { ledger, db, trouble, cursors, written, advanced, at } = setUp()
  ledger.isWaiting = true
  cursors.advance(at(2))
  cursors.advance(at(3))
  expect([cursors.read().sweep.page, advanced]).toEqual([3, []])
  ledger.isWaiting = false
  trouble.note({ tookMs: 1 }, db)
  ledger.isWaiting = true
  cursors.write(at(4))
  cursors.advance(at(5))
  ledger.isWaiting = false
  trouble.note({ tookMs: 1 }, db)
  expect([advanced, written]).toEqual([[[3, 2]], [5]])
})

test('cursors that point past a commit that waited in vain are lost with it', () => {
  const { ledger, db, trouble, cursors, at } = setUp()
  cursors.write(at(2))
  ledger.isWaiting = true
  cursors.write(at(3))
  ledger.isWaiting = false
  trouble.note({ error: ioError }, db)
  expect(cursors.read().sweep.page).toBe(2)
})

test('F16: cursors that point past what was lost are lost with it', () => {
  const { ledger, db, trouble, cursors, at } = setUp()
  cursors.write(at(2))
  trouble.note({ error: full }, db)
  cursors.write(at(3))
  ledger.isHeld = false
  trouble.note({ error: full }, db)
  expect(cursors.read().sweep.page).toBe(2)
})

test('F16: that what was held was lost is noted in the ledger, so that what is sent again says so', () => {
  const { ledger, db, notes, trouble } = setUp()
  trouble.note({ error: full }, db)
  trouble.note({ error: full }, db)
  expect(notes).toEqual([])
  ledger.isHeld = false
  trouble.note({ error: full }, db)
  expect(notes).toEqual([['restored', JSON.stringify({ from: 1_000, at: 3_000 })]])
  trouble.settle(db)
  trouble.note({ error: full }, db)
  expect(notes).toHaveLength(1)
})

test('F16: without room for all that is held nothing is tried', () => {
  const { ledger, db, trouble } = setUp()
  trouble.note({ error: full }, db)
  ledger.heldBytes = Number.MAX_SAFE_INTEGER / 2
  trouble.settle(db)
  expect(ledger).toMatchObject({ isHeld: true, released: 0 })
})

test('F16: what the disk refuses nevertheless is thrown, and the note of it stays', () => {
  const { folder, ledger, db, trouble } = setUp()
  trouble.note({ error: full }, db)
  ledger.refuses = true
  expect(() => trouble.release(db)).toThrow('disk is full')
  expect(readMarker(folder)).toBeGreaterThan(0)
})
