import { z } from 'zod'
import { refuse } from './fields.ts'

/** How one end of a range is written. */
interface Point<T> {
  readonly expected: string
  /** Undefined when it is none. */
  readonly read: (text: string) => T | undefined
  /** Whether a range from one to another names anything. */
  readonly isOrdered: (from: T, to: T) => boolean
}

export const dayOfMonth: Point<number> = {
  expected: 'expected a day of the month such as 1, -1 for the last one, or "1:7", "-3:-1"',
  read: (text) => {
    const day = /^-?\d{1,2}$/.test(text) ? Number(text) : 0
    return day !== 0 && Math.abs(day) <= 31 ? day : undefined
  },
  // From the end to the start never holds; from the start to the end may.
  isOrdered: (from, to) => (from < 0 ? to < 0 && from <= to : to < 0 || from <= to),
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

export const month: Point<number> = {
  expected: 'expected a month such as dec, 12, or "jun:aug"; over the turn of the year write two',
  read: (text) => {
    const number = /^\d{1,2}$/.test(text) ? Number(text) : monthNames.indexOf(text.toLowerCase()) + 1
    return number >= 1 && number <= 12 ? number : undefined
  },
  isOrdered: (from, to) => from <= to,
}

export const date: Point<string> = {
  expected: 'expected a date such as 2026-12-24, or "2026-12-24:2027-01-01"',
  read: (text) => (/^\d{4}-\d\d-\d\d$/.test(text) && isDate(text) ? text : undefined),
  isOrdered: (from, to) => from <= to,
}

function isDate(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** A list of points and ranges `FROM:TO`, both ends included; null, when left out, is all of them. */
export function ranges<T>({ expected, read, isOrdered }: Point<T>) {
  const range = z.union([z.string(), z.int()], { error: expected }).transform((value, context) => {
    const [from, to = from, ...rest] = String(value)
      .split(':')
      .map((text) => read(text.trim()))
    const isRange = from !== undefined && to !== undefined && rest.length === 0 && isOrdered(from, to)
    return isRange ? { from, to } : refuse(context, expected)
  })
  return z.array(range, { error: expected }).min(1, expected).nullable().default(null)
}
