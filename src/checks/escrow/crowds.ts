import type { Clock } from '../../lib/clock.ts'

/** Lists of the main chain in which tokens that do not count move more than is worth reading on for. */
export interface Crowds {
  note(stream: string): void
  has(stream: string): boolean
}

/** So long after it was seen a list is taken for crowded: looking costs some pages. */
const lastsMs = 600_000

export function createCrowds(clock: Pick<Clock, 'monotonicMs'>): Crowds {
  const seenAt = new Map<string, number>()
  return {
    note: (stream) => void seenAt.set(stream, clock.monotonicMs()),
    has: (stream) => clock.monotonicMs() - (seenAt.get(stream) ?? -Infinity) < lastsMs,
  }
}
