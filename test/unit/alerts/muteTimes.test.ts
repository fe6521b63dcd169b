import { expect, test } from 'vitest'
import { createMuteTimes, type MuteInterval } from '../../../src/alerts/muteTimes.ts'

const everyDay = [0, 1, 2, 3, 4, 5, 6]
const create = (interval: Partial<MuteInterval>) =>
  createMuteTimes([
    { name: 'x', intervals: [{ timezone: 'UTC', weekdays: everyDay, from: 0, to: 1_440, ...interval }] },
  ])
const isMuted = (interval: Partial<MuteInterval>, iso: string) =>
  create(interval).find(Date.parse(iso)) !== null

test.each([
  ['2026-11-20T21:59:59.999Z', false],
  ['2026-11-20T22:00:00Z', true],
  ['2026-11-21T05:59:59.999Z', true],
  ['2026-11-21T06:00:00Z', false],
])('22:00 to 06:00 at %s: %s', (iso, expected) => {
  expect(isMuted({ from: 22 * 60, to: 6 * 60 }, iso)).toBe(expected)
})

test('a night belongs to the day on which it begins', () => {
  const fridayNight = { weekdays: [5], from: 22 * 60, to: 6 * 60 }
  expect(isMuted(fridayNight, '2026-11-20T23:00:00Z')).toBe(true)
  expect(isMuted(fridayNight, '2026-11-21T05:00:00Z')).toBe(true)
  expect(isMuted(fridayNight, '2026-11-20T05:00:00Z')).toBe(false)
  expect(isMuted(fridayNight, '2026-11-21T23:00:00Z')).toBe(false)
})

test('a whole weekend', () => {
  const weekend = { weekdays: [0, 6] }
  expect(isMuted(weekend, '2026-11-20T23:59:59Z')).toBe(false)
  expect(isMuted(weekend, '2026-11-21T00:00:00Z')).toBe(true)
  expect(isMuted(weekend, '2026-11-22T23:59:59Z')).toBe(true)
  expect(isMuted(weekend, '2026-11-23T00:00:00Z')).toBe(false)
})

const berlin = { timezone: 'Europe/Berlin' }

test('F68: on the spring day the clock of the zone counts: 06:00 comes an hour sooner', () => {
  const night = { ...berlin, from: 22 * 60, to: 6 * 60 }
  expect(isMuted(night, '2026-03-28T20:59:59Z')).toBe(false)
  expect(isMuted(night, '2026-03-28T21:00:00Z')).toBe(true)
  expect(isMuted(night, '2026-03-29T03:59:59Z')).toBe(true)
  expect(isMuted(night, '2026-03-29T04:00:00Z')).toBe(false)
})

test('F68: an hour that the spring day skips is not muted', () => {
  const skipped = { ...berlin, from: 2 * 60, to: 3 * 60 }
  expect(isMuted(skipped, '2026-03-29T00:59:59Z')).toBe(false)
  expect(isMuted(skipped, '2026-03-29T01:00:00Z')).toBe(false)
})

test('F68: an hour that the autumn day has twice is muted twice', () => {
  const twice = { ...berlin, from: 2 * 60, to: 3 * 60 }
  expect(isMuted(twice, '2026-10-24T23:59:59Z')).toBe(false)
  expect(isMuted(twice, '2026-10-25T00:00:00Z')).toBe(true)
  expect(isMuted(twice, '2026-10-25T01:59:59Z')).toBe(true)
  expect(isMuted(twice, '2026-10-25T02:00:00Z')).toBe(false)
})

test.each([
  ['2026-11-20T22:30:30Z', '2026-11-21T06:00:00Z'],
  ['2026-11-21T05:59:00Z', '2026-11-21T06:00:00Z'],
])('from %s it holds until %s', (from, until) => {
  expect(create({ from: 22 * 60, to: 6 * 60 }).endOf(Date.parse(from))).toBe(Date.parse(until))
})

test('F68: the end on both days of the change is the one on the wall', () => {
  const night = create({ ...berlin, from: 22 * 60, to: 6 * 60 })
  expect(night.endOf(Date.parse('2026-03-28T22:00:00Z'))).toBe(Date.parse('2026-03-29T04:00:00Z'))
  expect(night.endOf(Date.parse('2026-10-24T22:00:00Z'))).toBe(Date.parse('2026-10-25T05:00:00Z'))
})

test('what holds for more than a day is asked again after one', () => {
  const from = Date.parse('2026-11-21T00:00:00Z')
  expect(create({}).endOf(from)).toBe(from + 86_400_000)
})
