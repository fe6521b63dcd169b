import type { UnixMs } from '../lib/clock.ts'

/** Many of one key within a time are together, and few are not. */
export interface Crowd {
  readonly withinMs: number
  readonly least: number
}

interface Member {
  readonly from: UnixMs
  readonly caseId: number
}

/**
 * The cases that one more belongs to, as one of many: those of every stretch of `withinMs` with it that has at least so
 * many. Whatever the order in which they come, the same are together: what a stretch gains ties no fewer.
 * @param near of the same key: as many as that, but one, before it and after it, or all that there are
 */
export function findCrowd(
  near: readonly Member[],
  from: UnixMs,
  { withinMs, least }: Crowd,
): readonly Pick<Member, 'caseId'>[] {
  const own = { from, caseId: null }
  const sorted = [...near, own].toSorted((a, b) => a.from - b.from || Number(a === own) - Number(b === own))
  const tied = sorted.flatMap((first, at) => {
    const stretch = sorted.slice(at, at + least)
    const last = stretch.at(-1)
    const isDense = stretch.length === least && last !== undefined && last.from - first.from <= withinMs
    return isDense && stretch.includes(own) ? stretch : []
  })
  return tied.flatMap(({ caseId }) => (caseId === null ? [] : { caseId }))
}
