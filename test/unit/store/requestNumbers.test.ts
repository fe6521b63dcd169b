import { expect, test } from 'vitest'
import { transferStalled } from '../../../src/checks/transfers/stalled.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import { createRequestNumbers, withTimes } from '../../../src/store/requestNumbers.ts'
import { toPending, toRecord } from '../../support/records.ts'
import { toFacts } from '../rules/facts.ts'

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

test('semantics.md 42: what a clock that was a day ahead read is no reading of today, and what is read since is one', () => {
  const db = openDatabase(':memory:')
  let now = at + 24 * hour
  const start = () => createRequestNumbers(db, { now: () => now })
  const ahead = start()
  const first = ahead.next()
  ahead.save()
  now = at
  const right = start()
  expect(right.timeOf(first)).toBeNull()
  now += hour
  const second = right.next()
  expect(second).toBeGreaterThan(first)
  expect(right.timeOf(second)).toBe(at + hour)
  right.save()
  now += hour
  const again = start()
  now += 1_000
  expect([second, again.next()].map((number) => again.timeOf(number))).toEqual([at + hour, now])
})

test('semantics.md 10, 42: a transfer stalls only when it was read since its time was over, whatever a clock that was ahead noted', () => {
  const db = openDatabase(':memory:')
  let now = at + 24 * hour
  const start = () => createRequestNumbers(db, { now: () => now })
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
  const read = (numbers: ReturnType<typeof start>) => {
    ledger.recordAnswer([toPending({ zoneTime: at, requestedAt: numbers.next() })], now)
    numbers.save()
  }
  read(start())
  now = at + 2 * hour
  const numbers = start()
  const judge = () => {
    const transfers = [...ledger.listPending({ direction: null, originAtOrBefore: now })]
    return transferStalled.judge(
      toFacts(now, { transfers: transfers.map((transfer) => withTimes(numbers, transfer, 0)) }),
      { after: 30 * 60_000, floor: 300_000, minSamples: 100, otherwise: 30 * 60_000 },
    )
  }
  expect(judge()).toMatchObject({ findings: [], unknown: ['t1'] })
  read(numbers)
  expect(judge()).toMatchObject({ findings: [{ subject: 't1' }], unknown: [] })
})
