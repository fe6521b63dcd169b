interface Sleeper {
  readonly until: number
  wake(): void
}

export interface Sleepers {
  /** Resolves when time reaches the sleeper, or on abort. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** When the next one wakes, ms of the elapsed time; null while nobody sleeps. */
  next(): number | null
  /** Wakes whoever's time has come, the earliest first. */
  wakeDue(): void
}

/** Who sleeps by a clock that a test moves; `elapsed` is that clock's time, ms. */
export function createSleepers(elapsed: () => number): Sleepers {
  const sleepers = new Set<Sleeper>()
  return {
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const sleeper: Sleeper = { until: elapsed() + Math.max(ms, 0), wake: done }
        function done() {
          sleepers.delete(sleeper)
          signal?.removeEventListener('abort', done)
          resolve()
        }
        signal?.addEventListener('abort', done, { once: true })
        sleepers.add(sleeper)
      }),
    next() {
      let next: number | null = null
      for (const { until } of sleepers) if (next === null || until < next) next = until
      return next
    },
    wakeDue() {
      const due = [...sleepers].filter(({ until }) => until <= elapsed()).sort((a, b) => a.until - b.until)
      for (const sleeper of due) sleeper.wake()
    },
  }
}
