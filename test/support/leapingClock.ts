import { subscribe } from 'node:diagnostics_channel'
import type { Clock } from '../../src/lib/clock.ts'
import { createSleepers } from './createSleepers.ts'

/** Turns of the event loop in which nothing is under way before time leaps: what an answer sets off takes a few. */
const quietTurns = 4

export interface LeapingClock extends Clock {
  /** The same time for whoever answers requests: who sleeps by it holds an answer back, and time goes on meanwhile. */
  readonly served: Clock
  /** Lets time go on; until then it stands, and nothing that sleeps wakes. */
  start(): void
  stop(): void
  /** Sets the wall clock of this machine by so much, not that of who answers requests. */
  jump(byMs: number): void
  /** This machine sleeps for so long: its monotonic clock stands still, and time goes on for everybody. */
  suspend(forMs: number): void
  /** Whoever sleeps wakes so much too late, as in a process that was stopped; time goes on for everybody. */
  stall(forMs: number): void
}

/**
 * A clock that stands while requests are under way and leaps to the next sleeper when none is, so that a world in
 * this process passes as fast as its work allows, and no slower machine changes what happens in it. Requests are
 * those of undici; nothing else may take real time.
 */
export function createLeapingClock(start: number = Date.now()): LeapingClock {
  let elapsedMs = 0
  const sleepers = createSleepers(() => elapsedMs)
  const underWay = trackRequests()
  let heldBack = 0
  let quiet = 0
  let isRunning = false
  let aheadMs = 0
  let asleepMs = 0

  function turn(): void {
    if (!isRunning) return
    quiet = underWay.size > heldBack ? 0 : quiet + 1
    if (quiet > quietTurns) {
      quiet = 0
      leap()
    }
    setImmediate(turn)
  }

  function leap(): void {
    const next = sleepers.next()
    if (next === null) return
    elapsedMs = Math.max(elapsedMs, next)
    sleepers.wakeDue()
  }

  const clock: Clock = {
    now: () => Math.floor(start + elapsedMs + asleepMs + aheadMs),
    monotonicMs: () => elapsedMs,
    sleep: (ms, signal) => sleepers.sleep(ms, signal),
  }
  return {
    ...clock,
    served: {
      ...clock,
      now: () => Math.floor(start + elapsedMs + asleepMs),
      async sleep(ms, signal) {
        heldBack += 1
        await clock.sleep(ms, signal)
        heldBack -= 1
      },
    },
    start() {
      if (isRunning) return
      isRunning = true
      turn()
    },
    stop() {
      isRunning = false
    },
    jump(byMs) {
      aheadMs += byMs
    },
    suspend(forMs) {
      asleepMs += forMs
    },
    stall(forMs) {
      elapsedMs += forMs
    },
  }
}

function trackRequests(): ReadonlySet<object> {
  const underWay = new Set<object>()
  const requestOf = (message: unknown) => (message as { request: object }).request
  subscribe('undici:request:create', (message) => void underWay.add(requestOf(message)))
  for (const end of ['trailers', 'error'])
    subscribe(`undici:request:${end}`, (message) => void underWay.delete(requestOf(message)))
  return underWay
}
