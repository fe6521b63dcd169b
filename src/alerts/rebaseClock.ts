import type { UnixMs } from '../lib/clock.ts'
import { formatDuration } from '../lib/duration.ts'
import type { EngineContext } from './engineContext.ts'

/** After a jump beyond this nobody's reminder comes before its group's next interval. */
const longJumpMs = 3_600_000

/**
 * The machine slept: every length of what was watched goes on where it was, so that the sleep alone neither fires nor
 * resolves nor repeats anything. Ends of silences are dates and stay.
 */
export function rebaseClock(context: EngineContext, byMs: number, now: UnixMs): void {
  context.store.rebaseTimes(byMs)
  if (Math.abs(byMs) > longJumpMs) context.store.holdRepeats(now)
  context.windows.clear()
  context.muteTimes.clear()
  if (!context.hold.isReleased) context.hold = { ...context.hold, until: context.hold.until + byMs }
  const reason = `the machine slept for ${formatDuration(byMs)}`
  context.log.warn({ byMs }, reason)
  context.store.recordDecision({
    at: now,
    alertId: null,
    rule: '',
    subject: 'clock',
    what: 'rebased',
    reason,
  })
}
