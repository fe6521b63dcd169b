import type { Clock, UnixMs } from '../../src/lib/clock.ts'

export interface SteppedClock extends Clock {
  /** Moves time on, waking sleepers in order. */
  advance(ms: number): Promise<void>
  /** How long anyone has slept, in order. */
  readonly slept: readonly number[]
}

interface Sleeper {
  readonly at: number
  wake(): void
}

/**
 * A clock for tests. By default a sleep ends at once and moves the time by its length; with `isManual` it ends only
 * through `advance`.
 */
export function createSteppedClock(options: { start?: UnixMs; isManual?: boolean } = {}): SteppedClock {
  const start = options.start ?? Date.UTC(2026, 0, 1)
  const slept: number[] = []
  let elapsed = 0
  let sleepers: Sleeper[] = []

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    slept.push(ms)
    if (signal?.aborted) return Promise.resolve()
    if (!options.isManual) {
      elapsed += Math.max(0, ms)
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      sleepers.push({ at: elapsed + ms, wake: resolve })
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  async function advance(ms: number): Promise<void> {
    const until = elapsed + ms
    for (;;) {
      await settle()
      const next = sleepers.filter((sleeper) => sleeper.at <= until).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      sleepers = sleepers.filter((sleeper) => sleeper !== next)
      elapsed = Math.max(elapsed, next.at)
      next.wake()
    }
    elapsed = until
    await settle()
  }

  return { now: () => Math.floor(start + elapsed), monotonicMs: () => elapsed, sleep, advance, slept }
}

/** Lets everything run that waits for nothing but its turn. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}
