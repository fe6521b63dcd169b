import type { Clock } from '../../../lib/clock.ts'

/** How long a thing counts as the same: a second press is meant as the first; Slack sends again what was lost. */
const windows = { 'pressed twice': 10_000, redelivered: 3_600_000 } as const
const most = 1_000

export interface Once {
  /** Whether it did not come within its window before. */
  isNew(key: string, window: keyof typeof windows): boolean
  /** It came to nothing: it may come again. */
  forget(key: string): void
}

export function createOnce(clock: Pick<Clock, 'monotonicMs'>): Once {
  const until = new Map<string, number>()
  return {
    isNew(key, window) {
      const now = clock.monotonicMs()
      if ((until.get(key) ?? -Infinity) > now) return false
      until.delete(key)
      until.set(key, now + windows[window])
      for (const [oldest] of until) {
        if (until.size <= most) break
        until.delete(oldest)
      }
      return true
    },
    forget: (key) => void until.delete(key),
  }
}
