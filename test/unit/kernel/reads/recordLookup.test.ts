import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { MonitorError } from '../../../../src/lib/errors.ts'
import type { FeedPage } from '../../../../src/kernel/reads/reads.ts'
import { createRecordLookup } from '../../../../src/kernel/reads/recordLookup.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'
import { hash, toRecord } from '../../../support/records.ts'
import { noSignal } from '../../checks/support.ts'

const address = (n: number) => `0x${String(n).padStart(40, '0')}`
const record = (n: number) =>
  toRecord({ mainHash: hash(`m${n}`), zoneHash: hash(`z${n}`), sourceAddress: '', targetAddress: address(n) })

type Filter = 'works' | 'is ignored' | 'gives nothing' | 'fails' | 'fails for what is not there'

function setUp(
  filters: { readonly hash: Filter; readonly address: Filter },
  listed: readonly number[] = [1, 2, 3],
) {
  const clock = createSteppedClock({ isManual: true })
  const rows = listed.map(record)
  const asked: string[] = []
  // The client takes no row that does not fit its question, and says that there were others.
  const read = (filter: Filter, fits: (row: Observation) => boolean): FeedPage => {
    const found = filter === 'gives nothing' ? [] : rows.filter(fits)
    if (filter === 'fails' || (filter === 'fails for what is not there' && found.length === 0))
      throw new MonitorError('source.unreachable', 'E3: 500')
    return toPage(found, filter === 'is ignored')
  }
  const toPage = (records: Observation[], isUnfiltered: boolean): FeedPage => ({
    isUnfiltered,
    requestedAt: clock.now(),
    records,
    bad: [],
    totalPage: 1,
    total: records.length,
    limit: 100,
  })
  const lookUp = createRecordLookup({
    clock,
    reads: {
      async feedByHash(wanted) {
        asked.push('hash')
        return await Promise.resolve(read(filters.hash, (row) => row.mainHash === wanted))
      },
      async feedByAddress(wanted) {
        asked.push('address')
        return await Promise.resolve(read(filters.address, (row) => row.targetAddress === wanted))
      },
    },
    readControl: () => (listed.includes(1) ? { mainHash: hash('m1'), address: address(1) } : null),
  })
  const find = async (n: number) => {
    const wanted = { hash: hash(`m${n}`), addresses: [address(n)] }
    const found = await lookUp(wanted, { priority: 'open', signal: noSignal, checkedWithinMs: 60_000 })
    return {
      isThere: found.records.some(({ mainHash }) => mainHash === hash(`m${n}`)),
      isAnswer: found.isAnswer,
    }
  }
  return { clock, asked, find }
}

const there = { isThere: true, isAnswer: true }
const gone = { isThere: false, isAnswer: true }
const unsaid = { isThere: false, isAnswer: false }

describe('a record without a zone hash (semantics 16)', () => {
  test('is asked for by its main hash, after the filter was seen to work once in a while', async () => {
    const { find, asked, clock } = setUp({ hash: 'works', address: 'works' })
    expect(await find(2)).toEqual(there)
    expect(await find(9)).toEqual(gone)
    expect(asked).toEqual(['hash', 'hash', 'hash'])
    await clock.advance(60_000)
    await find(3)
    expect(asked).toHaveLength(5)
  })

  test.each(['is ignored', 'gives nothing', 'fails'] as const)(
    'is asked for by its addresses where that filter %s',
    async (filter) => {
      const { find, asked } = setUp({ hash: filter, address: 'works' })
      expect(await find(2)).toEqual(there)
      expect(await find(9)).toEqual(gone)
      expect(asked.filter((way) => way === 'hash')).toHaveLength(1)
    },
  )

  test('is asked for by its addresses where that filter answers for what is listed alone', async () => {
    const { find } = setUp({ hash: 'fails for what is not there', address: 'works' })
    expect(await find(9)).toEqual(gone)
    expect(await find(2)).toEqual(there)
  })

  test.each(['is ignored', 'gives nothing', 'fails'] as const)(
    'is never missing where the other filter %s as well',
    async (filter) => {
      const { find } = setUp({ hash: 'gives nothing', address: filter })
      expect(await find(9)).toEqual(unsaid)
    },
  )

  test('is never missing while no record is known that the filters could be checked on', async () => {
    const { find } = setUp({ hash: 'works', address: 'works' }, [2, 3])
    expect(await find(2)).toEqual(there)
    expect(await find(9)).toEqual(unsaid)
  })
})

test('older records of an address say nothing of a list that does not show the newest', async () => {
  const at = { requestedAt: 1, bad: [], totalPage: 1, total: 1, limit: 100 }
  const lookUp = createRecordLookup({
    clock: createSteppedClock({ isManual: true }),
    reads: {
      feedByHash: async () => await Promise.resolve({ ...at, records: [] }),
      feedByAddress: async () => await Promise.resolve({ ...at, records: [record(2)] }),
    },
    // Of the same recipient, and newer.
    readControl: () => ({ mainHash: hash('m1'), address: address(2) }),
  })
  const wanted = { hash: hash('m3'), addresses: [address(2)] }
  const found = await lookUp(wanted, { priority: 'open', signal: noSignal, checkedWithinMs: 60_000 })
  expect(found.isAnswer).toBe(false)
})
