import { expect, test } from 'vitest'
import { readProbeLine } from '../../../../src/checks/probes/line.ts'
import {
  listLatencies,
  noteSince,
  readLastThrough,
  readOpen,
  readSince,
} from '../../../../src/checks/probes/store.ts'
import { createLedger } from '../../../../src/ledger/ledger.ts'
import { openDatabase } from '../../../../src/store/database.ts'
import { hash, toPending, toRecord } from '../../../support/records.ts'

const prober = { address: '0xa1', direction: 'ZoneToMain' } as const
const minute = 60_000
const at = 1_800_000_000_000

function openWorld() {
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  const probe = (
    name: string,
    leftAt: number,
    tookMs: number | null,
    sourceAddress: string = prober.address,
  ) => {
    const requestedAt = leftAt + minute
    const legs = { zoneHash: hash(`z${name}`), zoneTime: leftAt, sourceAddress, id: name, requestedAt }
    const record =
      tookMs === null
        ? toPending(legs)
        : toRecord({ ...legs, mainHash: hash(`m${name}`), mainTime: leftAt + tookMs })
    db.transaction(() => ledger.recordAnswer([record], requestedAt))
  }
  return { db, probe }
}

test('the newest that came through is told from what is under way, and from what others sent', () => {
  const { db, probe } = openWorld()
  probe('a', at, 4 * minute)
  probe('b', at + 60 * minute, 6 * minute)
  probe('c', at + 120 * minute, null)
  probe('d', at + 130 * minute, null)
  probe('other', at + 140 * minute, 1 * minute, '0xb2')
  const last = readLastThrough(db, prober)
  expect(last).toMatchObject({ leftAt: at + 60 * minute, arrivedAt: at + 66 * minute })
  expect(readOpen(db, prober, at + 60 * minute)).toEqual({
    count: 2,
    failed: 0,
    oldestAt: at + 120 * minute,
    newestAt: at + 130 * minute,
  })
  expect(readOpen(db, { ...prober, direction: 'MainToZone' }, 0)).toBeNull()
  expect(listLatencies(db, prober, at)).toEqual([4 * minute, 6 * minute])
  expect(listLatencies(db, prober, at + 1)).toEqual([6 * minute])
  const fact = { ...prober, everyMs: 60 * minute, since: at, last, open: null }
  expect(readProbeLine(db, fact, at + 200 * minute)).toMatchObject({
    last: { latencyMs: 6 * minute },
    day: { count: 2, p50: 6 * minute, most: 6 * minute },
  })
})

test('since when it is looked for is noted once, kept over restarts, and forgotten with its setting', () => {
  const { db } = openWorld()
  noteSince(db, [prober], at)
  noteSince(db, [prober], at + minute)
  expect(readSince(db, prober)).toBe(at)
  noteSince(db, [], at + 2 * minute)
  expect(readSince(db, prober)).toBeNull()
  noteSince(db, [prober], at + 3 * minute)
  expect(readSince(db, prober)).toBe(at + 3 * minute)
})

test('a time that has not come, by a clock that was ahead, is now', () => {
  const { db } = openWorld()
  noteSince(db, [prober], at + 60 * minute)
  noteSince(db, [prober], at)
  expect(readSince(db, prober)).toBe(at)
})
