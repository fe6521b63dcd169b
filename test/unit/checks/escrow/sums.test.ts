import { expect, test } from 'vitest'
import { escrowDrift } from '../../../../src/checks/escrow/drift.ts'
import { sumUp } from '../../../../src/checks/escrow/sums.ts'

const bounds = { sum: 0.01, waiting: 0.05 }
const sumOf = (count: number) => ({
  token: '0xc0',
  symbol: 'USDC',
  escrows: ['0xe5'],
  count,
  amount: '150',
  share: 0.02,
  since: 0,
  hashes: Array.from({ length: Math.min(count, 10) }, (_, n) => `0x${n}`),
  waitsFor: null,
})

test.each([
  { of: 'two that had their time', share: 0.01, told: 0 },
  { of: 'two that had their time', share: 0.010001, told: 1 },
  { of: 'one that had its time, which is reported by itself', count: 1, share: 0.5, told: 0 },
  { of: 'one of which nobody knows the share', share: null, told: 0 },
  { of: 'one that waits', waits: true, count: 1, share: 0.05, told: 0 },
  { of: 'one that waits', waits: true, count: 1, share: 0.050001, told: 1 },
])(
  'semantics.md 41, 44: $of, $share of the escrow: told $told times',
  ({ waits, count = 2, share, told }) => {
    const waitsFor = waits ? ({ source: 'zone', shownUntil: 0 } as const) : null
    expect(sumUp([{ ...sumOf(count), share, waitsFor }], bounds)).toHaveLength(told)
  },
)

test('semantics.md 41, 44: these are the bounds where a rule gives none', () => {
  expect(escrowDrift.params.parse({})).toEqual(bounds)
})

test('semantics.md 44: what waits is summed apart from what had its time, and each source apart', () => {
  const waits = (source: 'zone' | 'list') => ({
    ...sumOf(1),
    share: 0.06,
    waitsFor: { source, shownUntil: 0 },
  })
  const subjects = sumUp([sumOf(2), waits('zone'), waits('list')], bounds).map(({ subject }) => subject)
  expect(subjects).toEqual(['not explained yet', 'waiting for the zone', 'waiting for the list'])
})

test('a sum names ten transactions, and says how many more there are', () => {
  const others = (count: number) => sumUp([sumOf(count)], bounds).map(({ facts }) => facts['others'])
  expect(others(2)).toEqual(['0x1'])
  expect(others(10)).toEqual(['0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8, 0x9'])
  expect(others(11)).toEqual(['0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8, 0x9, and 1 more'])
})
