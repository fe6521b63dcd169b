import type { UnixMs } from '../../lib/clock.ts'

/** How far something came, by our clock. */
export interface TrackedHeight {
  readonly height: number
  /** When it last came further. */
  readonly advancedAt: UnixMs
  /** When it was last read to be so far. */
  readonly seenAt: UnixMs
  /** The highest of the readings since then, all of them lower; null without one. */
  readonly below: { readonly height: number; readonly at: UnixMs } | null
}

/** How long only lower readings come before they are believed, ms: what the node said before does not count then. */
const believedAfterMs = 30_000

/**
 * Follows a height through readings of nodes that are not equally far. A step back alone is no news: behind a load
 * balancer it happens without anything having happened.
 */
export function trackHeight(before: TrackedHeight | null, height: number, at: UnixMs): TrackedHeight {
  if (before === null || height > before.height) return { height, advancedAt: at, seenAt: at, below: null }
  if (height === before.height) return { ...before, seenAt: Math.max(before.seenAt, at), below: null }
  const below = before.below === null || height > before.below.height ? { height, at } : before.below
  if (at - before.seenAt < believedAfterMs) return { ...before, below }
  return { height: below.height, advancedAt: below.at, seenAt: at, below: null }
}
