import { expect, test } from 'vitest'
import { putNewest } from '../../../src/lib/putNewest.ts'

test('what was put first goes, and what comes again counts as new', () => {
  const map = new Map<string, number>()
  putNewest(map, 'a', 1, 2)
  putNewest(map, 'b', 2, 2)
  putNewest(map, 'a', 3, 2)
  putNewest(map, 'c', 4, 2)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
})
