import type { UnixMs } from '../../lib/clock.ts'

const defaultMs = 1_000
const capMs = 15 * 60_000

/**
 * How long a 429 asks to wait: whole seconds or an HTTP date, at least 1 s, at most 15 min; 1 s when the header is
 * absent or unreadable.
 * @example parseRetryAfter('30', now) // 30_000
 */
export function parseRetryAfter(header: string | null, now: UnixMs): number {
  const text = header?.trim() ?? ''
  const wanted = /^\d+$/.test(text) ? Number(text) * 1_000 : dateOf(text) - now
  if (Number.isNaN(wanted)) return defaultMs
  return Math.min(Math.max(wanted, defaultMs), capMs)
}

// Only what starts with a weekday is a date here: Date.parse also reads '-5' and '1e3'.
function dateOf(text: string): number {
  return /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN
}
