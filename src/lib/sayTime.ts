import type { UnixMs } from './clock.ts'
import { formatDuration } from './duration.ts'

const unitWords: Readonly<Record<string, string>> = { m: 'min' }

/**
 * A duration as a message says it: the two largest units, apart from their numbers.
 * @example sayDuration(5_400_000) // '1 h 30 min'
 */
export function sayDuration(ms: number): string {
  return formatDuration(ms).replace(
    /(\d)([a-z]+)/g,
    (_, digit, unit) => `${digit} ${unitWords[unit] ?? unit}`,
  )
}

/**
 * An instant in UTC and how long ago it was; the date only where it is not that of the present.
 * @example sayInstant(at, now) // '14:03:07 UTC (2 min ago)'
 */
export function sayInstant(at: UnixMs, now: UnixMs): string {
  const date = readDate(at)
  // A time from outside may lie where Date cannot follow; the message must go out all the same.
  if (date === null) return 'at an unreadable time'
  const agoMs = now - at
  const whole = date.toISOString().slice(0, 19).replace('T', ' ')
  const isToday = whole.slice(0, 10) === readDate(now)?.toISOString().slice(0, 10)
  const distance = Math.abs(agoMs) < 1_000 ? 'now' : toDistance(agoMs)
  return `${isToday ? whole.slice(11) : whole} UTC (${distance})`
}

/**
 * An instant alone, for what is past: `14:31:07 UTC`.
 * @example sayTime(at, now) // '14:31:07 UTC'
 */
export function sayTime(at: UnixMs, now: UnixMs): string {
  return sayInstant(at, now).replace(/ \([^)]*\)$/, '')
}

function toDistance(agoMs: number): string {
  return agoMs > 0 ? `${sayDuration(agoMs)} ago` : `in ${sayDuration(-agoMs)}`
}

function readDate(at: UnixMs): Date | null {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? null : date
}
