import { expect, test } from 'vitest'
import { type TrackedHeight, trackHeight } from '../../../../src/kernel/heads/trackHeight.ts'

const follow = (...readings: readonly [height: number, at: number][]) =>
  readings.reduce<TrackedHeight | null>((before, [height, at]) => trackHeight(before, height, at), null)

test('a step back without anything else is no news', () => {
  expect(follow([10, 0], [8, 1_000], [9, 2_000])).toMatchObject({ height: 10, advancedAt: 0 })
  expect(follow([10, 0], [8, 1_000], [11, 2_000])).toMatchObject({
    height: 11,
    advancedAt: 2_000,
    below: null,
  })
})

test('lower readings alone for half a minute are believed, and not one moment sooner', () => {
  expect(follow([10, 0], [8, 1_000], [7, 29_999])).toMatchObject({ height: 10 })
  expect(follow([10, 0], [8, 1_000], [7, 30_000])).toMatchObject({ height: 8, advancedAt: 1_000 })
})

test('one height beyond all reason is forgotten after half a minute (semantics 20)', () => {
  const seen = follow([10, 0], [1e12, 1_000], [11, 2_000], [40, 31_000], [41, 32_000])
  expect(seen).toMatchObject({ height: 41, advancedAt: 32_000 })
})

test('two nodes that stand still come no further by being asked for a while each', () => {
  const toLower: [number, number][] = [
    [8, 1_000],
    [8, 31_000],
  ]
  const swung = follow([10, 0], ...toLower, [10, 40_000])
  expect(swung).toMatchObject({ height: 10, advancedAt: 0 })
  expect(follow([10, 0], ...toLower, [10, 40_000], [8, 41_000], [8, 71_000])).toMatchObject({
    height: 8,
    advancedAt: 1_000,
  })
  expect(follow([10, 0], ...toLower, [9, 35_000], [10, 40_000])).toMatchObject({ advancedAt: 40_000 })
})
