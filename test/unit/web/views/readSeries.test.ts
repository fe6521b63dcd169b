import { expect, test } from 'vitest'
import { nothingKept } from '../../../../src/web/views/kept.ts'
import { readSeries } from '../../../../src/web/views/readSeries.ts'
import { noteCoverage } from '../../../../src/kernel/running/coverage.ts'
import { openDatabase } from '../../../../src/store/database.ts'
import { recount } from '../../../../src/ledger/amounts/flow.ts'
import { toStep } from '../../../../src/ledger/amounts/flowSteps.ts'

const minute = 60_000
const hour = 60 * minute
const start = Date.UTC(2026, 0, 2)

/** Read every minute but between the two times; one withdrawal left at each of the others. */
function flowOf(gap: { readonly from: number; readonly until: number }, leftAt: readonly number[] = []) {
  const db = openDatabase(':memory:')
  db.prepare("INSERT OR REPLACE INTO meta VALUES ('tell_since', ?)").run(String(start - 24 * hour))
  for (let at = start; at <= start + 6 * hour; at += minute)
    if (at <= gap.from || at >= gap.until) noteCoverage(db, 'transfers', at, 3 * minute)
  for (const at of leftAt)
    recount(db, null, {
      state: 'completed',
      token: '0xaa',
      direction: 'ZoneToMain',
      flow: JSON.stringify(['7', toStep(at), null, null]),
      originAt: at,
      destinationAt: null,
    })
  const clock = { now: () => start + 6 * hour, monotonicMs: () => 0, sleep: async () => undefined }
  const flow = readSeries({ clock, db, series: nothingKept(0) }).flow.map(({ at, started }) => [
    (at - start) / hour,
    started?.ZoneToMain ?? null,
  ])
  db.close()
  return new Map(flow as [number, number | null][])
}

test('an hour in which the list was not read is unknown, and not an hour without transfers', () => {
  const flow = flowOf({ from: start + 2 * hour, until: start + 3.5 * hour })
  expect([1, 2, 3, 4].map((at) => flow.get(at))).toEqual([0, null, null, 0])
})

test('a gap of less than five minutes hides no hour', () => {
  expect(flowOf({ from: start + 2 * hour, until: start + 2 * hour + 4 * minute }).get(2)).toBe(0)
  expect(flowOf({ from: start + 2 * hour, until: start + 2 * hour + 5 * minute }).get(2)).toBe(null)
})

test('a gap that was filled in from the list shows what was found', () => {
  expect(flowOf({ from: start + 2 * hour, until: start + 3 * hour }, [start + 2.5 * hour]).get(2)).toBe(1)
})

test('what lies before the first reading was read as history', () => {
  expect(flowOf({ from: 0, until: 0 }).get(-3)).toBe(0)
})
