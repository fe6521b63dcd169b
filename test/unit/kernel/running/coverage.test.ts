import { expect, test } from 'vitest'
import { openDatabase } from '../../../../src/store/database.ts'
import {
  coverageOf,
  listCovered,
  listCoveredSources,
  noteCoverage,
  observedSince,
  purgeCoverage,
} from '../../../../src/kernel/running/coverage.ts'

test('readings within the bound are one interval, one beyond it leaves a gap', () => {
  const db = openDatabase(':memory:')
  for (const at of [1_000, 2_000, 5_000, 8_001, 9_000]) noteCoverage(db, 'transfers', at, 3_000)
  expect(listCovered(db, 'transfers', { from: 0, until: 20_000 })).toEqual([
    { from: 1_000, until: 5_000 },
    { from: 8_001, until: 9_000 },
  ])
  expect(listCoveredSources(db)).toEqual(['transfers'])
  expect(observedSince(db, 'transfers')).toBe(1_000)
  expect(observedSince(db, 'heads')).toBeNull()
})

test('an older reading changes nothing', () => {
  const db = openDatabase(':memory:')
  for (const at of [5_000, 4_000]) noteCoverage(db, 'heads', at, 3_000)
  expect(listCovered(db, 'heads', { from: 0, until: 9_000 })).toEqual([{ from: 5_000, until: 5_000 }])
  purgeCoverage(db, 5_001, 10)
  expect(listCoveredSources(db)).toEqual([])
})

test('the share and the gaps of a time are told, its edges included', () => {
  const covered = [
    { from: 10, until: 30 },
    { from: 50, until: 120 },
  ]
  expect(coverageOf(covered, { from: 0, until: 100 })).toEqual({
    share: 0.7,
    gaps: [
      { from: 0, until: 10 },
      { from: 30, until: 50 },
    ],
  })
  expect(coverageOf([], { from: 0, until: 100 })).toEqual({ share: 0, gaps: [{ from: 0, until: 100 }] })
  expect(coverageOf(covered, { from: 50, until: 120 })).toEqual({ share: 1, gaps: [] })
})
