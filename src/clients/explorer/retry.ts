import type { UnixMs } from '../../lib/clock.ts'

/** Recovery must be quick: no pause is longer, whatever the service asks for. */
const maxRetryDelayMs = 10_000

export interface RetryFacts {
  /** How many attempts have failed, from 1. */
  readonly attempt: number
  readonly isThrottled: boolean
  /** The answer's Retry-After header. */
  readonly retryAfter: string | null
  readonly now: UnixMs
}

/**
 * How long to wait before the next attempt. What the service asks for holds; otherwise the pause doubles, from 250 ms
 * after a failure and from 1 s after a sign of throttling.
 */
export function retryDelayMs(facts: RetryFacts): number {
  const asked = parseRetryAfter(facts.retryAfter, facts.now)
  const own = (facts.isThrottled ? 1_000 : 250) * 2 ** (facts.attempt - 1)
  return Math.min(Math.max(asked ?? 0, own), maxRetryDelayMs)
}

/** Retry-After as seconds or as an HTTP date; null when it is neither. */
export function parseRetryAfter(header: string | null, now: UnixMs): number | null {
  const text = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
