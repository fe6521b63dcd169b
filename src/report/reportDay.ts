import { nth } from '../lib/nth.ts'
import { DateTime } from 'luxon'
import type { UnixMs } from '../lib/clock.ts'

/** A day of a time zone, as UTC: from the first midnight up to and without the next. */
export interface DayWindow {
  /** The local date, `2026-03-08`. */
  readonly day: string
  readonly zone: string
  readonly from: UnixMs
  readonly until: UnixMs
}

/** A day's window: 23 or 25 hours where the clocks change. Null when `day` is no date. */
export function windowOf(day: string, zone: string): DayWindow | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return null
  const start = DateTime.fromISO(day, { zone })
  if (!start.isValid) return null
  // In some zones midnight itself is skipped: the day then starts where the local date does.
  const from = start.startOf('day')
  return { day, zone, from: from.toMillis(), until: from.plus({ days: 1 }).startOf('day').toMillis() }
}

/** The local date at an instant. */
export function dayOf(at: UnixMs, zone: string): string {
  return DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd')
}

/** The date `days` after another; negative ones lie before it. */
export function shiftDay(day: string, days: number): string {
  return DateTime.fromISO(day, { zone: 'utc' }).plus({ days }).toFormat('yyyy-MM-dd')
}

export interface DueDays {
  /** Days to report now, oldest first. */
  readonly due: readonly string[]
  /** Days that were missed and are too many to report one by one: from the first to the last; null when there are none. */
  readonly skipped: { readonly first: string; readonly last: string; readonly days: number } | null
}

/**
 * Which days have to be reported: those after the last reported one whose time has come. Asked again and again rather
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
  let newest = shiftDay(dayOf(now, zone), -1)
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
  const start = (day: string) => DateTime.fromISO(day, { zone: 'utc' }).toMillis()
  return Math.round((start(last) - start(first)) / 86_400_000) + 1
}
