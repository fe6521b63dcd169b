import { DateTime } from 'luxon'
import type { DailyReport, ReportFlow, ReportSum } from '../dailyReport.ts'
import { sayVerdict } from './headline.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/duration.ts'

export function directionLabel(direction: ReportFlow['direction']): string {
  return direction === 'MainToZone' ? 'deposits' : 'withdrawals'
}

/** @example sumLabel(sum) // '1500.25', '1500.25 and 2 of unknown amount' */
export function sumLabel({ amount, raw, unknown }: ReportSum): string {
  const known = amount ?? `${raw} base units`
  return unknown === 0 ? known : `${known} and ${unknown} of unknown amount`
}

export function durationLabel(ms: number | null): string {
  return ms === null ? 'unknown' : formatDuration(ms)
}

/** @example shareLabel(0.9996) // '99.9 %': rounded down, because nearly all is not all */
export function shareLabel(share: number): string {
  return `${(Math.floor(share * 1_000) / 10).toFixed(1)} %`
}

/** In the report's zone, as a reader there would write it down. */
export function timeLabel(at: UnixMs, zone: string): string {
  return DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd HH:mm:ss')
}

/** The report in one line: the day, and what has to be looked at. */
export function verdictLabel(report: DailyReport): string {
  return `Bridge reconciliation ${report.window.day}: ${sayVerdict(report)}`
}

/** What a window is, in words: an hour more or less is worth saying. */
export function windowLabel({ window }: DailyReport): string {
  const hours = (window.until - window.from) / 3_600_000
  const length = hours % 24 === 0 ? '' : ` (${hours} hours: the clocks change)`
  return `${window.day}, ${window.zone}${length}`
}

/** Sections of a report that could not be known, named. */
export const unknownText = 'unknown: it could not be observed'
