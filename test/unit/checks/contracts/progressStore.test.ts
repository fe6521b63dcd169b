import { expect, onTestFinished, test } from 'vitest'
import { dropGap, listGaps, saveGap } from '../../../../src/checks/contracts/progressStore.ts'
import { openDatabase } from '../../../../src/store/database.ts'

const address = '0xc0'

function open() {
  const db = openDatabase(':memory:')
  onTestFinished(() => db.close())
  const save = (first: number, last: number, attempts = 1) =>
    saveGap(db, address, {
      first,
      last,
      attempts,
      retryAt: 1_000,
      empty: { firstAt: 1, lastAt: 2, reads: 2, controlAt: 1 },
    })
  return { db, save, gaps: () => listGaps(db, address, Infinity, 10_000) }
}

test('of more ranges than are kept apart none is lost: a further one widens its neighbour, which is not empty by what was read of it', () => {
  const { save, gaps } = open()
  for (let n = 0; n < 2_000; n += 1) save(n * 10, n * 10 + 4)
  save(5_006, 5_007, 3)
  save(90_000, 90_010)
  const all = gaps()
  expect(all).toHaveLength(2_000)
  const covering = (height: number) => all.filter(({ first, last }) => first <= height && height <= last)
  expect(covering(5_007).map(({ attempts, empty }) => [attempts, empty.reads])).toEqual([[1, 0]])
  for (const height of [0, 4, 5_004, 5_006, 19_994, 90_000, 90_010]) expect(covering(height)).not.toEqual([])
})

test('a range that fails in halves where no more are kept stays whole', () => {
  const { db, save, gaps } = open()
  for (let n = 0; n < 2_000; n += 1) save(n * 10, n * 10 + 3)
  const [failing] = gaps().filter(({ first }) => first === 1_000)
  dropGap(db, failing?.id ?? 0)
  save(1_000, 1_001, 2)
  save(1_002, 1_003, 2)
  expect(gaps().filter(({ first, last }) => first <= 1_003 && last >= 1_000)).toMatchObject([
    { first: 1_000, last: 1_003 },
  ])
})
