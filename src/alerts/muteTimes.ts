import type { UnixMs } from '../lib/clock.ts'

/** A part of the week, by the clock on the wall of a time zone. */
export interface MuteInterval {
  /** IANA name. */
  readonly timezone: string
  /** 0 is Sunday. The days on which it begins. */
  readonly weekdays: readonly number[]
  /** Minutes since midnight, `to` not included; `to` at or before `from` ends on the next day. */
  readonly from: number
  readonly to: number
}

export interface MuteTime {
  readonly name: string
  readonly intervals: readonly MuteInterval[]
}

const minuteMs = 60_000
const dayMinutes = 1_440
const names = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/**
 * Answers for one list of mute times. What counts is what a clock on the wall there shows: an hour that a change of
 * daylight saving time skips is not muted, one that comes twice is muted twice.
 */
export function createMuteTimes(times: readonly MuteTime[]) {
  const formats = new Map<string, Intl.DateTimeFormat>()
  let known: { readonly from: UnixMs; readonly until: UnixMs } | null = null

  function isInside(interval: MuteInterval, at: UnixMs): boolean {
    const { weekday, minute } = readWall(interval.timezone, at)
    const { from, to } = interval
    const begins = (day: number) => interval.weekdays.includes(day)
    if (from < to) return begins(weekday) && minute >= from && minute < to
    return (begins(weekday) && minute >= from) || (begins((weekday + 6) % 7) && minute < to)
  }

  function readWall(timezone: string, at: UnixMs) {
    let format = formats.get(timezone)
    if (!format) formats.set(timezone, (format = createFormat(timezone)))
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
    const minute = Number(parts.get('hour')) * 60 + Number(parts.get('minute'))
    return { weekday: names.indexOf(parts.get('weekday') ?? ''), minute }
  }

  function find(now: UnixMs): string | null {
    const inside = (time: MuteTime) => time.intervals.some((interval) => isInside(interval, now))
    return times.find(inside)?.name ?? null
  }

  return {
    /** The name of one that holds at `now`. */
    find,
    /** When none of them holds any more; at most a day ahead, where it is to be asked again. */
    endOf(now: UnixMs): UnixMs {
      if (known && now >= known.from && now < known.until) return known.until
      let until = Math.floor(now / minuteMs) * minuteMs + minuteMs
      for (let step = 1; step < dayMinutes && find(until) !== null; step += 1) until += minuteMs
      known = { from: now, until }
      return until
    },
  }
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
}
