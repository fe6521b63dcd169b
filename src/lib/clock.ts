/** Milliseconds since 1970-01-01T00:00:00Z. */
export type UnixMs = number

/**
 * The only source of time. `now` is the wall clock and may step; `monotonicMs` never goes back and is for
 * durations inside one process; `sleep` ends early, without throwing, when its signal aborts.
 */
export interface Clock {
  now(): UnixMs
  monotonicMs(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export function createSystemClock(): Clock {
  return createScaledClock(1)
}

/**
 * A clock that runs `speed` times as fast as the machine's, from `start` on. The demo gives one to the sandbox and
 * the daemon alike, so that an hour of bridge life passes in minutes.
 */
export function createScaledClock(speed: number, start: UnixMs = Date.now()): Clock {
  const origin = performance.now()
  const wallOffset = speed === 1 ? null : start
  return {
    now: () =>
      wallOffset === null ? Date.now() : Math.floor(wallOffset + (performance.now() - origin) * speed),
    monotonicMs: () => (performance.now() - origin) * speed,
    sleep: (ms, signal) => sleepReal(ms / speed, signal),
  }
}

function sleepReal(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    // setTimeout counts in 32 bits: a longer wait would fire at once.
    const timer = setTimeout(done, Math.min(Math.max(ms, 0), 2_147_483_647))
    function done() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    signal?.addEventListener('abort', done, { once: true })
  })
}
