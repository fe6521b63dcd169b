import { CronTime } from 'cron'
import type { UnixMs } from '../lib/clock.ts'

/** The first moment after `from` at which a cron expression with seconds is due, UTC. */
export function nextDue(expression: string, from: UnixMs): UnixMs {
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
