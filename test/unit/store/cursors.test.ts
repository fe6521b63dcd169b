import { expect, test } from 'vitest'
import { type Cursors, initialCursors, sparing } from '../../../src/store/cursors.ts'

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
