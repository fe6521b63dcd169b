import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  type Cursors,
  initialCursors,
  openCursors,
  parseCursors,
  sparing,
} from '../../../src/store/cursors.ts'

const at = (page: number): Cursors => ({ ...initialCursors(0), sweep: { ...initialCursors(0).sweep, page } })

function setUp() {
  const written: number[] = []
  let kept = at(1)
  const cursors = sparing({
    read: () => kept,
    write(next) {
      kept = next
      written.push(next.sweep.page)
    },
  })
  return { cursors, written }
}

test('a walk waits for the disk once in sixteen pages, and is known page by page', () => {
  const { cursors, written } = setUp()
  for (let page = 2; page <= 40; page += 1) {
    cursors.advance(at(page))
    expect(cursors.read().sweep.page).toBe(page)
  }
  expect(written).toEqual([17, 33])
})

test('what has to be written takes the place of what a walk noted, and counts anew', () => {
  const { cursors, written } = setUp()
  for (let page = 2; page <= 9; page += 1) cursors.advance(at(page))
  cursors.write(at(10))
  expect(cursors.read().sweep.page).toBe(10)
  for (let page = 11; page <= 25; page += 1) cursors.advance(at(page))
  expect(written).toEqual([10])
  cursors.advance(at(26))
  expect(written).toEqual([10, 26])
})

test('pages that come at once count as many', () => {
  const { cursors, written } = setUp()
  cursors.advance(at(16), 15)
  expect(written).toEqual([])
  cursors.advance(at(36), 20)
  expect(written).toEqual([36])
})

test('a file of an older version, which lacks what is kept by now, is read as it is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-cursors-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'cursors.json')
  const { oldestAt, ...history } = { ...initialCursors(5).history, read: 3 }
  const cursors = { ...initialCursors(5), history }
  const checksum = createHash('sha256').update(JSON.stringify(cursors)).digest('hex').slice(0, 16)
  const text = JSON.stringify({ version: 1, ledger: 'g', commit: 0, checksum, cursors })
  writeFileSync(path, text)
  const { file, recovered } = openCursors({
    path,
    ledger: 'g',
    commit: () => 1,
    initial: initialCursors(1),
    isFirstStart: false,
    now: 1_000,
    onUnwritten(error) {
      throw error
    },
  })
  expect(recovered).toBe(null)
  expect(file.read().history).toEqual({ ...history, oldestAt })
  expect(parseCursors(text)?.history.read).toBe(3)
})
