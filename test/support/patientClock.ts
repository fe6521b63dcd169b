import type { Clock } from '../../src/lib/clock.ts'
import { createSleepers } from './createSleepers.ts'

/** The world's time between two turns of the event loop, at most: what took longer is the machine's delay. */
const usualStepMs = 80
const tickMs = 2

/**
 * A clock that runs `speed` times as fast as the machine's at most, and more slowly where the machine does not keep
 * up: time goes on in small steps between the turns of the event loop, so that a loaded machine makes a test longer
 * and changes nothing in it. Only for what lives in this process as a whole.
 */
export function createPatientClock(speed: number, maxStepMs: number = usualStepMs): Clock {
  const start = Date.now()
  let elapsedMs = 0
  const sleepers = createSleepers(() => elapsedMs)
  let seenAt = performance.now()

  function tick(): void {
    const now = performance.now()
    elapsedMs += Math.min((now - seenAt) * speed, maxStepMs)
    seenAt = now
    sleepers.wakeDue()
  }
  // Does not keep the process: whoever sleeps has a timer of his own.
  setInterval(tick, tickMs).unref()

  return {
    now: () => Math.floor(start + elapsedMs),
    monotonicMs: () => elapsedMs,
    sleep: (ms, signal) => sleepers.sleep(ms, signal),
  }
}
