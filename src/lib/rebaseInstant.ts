import type { UnixMs } from './clock.ts'

/** The wall clock moved. */
export interface ClockJump {
  /** By how much beyond the time that passed by the monotonic clock; negative is back. */
  readonly byMs: number
  readonly now: UnixMs
}

/**
 * An instant from before the machine slept, so that its age stays what it was. What was noted since is by the new time
 * already: it is not moved into the future.
 */
export function rebaseInstant(at: UnixMs, { byMs, now }: ClockJump): UnixMs {
  return Math.min(at + byMs, now)
}
