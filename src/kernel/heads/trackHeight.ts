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
  /** Where it stood before, while it has come no further than to one of two places. */
  readonly other?: Pick<TrackedHeight, 'height' | 'advancedAt'>
}

/** How long only lower readings come before they are believed, ms: what the node said before does not count then. */
const believedAfterMs = 30_000

/**
 * Follows a height through readings of nodes that are not equally far. A step back alone is no news: behind a load
 * balancer it happens without anything having happened.
 */
export function trackHeight(before: TrackedHeight | null, height: number, at: UnixMs): TrackedHeight {
  if (before === null) return begin(height, at)
  if (height > before.height)
    return height === before.other?.height ? swing(before, { height, at }, at) : begin(height, at)
  if (height === before.height) return { ...before, seenAt: Math.max(before.seenAt, at), below: null }
  const below = before.below === null || height > before.below.height ? { height, at } : before.below
  if (at - before.seenAt < believedAfterMs) return { ...before, below }
  return swing(before, below, at)
}

function begin(height: number, at: UnixMs): TrackedHeight {
  return { height, advancedAt: at, seenAt: at, below: null }
}

/** Two nodes that both stand still, asked for a while each: whoever is back where it stood before has come no further. */
function swing(
  { height, advancedAt, other }: TrackedHeight,
  to: NonNullable<TrackedHeight['below']>,
  seenAt: UnixMs,
): TrackedHeight {
  const since = to.height === other?.height ? other.advancedAt : to.at
  return { height: to.height, advancedAt: since, seenAt, below: null, other: { height, advancedAt } }
}
