import { describe, expect, test } from 'vitest'
import {
  boundsOf,
  mayBeFee,
  showFee,
  toKeptRange,
  toSizeStep,
  toStep,
} from '../../../src/meaning/keptRange.ts'

const each = (values: readonly (string | number)[], count = 1) =>
  values.map((value, n) => ({ value: String(value), party: `p${n}`, count }))
const times = (n: number, value: string | number) => Array<string | number>(n).fill(value)
const of = (values: readonly (string | number)[]) => toKeptRange(each(values), [])

describe('a share as a step', () => {
  test.each([
    [1_000_000n, 0n, '0'],
    [1_000_000n, 10_000n, '10000'],
    [1_000_000n, 9_999n, '10000'],
    [1_000_000n, 10_001n, '12000'],
    [1_000_000n, 8_100n, '10000'],
    [1_000_000n, 2_500n, '2500'],
    [10n ** 30n, 1n, '1'],
    [1_000_000n, -3_000n, '-3000'],
  ])('of %s, %s less is %s', (claimed, less, step) => {
    expect(toStep({ claimed, less })).toBe(step)
  })
})

describe('semantics.md 48: what is kept as a rule', () => {
  test.each<[string, readonly (string | number)[], number]>([
    ['is nothing by what two say', times(2, 10_000), 0],
    ['is what three say', times(3, 10_000), 10_000],
    ['is the most that three say', [0, 0, 500, 1_000, 1_500, 2_000], 1_000],
    ['leaves outliers out', [...times(95, 0), ...times(4, 40_000)], 0],
    ['takes what one in twenty keeps', [...times(57, 0), ...times(3, 40_000)], 40_000],
    ['is no large share', times(9, 400_000), 50_000],
  ])('%s', (_, values, less) => {
    expect(of(values).less).toBe(less)
  })

  test('one party has five voices, and shows nothing alone', () => {
    const lone = { value: '40000', party: 'poisoner', count: 24 }
    const range = toKeptRange([...each(times(20, 1_000)), lone], [])
    expect(range).toMatchObject({ voices: 25, less: 1_000 })
    expect(toKeptRange([lone, { ...lone, value: '30000' }], [])).toMatchObject({ voices: 5, less: 0 })
  })

  test('more is learned apart from less', () => {
    expect(of(times(4, -2_000))).toMatchObject({ less: 0, more: 2_000 })
  })

  test('the same amount of nearly all is a flat fee, and no share', () => {
    const range = toKeptRange(each([20_000, 500_000, 15_000, 300_000]), each(times(4, 1_500_000)))
    expect(boundsOf(range, 100_000_000n)).toEqual({ less: 1_500_000n, more: 0n })
    expect(boundsOf(range, 1_500_000n)).toEqual({ less: 0n, more: 0n })
    const mixed = toKeptRange(each(times(24, 10_000)), each(times(24, 7)))
    expect(boundsOf(mixed, 1_000_000n)).toEqual({ less: 15_000n, more: 0n })
  })

  test.each([
    [1n, '1'],
    [3n, '3'],
    [11n, '12'],
    [1_700_000n, '2000000'],
    [9_000_001n, '10000000'],
  ])('%s base units are the step %s', (less, step) => {
    expect(toSizeStep(less)).toBe(step)
  })

  test('by the price of gas is no share: a small amount keeps what a large one does', () => {
    const [shares, sizes] = [
      [100_000, 2_000, 40_000, 1_000, 8_000, 300_000],
      ['500000', '4000000', '4000000', '1000000', '800000', '4000000'],
    ]
    const range = toKeptRange(each(shares, 4), [], each(sizes, 4))
    expect(boundsOf(range, 12_000_000n)).toEqual({ less: 6_000_000n, more: 0n })
    expect(boundsOf(range, 6_000_000n)).toEqual({ less: 0n, more: 0n })
  })

  test('of a small amount is a larger share in tiers, and no more than of a usual one', () => {
    const tiers = [times(12, 1_000), times(10, 4_000)].flat()
    const sizes = [times(12, '90000000'), times(10, '2000000')].flat()
    const range = toKeptRange(each(tiers), [], each(sizes))
    expect(boundsOf(range, 20_000_000n).less).toBe(1_000_000n)
    expect(boundsOf(range, 100_000_000_000n).less).toBe(600_000_000n)
    const one = toKeptRange(each(times(22, 1_000)), [], each(sizes))
    expect(boundsOf(one, 20_000_000n).less).toBe(30_000n)
  })
})

describe('semantics.md 48: a difference that nothing explains yet', () => {
  test('waits while it is small and little is known', () => {
    expect(mayBeFee({ claimed: 100n, less: 5n }, of([]))).toBe(true)
    expect(mayBeFee({ claimed: 100n, less: 6n }, of([]))).toBe(false)
    expect(mayBeFee({ claimed: 100n, less: 5n }, of(times(19, 0)))).toBe(true)
    expect(mayBeFee({ claimed: 100n, less: 5n }, of(times(20, 0)))).toBe(false)
  })

  test('waits when another party kept just this amount', () => {
    const range = toKeptRange(each([10_000, 20_000]), each([6, 6]))
    expect(mayBeFee({ claimed: 10n, less: 6n }, range)).toBe(true)
    expect(mayBeFee({ claimed: 10n, less: 7n }, range)).toBe(false)
  })

  test('waits when two other parties kept as much of what they sent', () => {
    const range = toKeptRange(each([10_000, 20_000]), [], each(['8', '8']))
    expect(mayBeFee({ claimed: 10n, less: 8n }, range)).toBe(true)
    expect(mayBeFee({ claimed: 10n, less: 9n }, range)).toBe(false)
  })
})

test('what three were told for is a fee beside others that kept as much, not beside more that kept a smaller one', () => {
  const of = (value: string, count: number, from: string) =>
    Array.from({ length: count }, (_, n) => ({ party: `${from}${String(n)}`, value, count: 1 }))
  const told = of('4000', 3, 'told')
  expect(showFee(told, [...of('0', 6, 'none'), ...of('4000', 2, 'told')])).toBe(true)
  expect(showFee(told, of('1000', 7, 'small'))).toBe(false)
})
