import { fc, timesOf } from '../../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { createFlow } from '../../../../src/checks/flow/read.ts'
import { createLatency } from '../../../../src/ledger/transfers/readLatency.ts'
import { noteCoverage } from '../../../../src/kernel/running/coverage.ts'
import { type Database, openDatabase } from '../../../../src/store/database.ts'
import { recount } from '../../../../src/ledger/amounts/flow.ts'
import { listFlow, toStep } from '../../../../src/ledger/amounts/flowSteps.ts'
import { countLatency } from '../../../../src/ledger/lessons/latency.ts'

const minute = 60_000
const hour = 60 * minute
const start = Date.UTC(2026, 0, 1)

const open = () => {
  const db = openDatabase(':memory:')
  const read = createFlow({ db, settleMs: () => 60_000, token: () => ({ symbol: null, decimals: null }) })
  return { db, flowAt: (now: number) => db.transaction(() => read(now)) }
}
type Flow = ReturnType<ReturnType<typeof open>['flowAt']>

/** A withdrawal that left and arrived at these times, as it is counted. */
const counted = (leftAt: number, arrivedAt: number | null, token = '0xaa', amount = '7') => ({
  state: 'completed' as const,
  token,
  direction: 'ZoneToMain' as const,
  flow: JSON.stringify([amount, toStep(leftAt), arrivedAt === null ? null : toStep(arrivedAt), null]),
  originAt: leftAt,
  destinationAt: arrivedAt,
})

const totalsOf = (totals: ReturnType<Flow['totals']>) =>
  totals
    .map(({ token, direction, side, count, sum }) => `${token} ${direction} ${side} ${count} ${sum}`)
    .sort()

function bruteTotals(db: Database, from: number, until: number): string[] {
  const sums = new Map<string, { count: number; sum: bigint }>()
  for (const { token, direction, side, count, sum } of listFlow(db, from, until)) {
    const name = `${token} ${direction} ${side}`
    const known = sums.get(name) ?? { count: 0, sum: 0n }
    sums.set(name, { count: known.count + count, sum: known.sum + sum })
  }
  return [...sums]
    .filter(([, { count }]) => count > 0)
    .map(([name, one]) => `${name} ${one.count} ${one.sum}`)
    .sort()
}

describe('sliding windows', () => {
  const windows = [50_000, 15 * minute, 15 * minute + 10_000, hour, 24 * hour]
  const change = fc.record({
    /** How long ago it left. */
    agoMs: fc.integer({ min: 0, max: 26 * hour }),
    tookMs: fc.option(fc.integer({ min: 0, max: hour })),
    token: fc.constantFrom('0xaa', '0xbb'),
    takesBack: fc.boolean(),
  })
  const tick = fc.record({
    aheadMs: fc.constantFrom(0, 1_000, 9_999, 10_000, 4 * minute, 3 * hour),
    changes: fc.array(change, { maxLength: 4 }),
    isRolledBack: fc.boolean(),
  })

  test('say what their steps say, however time goes on and what is late, taken back or rolled back', () => {
    fc.assert(
      fc.property(fc.array(tick, { maxLength: 12 }), (ticks) => {
        const { db, flowAt } = open()
        let now = start
        const known: ReturnType<typeof counted>[] = []
        for (const { aheadMs, changes, isRolledBack } of ticks) {
          now += aheadMs
          for (const { agoMs, tookMs, token, takesBack } of changes) {
            const before = takesBack ? (known.pop() ?? null) : null
            const left = now - agoMs
            const after = counted(left, tookMs === null ? null : Math.min(left + tookMs, now), token)
            db.transaction(() => recount(db, before, after))
            known.push(after)
          }
          if (isRolledBack) {
            const fails = () =>
              db.transaction(() => {
                for (const windowMs of windows) flowAt(now).totals(windowMs)
                throw new Error('the disk is full')
              })
            expect(fails).toThrow('full')
          }
          const flow = flowAt(now)
          for (const windowMs of windows) {
            expect(totalsOf(flow.totals(windowMs))).toEqual(
              bruteTotals(db, toStep(now - windowMs), toStep(now) + 10_000),
            )
          }
        }
      }),
      { numRuns: timesOf(60) },
    )
  })

  test.each([
    [15 * minute, 1],
    [15 * minute + 10_000, 0],
  ])('what arrived %i ms ago is counted %i times in 15 minutes', (agoMs, count) => {
    const { db, flowAt } = open()
    recount(db, null, counted(start - 2 * hour, start - agoMs))
    const totals = flowAt(start).totals(15 * minute)
    expect(totals.filter(({ side }) => side === 'arrived').length).toBe(count)
  })

  test('what is to happen is not counted yet', () => {
    const { db, flowAt } = open()
    recount(db, null, counted(start + 20_000, null))
    expect(flowAt(start).totals(hour)).toEqual([])
    expect(flowAt(start + 20_000).totals(hour)).toHaveLength(1)
  })
})

describe('the past', () => {
  /** So many withdrawals leave at the beginning of each hour, for so many hours before the start. */
  const withHours = (counts: readonly number[]) => {
    const made = open()
    for (const [index, count] of counts.entries()) {
      const at = start - (counts.length - index) * hour
      for (let n = 0; n < count; n += 1) recount(made.db, null, counted(at, null))
    }
    return made
  }
  const read = (flowAt: (now: number) => Flow) => {
    for (let second = 0; second < 60; second += 1) {
      const past = flowAt(start + second * 1_000).past(hour)
      if (past) return past
    }
    throw new Error('the past was not read within a minute')
  }
  const observe = (db: Database, from: number, until: number) => {
    for (let at = from; at <= until; at += minute) noteCoverage(db, 'transfers', at, minute)
  }

  test('is what whole windows held, each counted once', () => {
    const { db, flowAt } = withHours([1, 30, 4, 9, 5])
    observe(db, start - 5 * hour, start)
    const past = read(flowAt)
    const of = { token: '0xaa', direction: 'ZoneToMain' as const }
    // The newest window is the present one.
    expect(past.observedMs).toBe(4 * hour)
    expect(past.most({ ...of, side: 'started' })).toMatchObject({ count: 30, sum: 210n })
    expect(past.usual(of)).toEqual({ least: 1, low: 1, mean: 11 })
    expect(past.usual({ ...of, token: null })).toEqual({ least: 1, low: 1, mean: 11 })
    expect(past.usual({ ...of, token: '' })).toEqual({ least: 0, low: 0, mean: 0 })
  })

  test('leaves out as empty what was not observed', () => {
    const { db, flowAt } = withHours([8, 0, 8, 8])
    observe(db, start - 4 * hour, start - 3 * hour)
    observe(db, start - 2 * hour, start)
    expect(read(flowAt).usual({ token: null, direction: 'ZoneToMain' })).toEqual({
      least: 8,
      low: 8,
      mean: 8,
    })
  })

  test('is nothing before the list was read', () => {
    const { flowAt } = withHours([8, 8, 8])
    expect(flowAt(start).past(hour)).toMatchObject({ observedMs: 0, tokens: [] })
  })
})

describe('copies', () => {
  test('are those of the window, beside how often the week before had the amount', () => {
    const { db, flowAt } = open()
    for (const ago of [1, 2, 3]) recount(db, null, counted(start, start - ago * minute))
    for (const ago of [1, 2]) recount(db, null, counted(start, start - ago * minute, '0xaa', '9'))
    recount(db, null, counted(start, start - 2 * hour))
    expect(flowAt(start).copies(15 * minute, 3)).toMatchObject([
      { amountRaw: 7n, count: 3, before: 1, others: 1 },
    ])
  })
})

test.each([
  ['no reading was whole yet', null, 0.25],
  ['the newest whole reading is from before an outage', start - 60 * minute, 0.25],
  ['a whole reading came back to half of the outage', start - 21 * minute, 0.5],
  ['a whole reading came back to what settles', start - minute, 1],
])('of forty minutes of which readings saw the first ten, where %s, so much was read', (_, readAt, share) => {
  const db = openDatabase(':memory:')
  const token = () => ({ symbol: null, decimals: null })
  const read = createFlow({ db, settleMs: () => minute, readAt: () => readAt, token })
  const from = start - 41 * minute
  noteCoverage(db, 'transfers', from, minute)
  noteCoverage(db, 'transfers', from + 10 * minute, hour)
  expect(db.transaction(() => read(start)).coverage(from)).toBe(share)
})

test('what is true began when it was first asked about without a break', () => {
  const { flowAt } = open()
  const since = (second: number, name = 'a') => flowAt(start + second * 1_000).since(name) - start
  expect([since(0), since(30), since(89), since(90, 'b'), since(150), since(160)]).toEqual([
    0, 0, 0, 90_000, 150_000, 150_000,
  ])
})

test('a percentile is of a token or of its direction, and read anew after a minute', () => {
  const db = openDatabase(':memory:')
  const latencyAt = createLatency(db)
  const count = (token: string, times: number) => {
    for (let n = 0; n < times; n += 1) {
      countLatency(db, 0, { token, direction: 'ZoneToMain', class: token === '0xaa' ? 10 : 50 }, 1)
    }
  }
  count('0xaa', 3)
  count('0xbb', 1)
  const read = (now: number) =>
    ['0xaa', null, '0xcc'].map((token) => latencyAt(now).of(token, 'ZoneToMain', 0.9)?.samples ?? null)
  expect(read(0)).toEqual([3, 4, null])
  expect(latencyAt(0).of('0xaa', 'ZoneToMain', 0.9)?.ms).toBe(1_629)
  expect(latencyAt(0).tokens('ZoneToMain')).toEqual(['0xaa', '0xbb'])
  count('0xaa', 1)
  expect(read(59_999)).toEqual([3, 4, null])
  expect(read(60_000)).toEqual([4, 5, null])
})
