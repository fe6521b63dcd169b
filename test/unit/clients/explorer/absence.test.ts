import { expect, test } from 'vitest'
import { isAbsent, noteReading, notYetAbsent } from '../../../../src/clients/explorer/absence.ts'

type Reading = Parameters<typeof noteReading>[1]
const absent = (at: number): Reading => ({ kind: 'absent', at })
const among = (at: number): Reading => ({ kind: 'absent-among-others', at })
const control = (at: number): Reading => ({ kind: 'control', at })
const present = (at: number): Reading => ({ kind: 'present', at })

test.each([
  {
    title: 'three readings over 30 s with a control between',
    readings: [absent(0), control(10), absent(20), absent(30_000)],
    expected: true,
  },
  {
    title: 'the same a millisecond short of 30 s',
    readings: [absent(0), control(10), absent(20), absent(29_999)],
    expected: false,
  },
  { title: 'two readings', readings: [absent(0), control(10), absent(60_000)], expected: false },
  {
    title: 'three readings without a control',
    readings: [absent(0), absent(20_000), absent(60_000)],
    expected: false,
  },
  {
    title: 'a control before the first reading',
    readings: [control(0), absent(1), absent(20_000), absent(60_000)],
    expected: false,
  },
  {
    title: 'a control after the last reading',
    readings: [absent(0), absent(20_000), absent(30_000), control(30_001)],
    expected: false,
  },
  {
    title: 'answers that held the others',
    readings: [among(0), among(15_000), among(30_000)],
    expected: true,
  },
  {
    title: 'a sight of it in between',
    readings: [absent(0), control(1), absent(20_000), present(25_000), absent(30_000)],
    expected: false,
  },
  { title: 'nothing read', readings: [], expected: false },
])('$title: absent is $expected', ({ readings, expected }) => {
  expect(isAbsent(readings.reduce(noteReading, notYetAbsent))).toBe(expected)
})

test('semantics.md 42: a first reading by a clock that was a day ahead puts no proof off for a day', () => {
  const day = 86_400_000
  const readings = [among(day), among(0), among(15_000), among(30_000)]
  expect(isAbsent(readings.slice(0, 3).reduce(noteReading, notYetAbsent))).toBe(false)
  expect(isAbsent(readings.reduce(noteReading, notYetAbsent))).toBe(true)
})
