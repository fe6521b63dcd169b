import { nth } from '../lib/nth.ts'
import { DateTime } from 'luxon'
import type { UnixMs } from '../lib/clock.ts'
import { nextDueIn } from '../lib/nextDueIn.ts'

export const periods = ['day', 'week', 'month'] as const
/** A week begins on Monday (ISO 8601). */
export type Period = (typeof periods)[number]

/** Where the configuration says when each is sent, in which zone, and to whom. */
export const settingNames = { day: 'daily', week: 'weekly', month: 'monthly' } as const

/** A day, week or month of a time zone, as UTC: from its first midnight up to and without the next one's. */
export interface DayWindow {
  /** The local date `2026-03-08`, the week `2026-W10`, or the month `2026-03`. */
  readonly day: string
  readonly zone: string
  readonly from: UnixMs
  readonly until: UnixMs
}

const shapes: Readonly<Record<Period, RegExp>> = {
  day: /^\d{4}-\d{2}-\d{2}$/,
  week: /^\d{4}-W\d{2}$/,
  month: /^\d{4}-\d{2}$/,
}

const formats: Readonly<Record<Period, string>> = { day: 'yyyy-MM-dd', week: "kkkk-'W'WW", month: 'yyyy-MM' }

/** What a name is one of; null when it is none. */
export function periodOf(name: string): Period | null {
  return periods.find((period) => shapes[period].test(name)) ?? null
}

/** The window of that name: 23 or 25 hours where the clocks change. Null when there is no such day, week or month. */
export function windowOf(name: string, zone: string): DayWindow | null {
  const period = periodOf(name)
  if (period === null) return null
  const start = DateTime.fromISO(name, { zone })
  if (!start.isValid) return null
  // In some zones midnight itself is skipped: the day then starts where the local date does.
  const from = start.startOf(period)
  const until = from.plus({ [period]: 1 }).startOf(period)
  return { day: name, zone, from: firstOf(from), until: firstOf(until) }
}

/** In some zones the clocks go back at one o'clock, so that midnight comes twice: the date begins with the first. */
function firstOf(midnight: DateTime): UnixMs {
  return Math.min(...midnight.getPossibleOffsets().map((one) => one.toMillis()))
}

/** The local date, week or month at an instant. */
export function dayOf(at: UnixMs, zone: string, period: Period = 'day'): string {
  return DateTime.fromMillis(at, { zone }).toFormat(formats[period])
}

/** The one so many after another; negative ones lie before it. */
export function shiftDay(name: string, by: number): string {
  const period = periodOf(name) ?? 'day'
  return DateTime.fromISO(name, { zone: 'utc' })
    .plus({ [period]: by })
    .toFormat(formats[period])
}

/** The days of a window, by their local dates. */
export function daysOf({ zone, from, until }: DayWindow): string[] {
  const days: string[] = []
  const last = dayOf(until - 1, zone)
  for (let day = dayOf(from, zone); day <= last; day = shiftDay(day, 1)) days.push(day)
  return days
}

/** The first time at or after the end of the day at which the schedule comes due. */
export function dueAt(
  schedule: { readonly cron: string; readonly timezone: string },
  { until }: Pick<DayWindow, 'until'>,
): UnixMs {
  return nextDueIn(schedule, until - 1)
}

export interface DueDays {
  /** Days to report now, oldest first. */
  readonly due: readonly string[]
  /** Days that were missed and are too many to report one by one: from the first to the last; null when there are none. */
  readonly skipped: { readonly first: string; readonly last: string; readonly days: number } | null
}

/**
 * Which days, weeks or months have to be reported: those after the last reported one whose time has come. Asked again and again rather
 * than rung for, so that a restart, a suspended machine or a changed clock neither skips a day nor reports it twice.
 * At most `most` days are caught up; `dueAt` gives when a day's report is due.
 */
export function listDueDays(
  facts: { readonly lastDay: string; readonly now: UnixMs; readonly zone: string; readonly most: number },
  dueAt: (window: DayWindow) => UnixMs,
): DueDays {
  const { lastDay, now, zone, most } = facts
  const isDue = (day: string) => {
    const window = windowOf(day, zone)
    return window !== null && dueAt(window) <= now
  }
  let newest = shiftDay(dayOf(now, zone, periodOf(lastDay) ?? 'day'), -1)
  // A report that is due days later (a weekly one) leaves the newest days for their own time.
  while (newest > lastDay && !isDue(newest)) newest = shiftDay(newest, -1)
  if (newest <= lastDay) return { due: [], skipped: null }
  const first = shiftDay(lastDay, 1)
  const all = countDays(first, newest)
  const due = Array.from({ length: Math.min(all, most) }, (_, index) => shiftDay(newest, -index)).reverse()
  const missed = all - due.length
  return {
    due,
    skipped: missed === 0 ? null : { first, last: shiftDay(nth(due, 0), -1), days: missed },
  }
}

function countDays(first: string, last: string): number {
  let count = 1
  for (let day = first; day < last; day = shiftDay(day, 1)) count += 1
  return count
}
