import { describe, expect, test } from 'vitest'
import type { OriginClaim, Transfer } from '../../../src/bridge/transfer.ts'
import type { Horizons } from '../../../src/meaning/horizon.ts'
import { type Beside, hiddenBy, waitsFor } from '../../../src/meaning/standing.ts'
import { hash, toRecord } from '../../support/records.ts'
import { transferOf } from '../rules/transfers.ts'

// semantics.md 41: what may be hidden yet is waited for, and nothing else.

const at = 900_000
const passed: Horizons = { main: at, zone: at, list: at, returnedAt: null, lateMs: null, lacksSince: null }
const beside = (of: Partial<Beside> = {}): Beside => ({
  sharing: [],
  partner: null,
  horizons: passed,
  now: at + 200_000,
  ...of,
})
const behind = (...sources: readonly ('main' | 'zone' | 'list')[]): Partial<Beside> => ({
  horizons: { ...passed, ...Object.fromEntries(sources.map((one) => [one, at - 1])) },
})

describe('semantics.md 41: a payout that names its origin', () => {
  const payout = transferOf([toRecord()])

  test('waits for the chain of that origin alone, and only until it is known', () => {
    expect(waitsFor(payout, beside(behind('zone')))).toBe('zone')
    expect(waitsFor(payout, beside(behind('main', 'list')))).toBeNull()
    expect(waitsFor({ ...payout, originProof: 'absent' }, beside(behind('zone')))).toBeNull()
  })
})

describe('semantics.md 41: a payout that names none', () => {
  const unnamed = transferOf([toRecord({ zoneHash: null, zoneHeight: null, zoneTime: null })])

  test('waits where it fits the only withdrawal on its way, for its chain and then for the list', () => {
    const partner = unnamed
    expect(waitsFor(unnamed, beside({ partner, ...behind('zone', 'list') }))).toBe('zone')
    expect(waitsFor(unnamed, beside({ partner, ...behind('list') }))).toBe('list')
    expect(waitsFor(unnamed, beside({ partner }))).toBeNull()
  })

  test('waits for nothing where it fits none and is listed', () => {
    expect(waitsFor(unnamed, beside({ now: at, ...behind('zone', 'list') }))).toBeNull()
  })

  test('waits three and a half minutes for a list that lags where the chain alone shows it, longer where all records take longer', () => {
    const shown = transferOf([
      toRecord({ source: 'chain', zoneHash: null, zoneHeight: null, zoneTime: null }),
    ])
    const arrivedAt = shown.main?.time ?? 0
    const lags = { ...passed, lacksSince: arrivedAt - 1 }
    const waits = (now: number, horizons: Horizons = lags) => waitsFor(shown, beside({ now, horizons }))
    expect([waits(arrivedAt + 209_999), waits(arrivedAt + 210_000)]).toEqual(['list', null])
    const late = { ...lags, lateMs: 400_000 }
    expect([waits(arrivedAt + 399_999, late), waits(arrivedAt + 400_000, late)]).toEqual(['list', null])
    expect(waits(arrivedAt + 100_000, { ...passed, lacksSince: arrivedAt })).toBeNull()
    expect(waits(arrivedAt + 10_000, { ...passed, list: arrivedAt - 1 })).toBe('list')
  })
})

describe('semantics.md 41: a payout whose event claims an origin', () => {
  const claim = (proof: OriginClaim['proof']): Transfer => {
    const chain = toRecord({ source: 'chain', zoneHash: null, zoneHeight: null, zoneTime: null })
    return { ...transferOf([chain]), claim: { hash: hash('zone'), proof } }
  }

  test.each([
    { proof: 'proven', hidden: ['list'], waits: 'record' },
    { proof: 'proven', hidden: ['zone'], waits: null },
    { proof: 'unsaid', hidden: ['list'], waits: 'list' },
    { proof: 'unsaid', hidden: ['zone'], waits: null },
    { proof: 'open', hidden: ['zone'], waits: 'zone' },
    { proof: 'open', hidden: ['list'], waits: null },
    { proof: 'refuted', hidden: ['zone', 'list'], waits: null },
  ] as const)('that is $proof, behind $hidden: $waits', ({ proof, hidden, waits }) => {
    expect(waitsFor(claim(proof), beside(behind(...hidden)))).toBe(waits)
  })

  test('waits for the answer about it for a minute and a half, counted from when its chain came on again', () => {
    const asked = (now: number, returnedAt: number | null) =>
      waitsFor(claim('open'), beside({ now, horizons: { ...passed, returnedAt } }))
    expect([asked(at + 89_999, null), asked(at + 90_000, null)]).toEqual(['answer', null])
    expect([asked(at + 189_999, at + 100_000), asked(at + 190_000, at + 100_000)]).toEqual(['answer', null])
  })

  test('that another one has used waits for nothing', () => {
    const used = { ...transferOf([toRecord()]), key: 't2' }
    expect(waitsFor(claim('open'), beside({ sharing: [used], ...behind('zone', 'list') }))).toBeNull()
  })
})

test('a source that was never read hides everything', () => {
  expect(hiddenBy({ ...passed, zone: null }, 'zone', at)).toBe('zone')
})
