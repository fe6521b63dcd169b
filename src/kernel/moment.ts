import { z } from 'zod'
import { parseDuration } from '../lib/duration.ts'
import type { UnixMs } from '../lib/clock.ts'
import { parseInstant } from '../lib/parseInstant.ts'

/** A time as tests write it: since the test's beginning, on the calendar, or whenever it is looked at. */
export class Moment {
  readonly sinceStartMs: number | null
  readonly at: UnixMs | null

  constructor(sinceStartMs: number | null, at: UnixMs | null) {
    this.sinceStartMs = sinceStartMs
    this.at = at
  }
}

const expected = 'expected a time since the beginning such as 30m or -5m, an ISO time, or now'

export const moment = z
  .string({ error: expected })
  .transform((text, context) => {
    const found = parseMoment(text)
    if (found !== null) return found
    context.addIssue({ code: 'custom', message: expected })
    return z.NEVER
  })
  .meta({ description: 'since the beginning (30m, -5m), an ISO time, or now' })

function parseMoment(text: string): Moment | null {
  if (text === 'now') return new Moment(null, null)
  const [, sign, length] = /^([-+]?)(.+)$/.exec(text.trim()) ?? []
  const ms = parseDuration(length ?? '')
  if (ms !== null) return new Moment(sign === '-' ? -ms : ms, null)
  const at = parseInstant(text)
  return at === null ? null : new Moment(null, at)
}

/** The places of a test's time line. */
export interface Line {
  readonly start: UnixMs
  readonly now: UnixMs
}

export function toInstant(one: Moment, line: Line): UnixMs {
  if (one.at !== null) return one.at
  return one.sinceStartMs === null ? line.now : line.start + one.sinceStartMs
}

/** A value whose moments are times. */
export type Resolved<T> = T extends Moment
  ? UnixMs
  : T extends object
    ? { readonly [N in keyof T]: Resolved<Exclude<T[N], undefined>> }
    : T

/** A value with the moments in it put in; everything else is as it was. What is undefined is left out. */
export function resolveMoments<T>(value: T, line: Line): Resolved<T> {
  // The type says of each part what is done below.
  return resolve(value, line) as Resolved<T>
}

function resolve(value: unknown, line: Line): unknown {
  if (value instanceof Moment) return toInstant(value, line)
  if (Array.isArray(value)) return value.map((one) => resolve(one, line))
  if (typeof value !== 'object' || value === null) return value
  const given = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(given.map(([name, one]) => [name, resolve(one, line)]))
}
