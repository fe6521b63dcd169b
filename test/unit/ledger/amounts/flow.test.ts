import { fc, timesOf } from '../../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../../src/bridge/observation.ts'
import type { Transfer } from '../../../../src/bridge/transfer.ts'
import { type Database, openDatabase } from '../../../../src/store/database.ts'
import {
  countFirstTimers,
  listCopies,
  purgeFlow,
  recount,
  toCount,
} from '../../../../src/ledger/amounts/flow.ts'
import {
  flowSlotMs,
  listFlow,
  readNewestFlow,
  readOldestStep,
  toSlot,
} from '../../../../src/ledger/amounts/flowSteps.ts'
import { foldSlot, listMarkedSlots, listSlots } from '../../../../src/ledger/amounts/flowSlots.ts'
import { createLedger } from '../../../../src/ledger/ledger.ts'
import {
  latencyBound,
  latencyClass,
  listAllLatency,
  listLatency,
  percentileOf,
} from '../../../../src/ledger/lessons/latency.ts'
import { hash, toPending, toRecord } from '../../../support/records.ts'

const open = () => {
  const db = openDatabase(':memory:')
  return { db, ledger: createLedger(db, { tokens: [], openIntervalMs: 10_000 }) }
}

/** What the tables say, without rows that count nothing. */
function readCounts(db: ReturnType<typeof openDatabase>) {
  const all = (table: string) =>
    db
      .prepare(`SELECT * FROM ${table} WHERE count <> 0`)
      .all()
      .map((row) => ({ ...row }))
  return {
    steps: all('flow_steps'),
    amounts: all('flow_amounts'),
    latency: all('latency_steps'),
    totals: listAllLatency(db),
  }
}

/** The same, counted from nothing for these transfers. */
function recountAll(transfers: readonly Transfer[]) {
  const db = openDatabase(':memory:')
  for (const transfer of transfers) recount(db, null, toCount(transfer))
  return readCounts(db)
}

const zoneTime = 800_000
const piece = fc.record({
  zone: fc.constantFrom('z1', 'z2'),
  main: fc.constantFrom('m1', 'm2'),
  id: fc.constantFrom(null, 'a', 'b'),
  form: fc.constantFrom('whole', 'pending', 'main only', 'failed', 'retracted'),
  amountRaw: fc.constantFrom(1_000_000n, 2_000_000n),
  source: fc.constantFrom('E3' as const, 'E12' as const),
  tookMs: fc.constantFrom(4_000, 90_000, 700_000),
  at: fc.integer({ min: 1_600_000, max: 4_000_000 }),
})

function toObservation(one: typeof piece extends fc.Arbitrary<infer T> ? T : never): Observation {
  const common = {
    source: one.source,
    id: one.id,
    zoneHash: hash(one.zone),
    mainHash: hash(one.main),
    amountRaw: one.amountRaw,
    value: null,
    mainTime: zoneTime + one.tookMs,
    requestedAt: one.at,
    updateTime: one.at - 50_000,
    ...(one.source === 'E12' && { zoneEventIndex: '1' }),
  }
  switch (one.form) {
    case 'pending':
    case 'retracted':
      return toPending({ ...common, mainHash: null, mainTime: null })
    case 'main only':
      return toRecord({ ...common, zoneHash: null, zoneTime: null, zoneHeight: null })
    case 'whole':
    case 'failed':
      return toRecord({ ...common, status: one.form === 'failed' ? 'failed' : 'success' })
  }
}

describe('what is counted', () => {
  test('equals a recount of the ledger after any order, repetition, join, correction and retraction', () => {
    fc.assert(
      fc.property(fc.array(fc.array(piece, { minLength: 1, maxLength: 3 }), { maxLength: 8 }), (answers) => {
        const { db, ledger } = open()
        for (const answer of answers) {
          const at = Math.max(...answer.map((one) => one.at))
          ledger.recordAnswer(
            answer.map((one) => ({ ...toObservation(one), requestedAt: at })),
            at,
          )
        }
        expect(readCounts(db)).toEqual(recountAll(ledger.listTransfers({ limit: 1_000 })))
        // Each slot holds what its steps hold.
        for (const slot of listMarkedSlots(db, 1e12, 100)) foldSlot(db, slot)
        expect(sumOf(listSlots(db, 0, 1e12))).toEqual(sumOf(listFlow(db, 0, 1e12)))
      }),
      { numRuns: timesOf(50) },
    )
  })

  test('is the same where old steps are said by the rows of transfers alone, whatever comes then, and whatever is forgotten', () => {
    const day = 86_400_000
    const answer = fc.array(piece, { minLength: 1, maxLength: 3 })
    const step = fc.oneof(answer, fc.integer({ min: 1, max: 5 }), fc.constantFrom('forget', 'set back'))
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 10 }), (steps) => {
        const [whole, dropping] = [open(), open()]
        for (const one of steps) {
          if (typeof one === 'number') purgeFlow(dropping.db, 8 * day + 3_600_000, one)
          else if (one === 'set back') purgeFlow(dropping.db, 8 * day, 5)
          else
            for (const { ledger } of [whole, dropping]) {
              if (typeof one === 'string') ledger.purge({ before: 9e12, shownBefore: 9e12, limit: 1 })
              else {
                const at = Math.max(...one.map((piece) => piece.at))
                ledger.recordAnswer(
                  one.map((piece) => ({ ...toObservation(piece), requestedAt: at })),
                  at,
                )
              }
            }
          const read = ({ db }: typeof whole) => [
            sorted(listFlow(db, 0, 1e12)),
            sorted(listFlow(db, 800_000, 1_000_000)),
            readOldestStep(db),
            ...(['MainToZone', 'ZoneToMain'] as const).flatMap((direction) =>
              ['', '0xcc', '0xdd'].map((token) => readNewestFlow(db, { token, direction }, 890_000)),
            ),
          ]
          expect(read(dropping)).toEqual(read(whole))
        }
        for (const { db } of [whole, dropping]) {
          for (const slot of listMarkedSlots(db, 1e12, 100)) foldSlot(db, slot)
        }
        expect(sorted(listSlots(dropping.db, 0, 1e12))).toEqual(sorted(listSlots(whole.db, 0, 1e12)))
      }),
      { numRuns: timesOf(300) },
    )
  })

  test('of what transfers say by their rows no step is kept for longer than eight days', () => {
    const { db, ledger } = open()
    const day = 86_400_000
    ledger.recordAnswer([toRecord({ requestedAt: 2_000_000 })], 2_000_000)
    const steps = listFlow(db, 0, 1e12)
    purgeFlow(db, 8 * day, 100)
    expect(readCounts(db).steps).toHaveLength(2)
    purgeFlow(db, 9 * day, 100)
    expect(readCounts(db).steps).toEqual([])
    expect([steps.length, listFlow(db, 0, 1e12)]).toEqual([2, steps])
  })

  test('what an old transfer did stays counted when the ledger forgets it', () => {
    const { db, ledger } = open()
    ledger.recordAnswer([toRecord()], 1_000_000)
    const before = readCounts(db)
    expect(ledger.purge({ before: 2_000_000, shownBefore: 2_000_000, limit: 10 })).toBe(1)
    expect(readCounts(db)).toEqual(before)
  })
})

const sorted = (steps: ReturnType<typeof listFlow>) =>
  steps
    .map(
      ({ at, token, direction, side, count, sum }) => `${at} ${token} ${direction} ${side} ${count} ${sum}`,
    )
    .toSorted()

function sumOf(steps: ReturnType<typeof listFlow>) {
  const sums = new Map<string, bigint>()
  for (const { at, token, direction, side, count, sum } of steps) {
    const name = `${toSlot(at)} ${token} ${direction} ${side}`
    sums.set(name, (sums.get(name) ?? 0n) + sum * 1_000n + BigInt(count))
  }
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n).sort(([a], [b]) => (a < b ? -1 : 1)))
}

describe('steps', () => {
  test('invariant 18: a step is in one of two windows that meet', () => {
    const { db, ledger } = open()
    const times = [9_999, 10_000, 19_999, 20_000]
    ledger.recordAnswer(
      times.map((time) => toPending({ zoneHash: hash(`z${time}`), zoneTime: time })),
      1_000_000,
    )
    const count = (from: number, until: number) =>
      listFlow(db, from, until).reduce((sum, one) => sum + one.count, 0)
    expect([count(0, 10_000), count(10_000, 20_000), count(20_000, 30_000)]).toEqual([1, 2, 1])
  })

  test('a slot is summed up again when one of its steps changes, and says by how much', () => {
    const { db, ledger } = open()
    ledger.recordAnswer([toPending()], 1_000_000)
    const slot = toSlot(zoneTime)
    expect(listMarkedSlots(db, slot + 1, 9)).toEqual([slot])
    expect(foldSlot(db, slot)).toMatchObject([{ side: 'started', count: 1, sum: 1_500_000n }])
    expect(listMarkedSlots(db, 1e12, 9)).toEqual([])
    ledger.recordAnswer([toRecord({ requestedAt: 1_010_000 })], 1_010_000)
    const marked = listMarkedSlots(db, 1e12, 9)
    expect(marked).toEqual([toSlot(900_000), slot].filter((one, at, all) => all.indexOf(one) === at))
    expect(marked.flatMap((one) => foldSlot(db, one))).toMatchObject([{ side: 'arrived', count: 1 }])
  })
})

describe('copies', () => {
  const arrivalsOf = (records: readonly Partial<Observation>[]) => {
    const { db, ledger } = open()
    ledger.recordAnswer(
      records.map((record, at) =>
        toRecord({ zoneHash: hash(`z${at}`), mainHash: hash(`m${at}`), ...record }),
      ),
      1_000_000,
    )
    return listCopies(db, 0, 1_000_000, 2).map(({ amountRaw, tokenId, count }) => [amountRaw, tokenId, count])
  }
  test('are counted by amount', () => {
    expect(arrivalsOf([{}, {}, { amountRaw: 7n, value: null }])).toEqual([[1_500_000n, '', 2]])
  })

  test.each([
    ['one piece of a token with ids is none', 1n, '5', '5', []],
    ['several pieces of one id are', 2n, '5', '5', [[2n, '5', 2]]],
    ['those of different ids are not', 2n, '5', '6', []],
    ['one base unit is none', 1n, '', '', []],
  ])('%s', (_, amountRaw, first, second, expected) => {
    const of = (tokenId: string) => ({ amountRaw, tokenId, value: null, tokenType: 'ERC1155' })
    expect(arrivalsOf([of(first), of(second)])).toEqual(expected)
  })
})

test('recipients are new who were paid nothing before the window', () => {
  const { db, ledger } = open()
  const paid = (name: string, targetAddress: string, zoneAt: number) =>
    toRecord({
      zoneHash: hash(`z${name}`),
      mainHash: hash(`m${name}`),
      targetAddress,
      zoneTime: zoneAt,
      mainTime: zoneAt + 50_000,
    })
  ledger.recordAnswer(
    [paid('1', '0x01', 100_000), paid('2', '0x01', 800_000), paid('3', '0x02', 800_000)],
    1_000_000,
  )
  expect(countFirstTimers(db, { from: 500_000, until: 1e12 }, 0)).toMatchObject([{ count: 2, first: 1 }])
})

describe('latency', () => {
  test.each([1, 1_000, 1_001, 61_234, 86_400_000])('%i ms are told at most 5 %% too long', (ms) => {
    const told = latencyBound(latencyClass(ms))
    expect(told).toBeGreaterThanOrEqual(ms)
    expect(told).toBeLessThanOrEqual(Math.max(ms * 1.05, 1_000) + 1)
  })

  test('a percentile is the class that so many reach', () => {
    const of = (latencyClass: number, count: number) => ({
      token: '',
      direction: 'MainToZone' as const,
      class: latencyClass,
      count,
    })
    const classes = [of(40, 1), of(2, 98), of(9, 1)]
    expect([0.5, 0.98, 0.99, 1].map((share) => percentileOf(classes, share))).toEqual(
      [2, 2, 9, 40].map(latencyBound),
    )
    expect(percentileOf([], 0.5)).toBeNull()
  })
})

test('what is older than is looked back at goes in small steps, and out of the totals too', () => {
  const { db, ledger } = open()
  const day = 86_400_000
  const records = [0, 1, 2, 40].map((index) => {
    const at = zoneTime + index * day
    return toRecord({
      zoneHash: hash(`z${index}`),
      mainHash: hash(`m${index}`),
      zoneTime: at,
      mainTime: at + 90_000,
    })
  })
  // Each when it happened: what is that old by then is not even counted.
  for (const record of records) ledger.recordAnswer([record], record.mainTime ?? 0)
  const read = () => [
    listFlow(db, 0, 1e12).length,
    listLatency(db, 0, 1e12).reduce((sum, one) => sum + one.count, 0),
    listAllLatency(db).reduce((sum, one) => sum + one.count, 0),
  ]
  expect(read()).toEqual([8, 4, 4])
  purgeFlow(db, 41 * day, 2)
  expect(read()).toEqual([6, 2, 2])
  for (let run = 0; run < 3; run += 1) purgeFlow(db, 41 * day, 2)
  expect(read()).toEqual([2, 1, 1])
  expect(toSlot(zoneTime + flowSlotMs)).toBe(toSlot(zoneTime) + flowSlotMs)
})

test('once a clock that was years ahead is set right, what crosses is counted again', () => {
  const { db, ledger } = open()
  const now = 1_000 * 86_400_000
  purgeFlow(db, 2 * now, 100)
  const record = toRecord({ requestedAt: now, zoneTime: now - 90_000, mainTime: now - 60_000 })
  ledger.recordAnswer([record], now)
  purgeFlow(db, now, 100)
  // Charts go by what is kept alone.
  expect(readCounts(db).steps).toHaveLength(2)
  expect(listFlow(db, now - 100_000, now).map(({ count, side }) => [count, side])).toEqual([
    [1, 'started'],
    [1, 'arrived'],
  ])
  expect(readNewestFlow(db, { token: null, direction: 'ZoneToMain' }, now)).toBe(now - 60_000)
})

describe('what is forgotten by now', () => {
  const day = 86_400_000
  const count = (db: Database, table: string) =>
    Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'])

  test.each([
    { age: 8, steps: 2, amounts: 1 },
    { age: 10, steps: 2, amounts: 0 },
    { age: 33, steps: 0, amounts: 0 },
  ])('of a transfer that was $age days ago is not written', ({ age, steps, amounts }) => {
    const db = openDatabase(':memory:')
    const now = 100 * day
    const at = now - age * day
    const ledger = createLedger(db, { tokens: [], openIntervalMs: 10_000 })
    ledger.recordAnswer([toRecord({ mainTime: at, zoneTime: at, mainHash: hash('m'), amountRaw: 5n })], now)
    expect([count(db, 'flow_steps'), count(db, 'flow_amounts')]).toEqual([steps, amounts])
    expect(ledger.countByState()).toMatchObject({ completed: 1 })
    db.close()
  })
})
