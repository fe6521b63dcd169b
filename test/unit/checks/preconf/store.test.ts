import { expect, test } from 'vitest'
import { openDatabase } from '../../../../src/store/database.ts'
import {
  addPreconfCounts,
  countLostPreconf,
  leadBoundsMs,
  listPreconfHours,
  noPreconfCounts,
  purgePreconf,
} from '../../../../src/checks/preconf/store.ts'

const hour = 3_600_000
const now = Date.UTC(2026, 0, 5, 10, 20)
const start = Date.UTC(2026, 0, 5, 10)

test('counts add up by the hour, leads by class', () => {
  const db = openDatabase(':memory:')
  addPreconfCounts(db, { ...noPreconfCounts, taken: 3, kept: 2, leadsMs: [-5, 99, 100, 9_000] }, 1, now)
  addPreconfCounts(db, { ...noPreconfCounts, kept: 1, leadsMs: [250] }, 0, now + 1)
  addPreconfCounts(db, { ...noPreconfCounts, dropped: 1 }, 0, now + hour)
  const [first, second] = listPreconfHours(db, 0, now + hour)
  expect(first).toMatchObject({ hour: start, taken: 3, kept: 3, leadCount: 5, leadSumMs: 9_444 })
  expect(first?.leads).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1])
  expect(first?.leads).toHaveLength(leadBoundsMs.length + 1)
  expect(second).toMatchObject({ hour: start + hour, kept: 0, dropped: 1 })
  db.close()
})

test('invariant 19: what the last run held and never settled is counted as unknown, once', () => {
  const db = openDatabase(':memory:')
  addPreconfCounts(db, { ...noPreconfCounts, taken: 5, kept: 2 }, 3, now)
  expect(countLostPreconf(db, now)).toBe(3)
  expect(countLostPreconf(db, now)).toBe(0)
  expect(listPreconfHours(db, start, start)[0]).toMatchObject({ taken: 5, kept: 2, unknown: 3 })
  db.close()
})

test('hours are forgotten after their time and not before', () => {
  const db = openDatabase(':memory:')
  addPreconfCounts(db, noPreconfCounts, 0, now)
  purgePreconf(db, start)
  expect(listPreconfHours(db, 0, now)).toHaveLength(1)
  purgePreconf(db, start + 1)
  expect(listPreconfHours(db, 0, now)).toEqual([])
  db.close()
})
