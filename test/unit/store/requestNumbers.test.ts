import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/store/database.ts'
import { createLedger } from '../../../src/store/ledger.ts'
import { createRequestNumbers } from '../../../src/store/requestNumbers.ts'
import { toPending, toRecord } from '../../support/records.ts'

const at = Date.UTC(2026, 5, 1)
const hour = 3_600_000

test('semantics.md 42: the number of a request is its time, and higher than every one before', () => {
  let now = at
  const numbers = createRequestNumbers(openDatabase(':memory:'), { now: () => now })
  expect([numbers.next(), numbers.next()]).toEqual([at, at + 1])
  now += 10
  expect(numbers.next()).toBe(at + 10)
  now -= hour
  expect(numbers.next()).toBe(at + 11)
})

test('semantics.md 42: numbers go on after a start with a clock that was set back', () => {
  const db = openDatabase(':memory:')
  const numbers = createRequestNumbers(db, { now: () => at })
  const last = numbers.next()
  numbers.save()
  expect(createRequestNumbers(db, { now: () => at - hour }).next()).toBe(last + 1)
})

test('semantics.md 4, 42: they go on from the newest reading of a ledger that knew none', () => {
  const db = openDatabase(':memory:')
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  ledger.recordAnswer([toPending({ id: 'a', status: 'unknown', requestedAt: at })], at)
  const requestedAt = createRequestNumbers(db, { now: () => at - hour }).next()
  ledger.recordAnswer([toRecord({ id: 'a', requestedAt, targetAddress: '0xcd' })], at - hour)
  expect(ledger.listTransfers({ limit: 9 })).toMatchObject([{ state: 'completed', targetAddress: '0xcd' }])
})

test('semantics.md 42: a start tells by how much the clock was ahead when an answer was last saved, and only then', () => {
  const db = openDatabase(':memory:')
  const start = (now: number) => createRequestNumbers(db, { now: () => now })
  const first = start(at)
  expect(first.wasAheadMs).toBe(0)
  first.next()
  first.save()
  const second = start(at - hour)
  expect(second.wasAheadMs).toBe(hour)
  second.next()
  second.save()
  expect(start(at - hour + 1_000).wasAheadMs).toBe(0)
})
