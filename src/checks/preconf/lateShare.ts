import type { UnixMs } from '../../lib/clock.ts'

/** Transactions of blocks that were closely watched, and how many of them were preconfirmed late or not at all. */
interface LateCount {
  readonly samples: number
  readonly late: number
  /** Of these, how many were never preconfirmed. */
  readonly unseen: number
}

/** Sliding counts in steps of five seconds, kept for an hour. */
export interface LateWindow {
  buckets: readonly { readonly at: UnixMs; readonly count: LateCount }[]
  /** Since when the share of each set of a rule's parameters is passed. */
  passed: ReadonlyMap<string, UnixMs>
}

const bucketMs = 5_000
/** The longest window that a rule may look at. */
export const longestWindowMs = 3_600_000

export function createLateWindow(): LateWindow {
  return { buckets: [], passed: new Map() }
}

export function addLate(late: LateWindow, count: LateCount, at: UnixMs): void {
  if (count.samples === 0) return
  const start = Math.floor(at / bucketMs) * bucketMs
  const last = late.buckets.at(-1)
  late.buckets =
    last?.at === start
      ? [...late.buckets.slice(0, -1), { at: start, count: addUp(last.count, count) }]
      : [...late.buckets.filter((bucket) => bucket.at > start - longestWindowMs), { at: start, count }]
}

/** Over the last `windowMs`. */
export function countLate({ buckets }: LateWindow, windowMs: number, now: UnixMs): LateCount {
  return buckets
    .filter((bucket) => bucket.at + bucketMs > now - windowMs)
    .reduce((sum, { count }) => addUp(sum, count), nothing)
}

const nothing: LateCount = { samples: 0, late: 0, unseen: 0 }

function addUp(a: LateCount, b: LateCount): LateCount {
  return { samples: a.samples + b.samples, late: a.late + b.late, unseen: a.unseen + b.unseen }
}
