import { expect, test } from 'vitest'
import { openCounts } from '../../../src/report/counts.ts'
import { type DayWindow, windowOf } from '../../../src/report/reportDay.ts'

const rising = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))

test.each([
  ['by half an hour forth', 'Australia/Lord_Howe', '2026-10-04', rising],
  ['by half an hour back', 'Australia/Lord_Howe', '2026-04-05', rising],
  ['at midnight forth', 'America/Havana', '2026-03-08', rising.slice(1)],
  ['from one o’clock back to midnight', 'America/Havana', '2026-11-01', ['00', ...rising]],
])('the hours of a day whose clocks go %s (%s)', (_, zone, day, expected) => {
  const counts = openCounts(windowOf(day, zone) as DayWindow)
  expect(counts.hours().map(({ hour }) => hour)).toEqual(expected)
})
