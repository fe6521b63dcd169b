import type { UnixMs } from '../../lib/clock.ts'

/** Transactions of blocks that were closely watched, and how many of them were preconfirmed late or not at all. */
interface LateCount {
  readonly samples: number
  readonly late: number
  /** Of these, how many were never preconfirmed. */
  readonly unseen: number
}

export interface LateWindow {
  add(count: LateCount, at: UnixMs): void
  /** Over the last `windowMs`. */
  count(windowMs: number, now: UnixMs): LateCount
}

const bucketMs = 5_000
/** The longest window that a rule may look at. */
export const longestWindowMs = 3_600_000

/** Sliding counts in steps of five seconds, kept for an hour. */
export function createLateWindow(): LateWindow {
  let buckets: { readonly at: UnixMs; count: LateCount }[] = []
  return {
    add(count, at) {
      if (count.samples === 0) return
      const start = Math.floor(at / bucketMs) * bucketMs
      const last = buckets.at(-1)
      if (last?.at === start) last.count = addUp(last.count, count)
      else
        buckets = [...buckets.filter((bucket) => bucket.at > start - longestWindowMs), { at: start, count }]
    },
    count: (windowMs, now) =>
      buckets
        .filter((bucket) => bucket.at + bucketMs > now - windowMs)
        .reduce((sum, { count }) => addUp(sum, count), nothing),
  }
}

const nothing: LateCount = { samples: 0, late: 0, unseen: 0 }

function addUp(a: LateCount, b: LateCount): LateCount {
  return { samples: a.samples + b.samples, late: a.late + b.late, unseen: a.unseen + b.unseen }
}
