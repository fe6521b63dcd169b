import { parseDuration } from '../lib/duration.ts'
import { MonitorError } from '../lib/errors.ts'
import { parseInstant } from '../lib/parseInstant.ts'

/**
 * A moment as people type it: an ISO time, UTC without an offset, or a duration from now on (`sign` 1) or back (-1).
 * @throws MonitorError `usage`
 */
export function readTime(option: string, text: string, of: { now: number; sign: 1 | -1 }): number {
  const ms = parseDuration(text)
  if (ms !== null) return Math.max(0, of.now + of.sign * ms)
  const at = parseInstant(text)
  if (at !== null) return at
  throw new MonitorError(
    'usage',
    `${option}: expected a duration such as 2h, or a time such as 2026-03-08T00:00:00Z, got "${text}"`,
  )
}
