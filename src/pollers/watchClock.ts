import type { Clock } from '../lib/clock.ts'
import type { ClockJump } from '../lib/rebaseInstant.ts'

/** Less is the slewing of a time service, or a machine that was busy between two readings. */
const toleratedMs = 30_000

/**
 * Compares the wall clock with the monotonic one from look to look. A machine that slept shows as a jump too: its
 * monotonic clock stood still.
 */
export function createClockWatch(clock: Pick<Clock, 'now' | 'monotonicMs'>): () => ClockJump | null {
  let wall = clock.now()
  let mono = clock.monotonicMs()
  return () => {
    const now = clock.now()
    const passed = clock.monotonicMs()
    const byMs = Math.round(now - wall - (passed - mono))
    wall = now
    mono = passed
    return Math.abs(byMs) > toleratedMs ? { byMs, now } : null
  }
}
