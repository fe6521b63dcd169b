import type { UnixMs } from './clock.ts'

/** The wall clock was set. */
export interface ClockJump {
  /** By how much it moved beyond the time that passed; negative is back. */
  readonly byMs: number
  readonly now: UnixMs
}

/**
 * A past instant by the clock as it is now, so that its age stays what it was. What was noted between the jump and its
 * being seen is by the new clock already: it is moved neither into the future nor further back.
 */
export function rebaseInstant(at: UnixMs, { byMs, now }: ClockJump): UnixMs {
  if (byMs > 0) return Math.min(at + byMs, now)
  return at > now ? at + byMs : at
}
