import { CronTime } from 'cron'
import type { UnixMs } from '../lib/clock.ts'
import type { AppConfig } from './settings.ts'

interface Intervals {
  readonly openTransfers: number
  readonly byEndpoint: Readonly<Record<string, number>>
}

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

/** How often each endpoint is meant to be asked, ms. */
export function intervalsOf(poll: AppConfig['poll']): Intervals {
  const transfers = intervalOf(poll.transfers)
  const openTransfers = intervalOf(poll.openTransfers)
  const heads = intervalOf(poll.heads)
  const evidence = intervalOf(poll.evidence)
  const contracts = intervalOf(poll.contracts)
  return {
    openTransfers,
    byEndpoint: {
      E3: transfers,
      'E3 by hash': Math.min(openTransfers, 10_000),
      E5: heads,
      E6: intervalOf(poll.escrows),
      E8: intervalOf(poll.escrows),
      E10: Math.max(30_000, intervalOf(poll.escrows)),
      E9: openTransfers,
      E11: heads,
      E12: openTransfers,
      E14: openTransfers,
      ...Object.fromEntries(['E2', 'E13', 'E15', 'E16', 'E21'].map((id) => [id, evidence])),
      E17: contracts,
      E19: contracts,
    },
  }
}
