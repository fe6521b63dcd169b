import { CronTime } from 'cron'
import { DateTime } from 'luxon'
import type { UnixMs } from './clock.ts'

/**
 * The first time after an instant at which a schedule comes due by the clock on the wall of its time zone: once where that
 * shows it twice, and as much later where it is skipped. Asked in a zone whose clocks go back, the library comes too early.
 * @example nextDueIn({ cron: '0 8 * * *', timezone: 'Europe/Berlin' }, Date.UTC(2026, 2, 8)) // 2026-03-08T07:00Z
 */
export function nextDueIn(
  { cron, timezone }: { readonly cron: string; readonly timezone: string },
  after: UnixMs,
): UnixMs {
  // As if the wall stood in UTC, where no hour is skipped or comes twice.
  const wall = DateTime.fromMillis(after, { zone: timezone }).setZone('utc', { keepLocalTime: true })
  const shown = new CronTime(cron, 'UTC').getNextDateFrom(wall.toJSDate(), 'UTC').toMillis()
  const at = DateTime.fromMillis(shown, { zone: 'utc' }).setZone(timezone, { keepLocalTime: true })
  return Math.min(...at.getPossibleOffsets().flatMap((one) => (one.toMillis() > after ? one.toMillis() : [])))
}
