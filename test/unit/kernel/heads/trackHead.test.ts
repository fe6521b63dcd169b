import { expect, test } from 'vitest'
import {
  partingMs,
  type HeadReading,
  passedTime,
  trackHead,
  type TrackedHead,
} from '../../../../src/kernel/heads/trackHead.ts'

const read = (seconds: number, height: number): HeadReading => ({
  height,
  blockTime: height * 1_000,
  at: seconds * 1_000,
})
const follow = (...readings: (readonly [seconds: number, height: number])[]) =>
  readings.reduce<TrackedHead | null>((head, [at, height]) => trackHead(head, read(at, height)), null)

test.each<{ title: string; readings: (readonly [number, number])[]; height: number; advancedAt: number }>([
  {
    title: 'comes further',
    readings: [
      [0, 100],
      [10, 110],
    ],
    height: 110,
    advancedAt: 10,
  },
  {
    title: 'stands',
    readings: [
      [0, 100],
      [10, 100],
    ],
    height: 100,
    advancedAt: 0,
  },
  {
    title: 'stays where it was while a server that lags is read in turn',
    readings: [
      [0, 100],
      [20, 90],
      [40, 100],
      [60, 90],
      [80, 100],
      [100, 90],
    ],
    height: 100,
    advancedAt: 0,
  },
  {
    title: 'stays for a moment less than 30 s of lower readings',
    readings: [
      [0, 100],
      [29, 90],
    ],
    height: 100,
    advancedAt: 0,
  },
  {
    title: 'went back after 30 s of lower readings alone, and stands there since the highest of them',
    readings: [
      [0, 100],
      [10, 80],
      [20, 90],
      [30, 85],
    ],
    height: 90,
    advancedAt: 20,
  },
  {
    title: 'comes further from where it went back to',
    readings: [
      [0, 100],
      [10, 80],
      [40, 81],
      [50, 82],
    ],
    height: 82,
    advancedAt: 50,
  },
  {
    title: 'does not follow one reading far in the future',
    readings: [
      [0, 100],
      [10, 10 ** 9],
      [20, 110],
    ],
    height: 110,
    advancedAt: 20,
  },
  {
    title: 'does not follow a server that says so in turn with one that is right',
    readings: [
      [0, 100],
      [10, 10 ** 9],
      [20, 110],
      [30, 10 ** 9],
      [40, 120],
    ],
    height: 120,
    advancedAt: 40,
  },
  {
    title: 'follows a leap that the next reading agrees with',
    readings: [
      [0, 100],
      [10, 10 ** 9],
      [20, 10 ** 9 + 10],
    ],
    height: 10 ** 9 + 10,
    advancedAt: 20,
  },
  {
    title: 'is back 30 s after such a leap proved wrong',
    readings: [
      [0, 100],
      [10, 10 ** 9],
      [20, 10 ** 9 + 1],
      [30, 120],
      [40, 130],
      [50, 140],
    ],
    height: 140,
    advancedAt: 50,
  },
  {
    title: 'stands while two servers that stand still are asked for a while each',
    readings: [
      [0, 100],
      [10, 95],
      [20, 95],
      [40, 95],
      [60, 100],
      [70, 95],
      [80, 95],
      [100, 95],
      [120, 100],
    ],
    height: 100,
    advancedAt: 0,
  },
  {
    title: 'stands at the lower of both since it was first read there',
    readings: [
      [0, 100],
      [10, 95],
      [40, 95],
      [60, 100],
      [70, 95],
      [100, 95],
    ],
    height: 95,
    advancedAt: 10,
  },
  {
    title: 'comes further where one of both does',
    readings: [
      [0, 100],
      [10, 95],
      [40, 95],
      [50, 96],
      [60, 100],
    ],
    height: 100,
    advancedAt: 60,
  },
  {
    title: 'follows at once what an hour without readings explains',
    readings: [
      [0, 100],
      [3_600, 36_100],
    ],
    height: 36_100,
    advancedAt: 3_600,
  },
])('F47: a head $title', ({ readings, height, advancedAt }) => {
  const head = follow(...readings)
  expect(head).toMatchObject({ height, advancedAt: advancedAt * 1_000, blockTime: height * 1_000 })
  expect(head?.readAt).toBe((readings.at(-1)?.[0] ?? 0) * 1_000)
})

test('F47: a clock that was set back holds no head for the time that it lost', () => {
  const before = follow([7_200, 100])
  const lower = [0, 10, 20, 31].reduce((head, at) => trackHead(head, read(at, 90)), before)
  expect(lower?.height).toBe(90)
})

test.each([
  { title: 'its block time', blockTime: 90_000, ahead: 0, passed: 90_000 },
  { title: 'its block time, within the tolerance', blockTime: 115_000, ahead: 0, passed: 115_000 },
  { title: 'when it was read, for a block from the future', blockTime: 10 ** 12, ahead: 0, passed: 115_000 },
  {
    title: 'the block time where our clock is known to be behind',
    blockTime: 400_000,
    ahead: 300_000,
    passed: 400_000,
  },
  { title: 'nothing without a block time', blockTime: null, ahead: 0, passed: null },
])('F71: the readings of a head have passed $title', ({ blockTime, ahead, passed }) => {
  expect(passedTime({ blockTime, advancedAt: 100_000 }, ahead)).toBe(passed)
})

const day = 86_400_000
test.each([
  { title: 'an early head', headMs: -day, service: null, parting: -day },
  { title: 'a late head and the service', headMs: day, service: -day, parting: day },
  { title: 'a late head alone', headMs: day, service: null, parting: 0 },
  { title: 'a late head of a service that tells our time', headMs: day, service: 0, parting: 0 },
  { title: 'a service alone', headMs: 10_000, service: -day, parting: 0 },
  { title: 'a service that tells our time before any head', headMs: null, service: 0, parting: 0 },
  { title: 'a service alone before any head', headMs: null, service: -day, parting: null },
  { title: 'nobody so far', headMs: null, service: null, parting: null },
])('semantics.md 42: by $title our clock parts from theirs by $parting', ({ headMs, service, parting }) => {
  const head = headMs === null ? undefined : { blockTime: day * 9, advancedAt: day * 9 + headMs }
  expect(partingMs(head, service)).toBe(parting)
})
