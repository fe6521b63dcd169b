import type { UnixMs } from '../lib/clock.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

/** What a clock on the wall of a time zone shows, as if it stood in UTC; and when that jumps. */
export interface WallClock {
  /** The wall's date and minute, as the instant at which UTC shows the same. */
  read(at: UnixMs): UnixMs
  /** When the wall next shows a minute of the day, at the latest after a day; sooner where it jumps on the way. */
  next(at: UnixMs, minute: number): UnixMs
}

/** @param timeZone an IANA name */
export function createWallClock(timeZone: string): WallClock {
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
