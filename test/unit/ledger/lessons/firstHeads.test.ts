import { expect, test } from 'vitest'
import { noteFirstHead, withoutOldTimes } from '../../../../src/ledger/lessons/firstHeads.ts'
import { toRecord } from '../../../support/records.ts'
import { openDatabase } from '../../../../src/store/database.ts'

const hour = 3_600_000
const start = 1_790_000_000_000

const timesOf = (records: ReturnType<typeof toRecord>[], db = openDatabase(':memory:')) => {
  noteFirstHead(db, 'main', 1_000, start)
  noteFirstHead(db, 'zone', 5_000, start)
  // Later ones say nothing of what is above the first.
  noteFirstHead(db, 'main', 2_000, start + hour)
  return withoutOldTimes(db, records).map(({ mainTime, zoneTime, unsaid }) => [mainTime, zoneTime, unsaid])
}

test('a time that is of before its height is left out, and marked', () => {
  const above = toRecord({
    mainHeight: 1_001,
    mainTime: start - 2 * hour,
    zoneHeight: 4_999,
    zoneTime: start - 2 * hour,
  })
  const both = { ...above, zoneHeight: 5_001, unsaid: 'tokenId' }
  expect(timesOf([above, both])).toEqual([
    [null, start - 2 * hour, '!main'],
    [null, null, 'tokenId,!main,!zone'],
  ])
})

test('a time that its height allows stays, and what names no height', () => {
  const records = [
    toRecord({
      mainHeight: 1_000,
      mainTime: start - 300 * 24 * hour,
      zoneHeight: 5_001,
      zoneTime: start - hour,
    }),
    toRecord({ mainHeight: 1_001, mainTime: start, zoneHeight: null, zoneTime: 1 }),
  ]
  expect(timesOf(records)).toEqual([
    [start - 300 * 24 * hour, start - hour, undefined],
    [start, 1, undefined],
  ])
})

test('a first head that was dated too late gives way to the next one', () => {
  const db = openDatabase(':memory:')
  noteFirstHead(db, 'main', 1_000, start + 5 * hour)
  noteFirstHead(db, 'main', 1_001, start)
  const records = [toRecord({ mainHeight: 1_002, mainTime: start })]
  expect(withoutOldTimes(db, records).map(({ mainTime }) => mainTime)).toEqual([start])
})

test('before a head was read every time stays, and where what was remembered is damaged', () => {
  const db = openDatabase(':memory:')
  const records = [toRecord({ mainHeight: 1_001, mainTime: 1 })]
  expect(withoutOldTimes(db, records)).toBe(records)
  db.prepare("INSERT INTO meta (name, value) VALUES ('first_heads', '{')").run()
  expect(withoutOldTimes(db, records)).toBe(records)
})
