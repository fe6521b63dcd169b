import { describe, expect, test } from 'vitest'
import { hiddenBy, waitsFor } from '../../../src/meaning/standing.ts'
import {
  type HorizonReading,
  type Horizons,
  isBeyond,
  noteReturn,
  readHorizons,
  standsStill,
} from '../../../src/meaning/horizon.ts'
import type { Transfer } from '../../../src/bridge/transfer.ts'
import { transferOf } from '../rules/transfers.ts'
import { toRecord } from '../../support/records.ts'

const reading = (overrides: Partial<HorizonReading> = {}): HorizonReading => ({
  heads: { main: 1_000_000, zone: 1_000_000 },
  listReadAt: 1_000_000,
  settleMs: 60_000,
  lateMs: null,
  newestListedAt: 900_000,
  provenUnlisted: [],
  unlisted: [],
  ...overrides,
})

describe('semantics.md 41: the horizon of the list', () => {
  test('is when its newest complete reading began, less the time that records take', () => {
    expect(readHorizons(reading()).list).toBe(940_000)
  })

  test('is that of a late list less the time within which all its records come', () => {
    const horizons = readHorizons(reading({ lateMs: 300_000 }))
    expect([horizons.list, horizons.lateMs]).toEqual([700_000, 300_000])
  })

  test('is nothing before it was read', () => {
    expect(readHorizons(reading({ listReadAt: null })).list).toBeNull()
  })

  test('does not stand back because its newest record is old', () => {
    expect(readHorizons(reading({ newestListedAt: 1 })).list).toBe(940_000)
  })

  test('stands the time that records take before the oldest proven origin that is newer than all it shows', () => {
    const horizons = readHorizons(reading({ provenUnlisted: [930_000, 920_000] }))
    expect([horizons.list, horizons.lacksSince]).toEqual([860_000, 860_000])
    expect(isBeyond(horizons, 'list', 920_000)).toBe(true)
  })

  test.each([
    ['older than what it shows', 899_999],
    ['younger than records take', 940_000],
  ])('does not for one that is %s', (_, at) => {
    expect(readHorizons(reading({ provenUnlisted: [at] })).list).toBe(940_000)
  })

  test.each([
    ['five payouts that are newer than all it shows', [930_000, 920_000, 920_000, 910_000, 905_000], true],
    ['four', [930_000, 920_000, 910_000, 905_000], false],
    ['five, one of them younger than records take', [940_000, 930_000, 920_000, 910_000, 905_000], false],
    ['five, one of them older than what it shows', [930_000, 920_000, 910_000, 905_000, 900_000], false],
  ])('does not stand back for what nobody proves: it seems late by %s', (_, unlisted, isLate) => {
    const horizons = readHorizons(reading({ unlisted }))
    expect([horizons.list, horizons.lacksSince]).toEqual([940_000, isLate ? 900_000 : null])
  })

  test('stands where a chain stood until the list had its time after the return', () => {
    const returned = { at: 950_000, stoodAt: 700_000 }
    expect(readHorizons(reading(), returned).list).toBe(700_000)
    expect(readHorizons(reading({ listReadAt: 1_010_000 }), returned).list).toBe(950_000)
  })
})

test('a leap of a chain over more than half a minute is a return, a step is none', () => {
  expect(noteReturn(null, 100, 30_100, 5)).toBeNull()
  expect(noteReturn(null, 100, 30_101, 5)).toEqual({ at: 5, stoodAt: 100 })
  expect(noteReturn(null, null, 30_101, 5)).toBeNull()
})

test('a chain stands still half a minute behind the other one, the list two minutes', () => {
  const of = (zone: number, list: number): Horizons => ({
    main: 1_000_000,
    zone,
    list,
    returnedAt: null,
    lateMs: null,
    lacksSince: null,
  })
  expect(standsStill(of(970_000, 0), 'zone')).toBe(false)
  expect(standsStill(of(969_999, 0), 'zone')).toBe(true)
  expect(standsStill(of(0, 880_000), 'list')).toBe(false)
  expect(standsStill(of(0, 879_999), 'list')).toBe(true)
})

const horizons = (overrides: Partial<Horizons> = {}): Horizons => ({
  main: 1_000,
  zone: 1_000,
  list: 1_000,
  returnedAt: null,
  lateMs: null,
  lacksSince: null,
  ...overrides,
})

test('what happened at a horizon is shown, what happened later is not', () => {
  expect(isBeyond(horizons(), 'zone', 1_000)).toBe(false)
  expect(isBeyond(horizons(), 'zone', 1_001)).toBe(true)
  expect(isBeyond(horizons({ zone: null }), 'zone', 1)).toBe(true)
  expect(hiddenBy(horizons({ list: 5 }), 'zone', 6)).toBe('list')
})

describe('what a payout waits for', () => {
  const event = (overrides: object = {}): Transfer =>
    transferOf([
      toRecord({
        source: 'chain',
        direction: 'ZoneToMain',
        zoneHash: '0x0a',
        mainHash: '0x0b',
        mainTime: 2_000,
        requestedAt: 3_000,
        ...overrides,
      }),
    ])
  const beside = { sharing: [], partner: null, horizons: horizons(), now: 2_000 }

  test('one that names its origin waits for the zone, then for the answer, and then no longer', () => {
    expect(event().claim).toEqual({ hash: '0x0a', proof: 'open' })
    expect(waitsFor(event(), beside)).toBe('zone')
    expect(waitsFor(event(), { ...beside, horizons: horizons({ zone: 2_000 }) })).toBe('answer')
    expect(waitsFor(event(), { ...beside, horizons: horizons({ zone: 2_000 }), now: 92_000 })).toBeNull()
  })

  test('one that names none, and fits no transfer on its way, waits for the list alone, and not for long', () => {
    const waits = (of: object) => waitsFor(event({ zoneHash: null }), { ...beside, ...of })
    const passed = { horizons: horizons({ list: 2_000 }) }
    const late = { horizons: horizons({ list: 2_000, lacksSince: 1_000 }) }
    expect([waits({}), waits(passed)]).toEqual(['list', null])
    expect([waits(late), waits({ ...late, now: 212_000 })]).toEqual(['list', null])
  })

  test('one that fits exactly one on its way waits for zone and list', () => {
    const partner = event({ mainHash: null })
    expect(waitsFor(event({ zoneHash: null }), { ...beside, partner })).toBe('zone')
    const later = horizons({ zone: 2_000 })
    expect(waitsFor(event({ zoneHash: null }), { ...beside, partner, horizons: later })).toBe('list')
  })

  test('one whose origin a record names already waits for nothing', () => {
    const listed = { ...transferOf([toRecord({ direction: 'ZoneToMain', zoneHash: '0x0a' })]), key: 't2' }
    expect(waitsFor(event(), { ...beside, sharing: [listed] })).toBeNull()
  })
})
