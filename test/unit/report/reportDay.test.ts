import { describe, expect, test } from 'vitest'
import {
  dayOf,
  daysOf,
  type DayWindow,
  listDueDays,
  periodOf,
  shiftDay,
  windowOf,
} from '../../../src/report/reportDay.ts'

const hours = (day: string, zone: string) => {
  const window = windowOf(day, zone)
  return window === null ? null : (window.until - window.from) / 3_600_000
}

describe('windowOf', () => {
  test.each([
    ['2026-03-29', 'Europe/Berlin', 23],
    ['2026-10-25', 'Europe/Berlin', 25],
    ['2026-03-08', 'America/New_York', 23],
    ['2026-11-01', 'America/New_York', 25],
    ['2026-03-29', 'Asia/Kolkata', 24],
    ['2028-02-29', 'UTC', 24],
    // Midnight itself is skipped here.
    ['2026-04-24', 'Africa/Cairo', 23],
  ])('F68: %s in %s has %i hours', (day, zone, expected) => expect(hours(day, zone)).toBe(expected))

  // In the last two midnight comes twice when summer time ends.
  test.each(['Europe/Berlin', 'Australia/Lord_Howe', 'Africa/Cairo', 'America/Havana', 'Atlantic/Azores'])(
    'F70: days of a year follow each other without a gap, over DST and its end, in %s',
    (zone) => {
      let day = '2026-01-01'
      let until = windowOf(day, zone)?.from
      for (; day <= '2027-01-02'; day = shiftDay(day, 1)) {
        const window = windowOf(day, zone)
        expect(window?.from).toBe(until)
        expect(dayOf(window?.from ?? 0, zone)).toBe(day)
        expect(dayOf((window?.until ?? 0) - 1, zone)).toBe(day)
        until = window?.until
      }
    },
  )

  test.each([
    ['2026-W13', 'Europe/Berlin', 167],
    ['2026-W43', 'Europe/Berlin', 169],
    ['2026-W01', 'UTC', 168],
    ['2026-03', 'Europe/Berlin', 31 * 24 - 1],
    ['2026-10', 'Europe/Berlin', 31 * 24 + 1],
    ['2028-02', 'UTC', 29 * 24],
  ])('%s in %s has %i hours, and is made of its days', (name, zone, expected) => {
    expect(hours(name, zone)).toBe(expected)
    const window = windowOf(name, zone) as DayWindow
    const days = daysOf(window).map((day) => windowOf(day, zone))
    expect(days.map((day) => day?.until).slice(0, -1)).toEqual(days.slice(1).map((day) => day?.from))
    expect([days[0]?.from, days.at(-1)?.until]).toEqual([window.from, window.until])
    expect(dayOf(window.from, zone, periodOf(name) ?? 'day')).toBe(name)
    expect(windowOf(shiftDay(name, 1), zone)?.from).toBe(window.until)
  })

  test('a week belongs to the year that its Thursday is in', () => {
    expect(dayOf(Date.parse('2027-01-01'), 'UTC', 'week')).toBe('2026-W53')
    expect(shiftDay('2026-W53', 1)).toBe('2027-W01')
  })

  test.each(['2026-W54', '2026-W00', '2026-13', '2026-W1'])('%j is no week or month', (name) =>
    expect(windowOf(name, 'UTC')).toBeNull(),
  )

  test.each(['2026-02-30', '2026-13-01', 'yesterday', '', '2026-1-1'])('%j is no day', (day) =>
    expect(windowOf(day, 'UTC')).toBeNull(),
  )
})

describe('listDueDays', () => {
  const hour = 3_600_000
  const atEight = (window: { until: number }) => window.until + 8 * hour
  const due = (lastDay: string, now: string, most = 3) =>
    listDueDays({ lastDay, now: Date.parse(now), zone: 'UTC', most }, atEight)

  test('a day is due at its time and not a millisecond before', () => {
    expect(due('2026-05-01', '2026-05-03T07:59:59.999Z').due).toEqual([])
    expect(due('2026-05-01', '2026-05-03T08:00:00Z').due).toEqual(['2026-05-02'])
    expect(due('2026-05-02', '2026-05-03T23:00:00Z').due).toEqual([])
  })

  test('F69: three days down are caught up, a fourth is said to be missed', () => {
    expect(due('2026-05-01', '2026-05-05T09:00:00Z')).toEqual({
      due: ['2026-05-02', '2026-05-03', '2026-05-04'],
      skipped: null,
    })
    expect(due('2026-05-01', '2026-05-06T09:00:00Z')).toEqual({
      due: ['2026-05-03', '2026-05-04', '2026-05-05'],
      skipped: { first: '2026-05-02', last: '2026-05-02', days: 1 },
    })
  })

  test('F67: a clock that went back reports nothing anew', () => {
    expect(due('2026-05-04', '2026-05-02T09:00:00Z').due).toEqual([])
    expect(due('2026-05-04', '1970-01-01T09:00:00Z').due).toEqual([])
  })

  test('a clock ten years ahead does not take ten years to look at', () => {
    const { due: days, skipped } = due('2026-05-01', '2036-05-03T09:00:00Z')
    expect(days).toHaveLength(3)
    expect(skipped?.days).toBe(3_651)
  })
})
