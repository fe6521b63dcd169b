import type { UnixMs } from '../../lib/clock.ts'

export interface HeadReading {
  readonly height: number
  /** As the chain says. */
  readonly blockTime: UnixMs | null
  /** When it was asked for, by our clock. */
  readonly at: UnixMs
}

/** A chain's head through readings of servers that are not equally far, and may be wrong. */
export interface TrackedHead {
  readonly height: number
  readonly blockTime: UnixMs | null
  /** When it last came further. */
  readonly advancedAt: UnixMs
  /** When it was last read, whatever was said. */
  readonly readAt: UnixMs
  /** When it was last read to be so far. */
  readonly seenAt: UnixMs
  /** The highest of the readings since then, all of them lower; null without one. */
  readonly below: HeadReading | null
  /** A reading so far ahead that it needs a second one; null without one. */
  readonly ahead: HeadReading | null
  /** Where it stood before, while it has come no further than to one of two places; null otherwise. */
  readonly other: Standing | null
}

/** A height, and when it was come to. */
export type Standing = Pick<TrackedHead, 'height' | 'advancedAt'>

/** How long only lower readings come before they are believed, ms: the chain really stands there. */
const believedAfterMs = 30_000
/** No chain makes more blocks; a reading beyond is taken for a slip of the server until the next one agrees. */
const mostBlocksASecond = 100
const freeBlocks = 1_000

/**
 * Takes one more reading into account. A step back alone is no news: behind a load balancer it happens without anything
 * having happened. A leap that no chain makes waits for a second reading, because everything that is read up to the
 * head would be read up to there.
 */
export function trackHead(before: TrackedHead | null, reading: HeadReading): TrackedHead {
  if (before === null) return begin(reading, reading.at)
  const readAt = Math.max(before.readAt, reading.at)
  const { height } = reading
  if (height === before.other?.height && height > before.height) return swing(before, reading, readAt)
  if (height > before.height) {
    const isAgreed = before.ahead !== null && !isLeap(before.ahead, reading) && height >= before.ahead.height
    const isBelieved = isAgreed || !isLeap({ height: before.height, at: before.readAt }, reading)
    return isBelieved ? begin(reading, readAt) : { ...before, readAt, ahead: reading }
  }
  if (height === before.height)
    return { ...before, readAt, seenAt: Math.max(before.seenAt, reading.at), below: null, ahead: null }
  const below = before.below === null || height > before.below.height ? reading : before.below
  // After a start with a clock that was set back nothing was seen in the future.
  const seenAt = Math.min(before.seenAt, reading.at)
  if (reading.at - seenAt < believedAfterMs) return { ...before, readAt, seenAt, below, ahead: null }
  return { ...swing(before, below, readAt), seenAt: reading.at }
}

/** The same of one who says no time beside a height: a node, or who preconfirms. */
export function trackHeight(before: TrackedHead | null, height: number, at: UnixMs): TrackedHead {
  return trackHead(before, { height, blockTime: null, at })
}

function begin({ height, blockTime, at }: HeadReading, readAt: UnixMs): TrackedHead {
  return { height, blockTime, advancedAt: at, readAt, seenAt: at, below: null, ahead: null, other: null }
}

/** Two servers that both stand still, asked for a while each: whoever is back where it stood before has come no further. */
function swing({ height, advancedAt, other }: TrackedHead, to: HeadReading, readAt: UnixMs): TrackedHead {
  const begun = begin(to, readAt)
  return { ...begun, ...(to.height === other?.height && other), other: { height, advancedAt } }
}

function isLeap(from: Pick<HeadReading, 'height' | 'at'>, to: HeadReading): boolean {
  const seconds = Math.max(0, to.at - from.at) / 1_000
  return to.height - from.height > freeBlocks + mostBlocksASecond * seconds
}

/** Clocks of blocks may be so far ahead of ours. */
const toleratedMs = 15_000

/** Less is how late a head is read, and how far apart clocks are that a time service sets. */
const leastPartingMs = 60_000

/**
 * By how much our clock is ahead of theirs who answer; negative: behind. An early head proves that we are behind, a late
 * one that we are ahead only where the service gives that time as well. Null while that cannot be said.
 */
export function partingMs(
  head: { readonly blockTime: UnixMs | null; readonly advancedAt: UnixMs } | undefined,
  clockAheadMs: number | null,
): number | null {
  const isTheirs = clockAheadMs !== null && Math.abs(clockAheadMs) < leastPartingMs
  if (head === undefined || head.blockTime === null) return isTheirs ? 0 : null
  const aheadMs = head.advancedAt - head.blockTime
  if (aheadMs <= -leastPartingMs) return aheadMs
  const isTold = clockAheadMs !== null && Math.abs(aheadMs + clockAheadMs) < leastPartingMs
  return isTold && aheadMs >= leastPartingMs ? aheadMs : 0
}

/**
 * The time that the readings of a chain have passed: its head's, but never later than when that was read. What a block
 * says of its time is for people; nothing is done earlier because of it.
 */
export function passedTime(
  head: { readonly blockTime: UnixMs | null; readonly advancedAt: UnixMs },
  clockAheadMs: number,
): UnixMs | null {
  if (head.blockTime === null) return null
  return Math.min(head.blockTime, head.advancedAt + Math.max(0, clockAheadMs) + toleratedMs)
}
