/** How long a lease lasts by PostgreSQL's clock from each renewal, ms. */
export const leaseMs = 10_000

/** How often it is renewed, ms. */
export const renewMs = 2_000

/** What two clocks may differ by in ten seconds, and a process may need between looking and sending, ms. */
const marginMs = 500

/** One moment by two clocks that nobody sets. */
export interface Moment {
  readonly monotonicMs: number
  /** Goes on while the machine is suspended; null where the system has none. */
  readonly bootMs: number | null
}

/**
 * Whether nobody else can hold the lease now. It is counted from before the renewal was sent: PostgreSQL counts from when
 * it came.
 */
export function isSurelyHeld(renewedFrom: Moment | null, now: Moment): boolean {
  return renewedFrom !== null && passedMs(renewedFrom, now) < leaseMs - marginMs
}

/** By the clock that went further. */
function passedMs(from: Moment, to: Moment): number {
  const running = to.monotonicMs - from.monotonicMs
  const booted = from.bootMs === null || to.bootMs === null ? running : to.bootMs - from.bootMs
  return Math.max(running, booted)
}
