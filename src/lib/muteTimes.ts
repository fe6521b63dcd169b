import type { UnixMs } from './clock.ts'

/** From one to another, both included. */
interface Range<T> {
  readonly from: T
  readonly to: T
}

/** Days and times by the clock on the wall of a time zone: all that it names must hold. */
export interface MuteInterval {
  /** IANA name. */
  readonly timezone: string
  /** 0 is Sunday. The days on which it begins. */
  readonly weekdays: readonly number[]
  /** 1 is the first, -1 the last of the month; null is every day. */
  readonly daysOfMonth?: readonly Range<number>[] | null
  /** 1 is January; null is every month. */
  readonly months?: readonly Range<number>[] | null
  /** As `2026-12-24`; null is every date. */
  readonly dates?: readonly Range<string>[] | null
  /** Minutes since midnight, `to` not included; `to` at or before `from` ends on the next day. */
  readonly from: number
  readonly to: number
}

export interface MuteTime {
  readonly name: string
  readonly intervals: readonly MuteInterval[]
}

/** When a route is quiet. */
export interface QuietTimes {
  /** While one of these holds. */
  readonly mutes?: readonly MuteTime[] | undefined
  /** While none of these holds, where there are any. */
  readonly active?: readonly MuteTime[] | undefined
}

const minuteMs = 60_000
const dayMinutes = 1_440
const dayMs = 86_400_000
/** How far ahead the end is looked for. */
const horizonMs = 32 * dayMs

/**
 * Answers for one route. What counts is what a clock on the wall there shows: an hour that a change of daylight saving
 * time skips is not muted, one that comes twice is muted twice.
 */
export function createMuteTimes({ mutes = [], active = [] }: QuietTimes) {
  const clocks = new Map<string, WallClock>()
  const intervals = [...mutes, ...active].flatMap((time) => time.intervals)
  let known: { readonly from: UnixMs; readonly until: UnixMs } | null = null

  function clockOf(timezone: string): WallClock {
    const clock = clocks.get(timezone) ?? createWallClock(timezone)
    clocks.set(timezone, clock)
    return clock
  }

  function holds({ intervals: each }: MuteTime, at: UnixMs): boolean {
    return each.some((interval) => isInside(interval, clockOf(interval.timezone).read(at)))
  }

  function find(now: UnixMs): string | null {
    const mute = mutes.find((time) => holds(time, now))
    if (mute) return `mute time ${mute.name}`
    if (active.length === 0 || active.some((time) => holds(time, now))) return null
    return `outside of the active times ${active.map(({ name }) => name).join(', ')}`
  }

  /** The next instant at which an answer may change: where an interval begins or ends, at a midnight, or where a wall clock jumps. */
  function nextEdge(at: UnixMs): UnixMs {
    const edges = intervals.flatMap(({ timezone, from, to }) =>
      [...new Set([0, from % dayMinutes, to % dayMinutes])].map((minute) =>
        clockOf(timezone).next(at, minute),
      ),
    )
    return Math.min(at + horizonMs, ...edges)
  }

  return {
    /** Why the route is quiet at `now`; null when it is not. */
    find,
    /** When it is quiet no more; at most a month ahead, where it is to be asked again. */
    endOf(now: UnixMs): UnixMs {
      if (known && now >= known.from && now < known.until) return known.until
      let until = nextEdge(now)
      while (until < now + horizonMs && find(until) !== null) until = nextEdge(until)
      until = Math.max(until, Math.floor(now / minuteMs) * minuteMs + minuteMs)
      known = { from: now, until }
      return until
    },
  }
}

/** @param wall what the wall shows, as `WallClock.read` gives it */
function isInside(interval: MuteInterval, wall: UnixMs): boolean {
  const day = Math.floor(wall / dayMs)
  const minute = (wall - day * dayMs) / minuteMs
  const { from, to } = interval
  if (from < to) return minute >= from && minute < to && isDay(interval, day)
  return (minute >= from && isDay(interval, day)) || (minute < to && isDay(interval, day - 1))
}

/** @param day since 1970 */
function isDay({ weekdays, daysOfMonth, months, dates }: MuteInterval, day: number): boolean {
  const date = new Date(day * dayMs)
  const dayOfMonth = date.getUTCDate()
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  const fromStart = (one: number) => (one < 0 ? length + one + 1 : one)
  return (
    weekdays.includes(date.getUTCDay()) &&
    isIn(months, date.getUTCMonth() + 1) &&
    isIn(dates, date.toISOString().slice(0, 10)) &&
    isIn(
      daysOfMonth?.map((range) => ({ from: fromStart(range.from), to: fromStart(range.to) })),
      dayOfMonth,
    )
  )
}

function isIn<T extends number | string>(ranges: readonly Range<T>[] | null | undefined, value: T): boolean {
  return ranges == null || ranges.some(({ from, to }) => value >= from && value <= to)
}

/** What a clock on the wall of a time zone shows, as if it stood in UTC; and when that jumps. */
interface WallClock {
  /** The wall's date and minute, as the instant at which UTC shows the same. */
  read(at: UnixMs): UnixMs
  /** When the wall next shows a minute of the day, at the latest after a day; sooner where it jumps on the way. */
  next(at: UnixMs, minute: number): UnixMs
}

/** @param timeZone an IANA name */
function createWallClock(timeZone: string): WallClock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })

  function read(at: UnixMs): UnixMs {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0
    return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
  }

  const shift = (at: UnixMs) => read(at) - Math.floor(at / minuteMs) * minuteMs

  return {
    read,
    next(at, minute) {
      const now = read(at)
      const today = Math.floor(now / dayMs) * dayMs + minute * minuteMs
      const wait = (today > now ? today : today + dayMs) - now
      const from = Math.floor(at / minuteMs) * minuteMs
      const until = from + wait
      return shift(from) === shift(until) ? until : findJump(from, until)
    },
  }

  /** The first minute after `from` at which the wall is shifted otherwise: it jumps at most once a day. */
  function findJump(from: UnixMs, until: UnixMs): UnixMs {
    const before = shift(from)
    let [low, high] = [from, until]
    while (high - low > minuteMs) {
      const middle = low + Math.floor((high - low) / minuteMs / 2) * minuteMs
      if (shift(middle) === before) low = middle
      else high = middle
    }
    return high
  }
}
