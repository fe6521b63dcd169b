import { fromHashCell } from '../../../src/store/hash.ts'
import { fc, timesOf } from '../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../src/bridge/observation.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts'
import { hash, toPending, toRecord } from '../../support/records.ts'

const open = (): Ledger => createLedger(openDatabase(':memory:'), { tokens: [], openIntervalMs: 10_000 })
const record = (ledger: Ledger, requestedAt: number, ...rows: Observation[]) =>
  ledger.recordAnswer(
    rows.map((row) => ({ ...row, requestedAt })),
    requestedAt,
  )
const states = (ledger: Ledger) =>
  ledger
    .listTransfers({ limit: 1_000 })
    .map(({ state }) => state)
    .sort()
const due = (ledger: Ledger, now: number) =>
  ledger
    .listDueChecks(now, { byZone: 10, alone: 10 })
    .map(({ key, byMain }) => `${key}${byMain ? ' by main' : ''}`)

describe('a deposit equal to others in its main transaction', () => {
  const deposit = (zone: string | null) =>
    toRecord({
      direction: 'MainToZone',
      crossType: 'Deposit',
      zoneHash: zone === null ? null : hash(zone),
      zoneTime: zone === null ? null : 950_000,
      zoneHeight: zone === null ? null : 5_000,
    })
  const minute = 60_000

  test('is asked for by its main hash while it is listed as open after the others arrived', () => {
    const ledger = open()
    record(ledger, 1 * minute, deposit(null))
    record(ledger, 2 * minute, deposit('z1'))
    record(ledger, 3 * minute, deposit('z2'))
    record(ledger, 4 * minute, deposit(null))
    expect(due(ledger, 5 * minute).filter((check) => check.endsWith('by main'))).not.toEqual([])
  })

  test('is a transfer of its own once the records stood side by side, and stays open', () => {
    const ledger = open()
    record(ledger, 1 * minute, deposit(null))
    record(ledger, 2 * minute, deposit('z1'))
    record(ledger, 3 * minute, deposit('z2'))
    record(ledger, 4 * minute, deposit(null))
    record(ledger, 5 * minute, deposit('z1'), deposit('z2'), deposit(null))
    expect(states(ledger)).toEqual(['completed', 'completed', 'pending'])
    record(ledger, 6 * minute, deposit(null))
    expect(states(ledger)).toEqual(['completed', 'completed', 'pending'])
  })

  test('is told from the single one beside it in the same way', () => {
    const ledger = open()
    record(ledger, 1 * minute, deposit('z1'))
    record(ledger, 2 * minute, deposit(null))
    expect(due(ledger, 3 * minute)).toContain('t1 by main')
    record(ledger, 3 * minute, deposit('z1'), deposit(null))
    expect(states(ledger)).toEqual(['completed', 'pending'])
  })

  test('is not looked for when the open form was only seen before the arrival', () => {
    const ledger = open()
    record(ledger, 1 * minute, deposit(null))
    record(ledger, 2 * minute, { ...deposit('z1'), source: 'E12', zoneEventIndex: '1' })
    expect(due(ledger, 10 * minute)).toEqual([])
  })

  test('rests again once the answer shows no open one', () => {
    const ledger = open()
    record(ledger, 1 * minute, { ...deposit('z1'), id: 'a' })
    record(ledger, 2 * minute, { ...deposit(null), id: 'a' })
    record(ledger, 4 * minute, { ...deposit('z1'), id: 'a' })
    expect(due(ledger, 10 * minute).filter((check) => check.endsWith('by main'))).toEqual([])
  })
})

describe('what E12 is asked for', () => {
  test('a completed batch, once', () => {
    const ledger = open()
    record(ledger, 1_000, toRecord({ id: 'a', crossType: 'BatchWithdraw' }))
    expect(due(ledger, 1_000)).toEqual(['t1'])
    record(ledger, 2_000, toRecord({ id: 'a', crossType: 'BatchWithdraw', source: 'E12', batchDetail: '[]' }))
    expect(due(ledger, 1e12)).toEqual([])
  })

  test('records that share a zone hash under different ids, once', () => {
    const ledger = open()
    record(ledger, 1_000, toRecord({ id: 'a' }))
    expect(due(ledger, 1e12)).toEqual([])
    record(ledger, 2_000, toRecord({ id: 'b', mainHash: hash('m2') }))
    expect(due(ledger, 2_000)).toEqual(['t2'])
    const detail = { source: 'E12' as const, zoneEventIndex: '3' }
    record(
      ledger,
      3_000,
      toRecord({ id: 'a', ...detail }),
      toRecord({ id: 'b', mainHash: hash('m2'), ...detail }),
    )
    expect(due(ledger, 1e12)).toEqual([])
    expect(ledger.listSharing('zone', hash('zone'), 10).map(({ zoneEventIndex }) => zoneEventIndex)).toEqual([
      '3',
      '3',
    ])
  })
})

describe('joined by amount', () => {
  const left = (overrides: Partial<Observation> = {}) => toPending({ zoneHash: hash('z1'), ...overrides })
  const arrived = (overrides: Partial<Observation> = {}) =>
    toRecord({ zoneHash: null, zoneTime: null, zoneHeight: null, mainHash: hash('m1'), ...overrides })
  const joins = (ledger: Ledger) =>
    ledger
      .listTransfers({ limit: 100 })
      .flatMap((transfer) => ledger.joinedByAmount(transfer)?.key ?? [])
      .sort()

  test('are the two halves of a withdrawal without a common name, from both sides', () => {
    const ledger = open()
    record(ledger, 1_000_000, left())
    record(ledger, 1_100_000, arrived())
    expect(joins(ledger)).toEqual(['t1', 't2'])
    expect(states(ledger)).toEqual(['pending', 'unbacked'])
  })

  test.each([
    ['another amount', { amountRaw: 1_500_001n }],
    ['another recipient', { targetAddress: '0xbe' }],
    ['another token id', { tokenId: '8' }],
    ['an arrival more than 2 s before it left', { mainTime: 797_999 }],
    ['an arrival without a time', { mainTime: null }],
  ])('are not halves with %s', (_, overrides) => {
    const ledger = open()
    record(ledger, 1_000_000, left())
    record(ledger, 1_100_000, arrived(overrides))
    expect(joins(ledger)).toEqual([])
  })

  test('are found for a recipient of many others, too (semantics 41)', () => {
    const ledger = open()
    const others = Array.from({ length: 501 }, (_, n) =>
      toRecord({ id: `r${n}`, zoneHash: hash(`oz${n}`), mainHash: hash(`om${n}`), amountRaw: BigInt(n) }),
    )
    record(ledger, 900_000, ...others)
    record(ledger, 1_000_000, left())
    record(ledger, 1_100_000, arrived())
    const halves = ledger.listTransfers({ hash: hash('z1'), limit: 9 })
    expect(halves.map((one) => ledger.joinedByAmount(one)?.main?.hash)).toEqual([hash('m1')])
  })

  test('are found beside much dust that is on its way to the same recipient (semantics 41)', () => {
    const ledger = open()
    const dust = Array.from({ length: 600 }, (_, n) =>
      left({ id: `r${n}`, zoneHash: hash(`oz${n}`), amountRaw: BigInt(n + 1) }),
    )
    record(ledger, 900_000, ...dust)
    record(ledger, 1_000_000, left())
    record(ledger, 1_100_000, arrived())
    const halves = ledger.listTransfers({ hash: hash('z1'), limit: 9 })
    expect(halves.map((one) => ledger.joinedByAmount(one)?.main?.hash)).toEqual([hash('m1')])
  })

  test('two seconds before it left are allowed', () => {
    const ledger = open()
    record(ledger, 1_000_000, left())
    record(ledger, 1_100_000, arrived({ mainTime: 798_000 }))
    expect(joins(ledger)).toEqual(['t1', 't2'])
  })

  test('are none while a second one fits either side (semantics 3)', () => {
    for (const second of [left({ zoneHash: hash('z2') }), arrived({ mainHash: hash('m2') })]) {
      const ledger = open()
      record(ledger, 1_000_000, left())
      record(ledger, 1_100_000, arrived())
      record(ledger, 1_200_000, second)
      expect(joins(ledger)).toEqual([])
    }
  })

  test('part again when the honest payout names the withdrawal', () => {
    const ledger = open()
    record(ledger, 1_000_000, left({ id: 'w' }))
    record(ledger, 1_100_000, arrived())
    expect(joins(ledger)).toEqual(['t1', 't2'])
    record(ledger, 1_200_000, toRecord({ id: 'w', zoneHash: hash('z1'), mainHash: hash('m2') }))
    expect(joins(ledger)).toEqual([])
    expect(states(ledger)).toEqual(['completed', 'unbacked'])
  })

  test('in any world name each other, and no state changes by them', () => {
    const half = fc.record({
      isLeft: fc.boolean(),
      amountRaw: fc.constantFrom(5n, 6n),
      targetAddress: fc.constantFrom('0xb1', '0xb2'),
      at: fc.integer({ min: 700_000, max: 990_000 }),
    })
    fc.assert(
      fc.property(fc.array(half, { maxLength: 8 }), (halves) => {
        const ledger = open()
        for (const [n, { isLeft, at, ...content }] of halves.entries()) {
          const name = { value: null, ...content }
          if (isLeft) record(ledger, 1_000_000 + n, left({ ...name, zoneHash: hash(`z${n}`), zoneTime: at }))
          else record(ledger, 1_000_000 + n, arrived({ ...name, mainHash: hash(`m${n}`), mainTime: at }))
        }
        for (const transfer of ledger.listTransfers({ limit: 100 })) {
          const other = ledger.joinedByAmount(transfer)
          expect(transfer.state).toBe(transfer.zone === null ? 'unbacked' : 'pending')
          if (other === null) continue
          expect(ledger.joinedByAmount(other)?.key).toBe(transfer.key)
          expect([other.amountRaw, other.targetAddress]).toEqual([transfer.amountRaw, transfer.targetAddress])
        }
      }),
      { numRuns: timesOf(150) },
    )
  })
})

describe('a payout that the record replaced', () => {
  test('is asked for again at once, and proves itself by an answer that is newer', () => {
    const db = openDatabase(':memory:')
    const ledger = createLedger(db, {
      tokens: [],
      openIntervalMs: 10_000,
      evidence: { since: 0, holdMs: 15_000, wantsReceipt: null },
    })
    const named = (name: string, updateTime: number) =>
      toRecord({ source: 'E12', id: 'a', zoneEventIndex: '1', mainHash: hash(name), updateTime })
    record(ledger, 1_000_000, named('m1', 1_000_000))
    record(ledger, 1_300_000, named('m2', 1_200_000))
    const queued = db.prepare('SELECT hash FROM evidence_queue WHERE due_at <= ?').all(1_300_000)
    expect(queued.map((row) => fromHashCell(row['hash']))).toContain(hash('m1'))
    const reading = {
      chain: 'main',
      hash: hash('m1'),
      source: 'E13',
      status: 'success',
      errorMessage: '',
      moves: null,
    } as const
    ledger.recordEvidence([{ ...reading, requestedAt: 1_100_000 }], 1_300_000)
    const changes = ledger.recordEvidence([{ ...reading, requestedAt: 1_310_000 }], 1_310_000)
    expect(changes).toMatchObject([{ after: { evidence: [{ hash: hash('m1'), at: 1_310_000 }] } }])
  })
})
