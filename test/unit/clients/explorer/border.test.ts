import { expect, test } from 'vitest'
import { isContinued, type PlacedPage } from '../../../../src/clients/explorer/border.ts'

const pageAt = (start: number, names: string): PlacedPage => {
  const keys = Array.from(names)
  return { start, keys, bare: keys, positions: keys.map(() => 7) }
}

test.each([
  ['begins with the last rows, in their places', 12, 'cdef', true],
  ['begins with them, moved by a row', 11, 'cdef', false],
  ['begins with others', 12, 'xdef', false],
  ['goes on with a row that was read', 12, 'cdea', false],
  ['shows that this row is several', 12, 'cdeaa', true],
  ['begins above all of the last page', 9, 'def', false],
])('a page within a block that %s', (_, start, names, isJoined) => {
  expect(isContinued([pageAt(10, 'abcd')], pageAt(start, names))).toBe(isJoined)
})
