import { CronTime } from 'cron'
import type { UnixMs } from '../../lib/clock.ts'

/** The first moment after `from` at which a cron expression with seconds is due, UTC. */
export function nextDue(expression: string, from: UnixMs): UnixMs {
  const everySeconds = secondsOf(expression)
  if (everySeconds !== null) {
    const step = everySeconds * 1_000
    return (Math.floor(from / step) + 1) * step
  }
  const time = new CronTime(expression, 'UTC')
  return time.getNextDateFrom(new Date(from), 'UTC').toMillis()
}

/**
 * The usual distance between two ticks of an expression, ms.
 * @example intervalOf('*\/5 * * * * *') // 5_000
 */
export function intervalOf(expression: string): number {
  const first = nextDue(expression, Date.UTC(2026, 0, 5))
  return nextDue(expression, first) - first
}

/** Of `*\/5 * * * * *` and `0 *\/2 * * * *`, as most polls have: calendars are slow. Null when it is not so even. */
function secondsOf(expression: string): number | null {
  const match = /^(0 )?\*(?:\/(\d{1,2}))?((?: \*)+)$/.exec(expression)
  if (match === null || (match[1] ?? '').length + (match[3] ?? '').length !== 10) return null
  const step = Number(match[2] ?? 1)
  if (step < 1 || 60 % step !== 0) return null
  return match[1] === undefined ? step : step * 60
}
