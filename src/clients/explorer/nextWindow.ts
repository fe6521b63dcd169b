/** A stretch of a list, as page and limit ask for it. */
export interface Window {
  readonly page: number
  readonly limit: number
}

/** Enough to know the rows again when one of them was rewritten in between. */
const wantedOverlap = 2

/**
 * The page that begins just before `offset` and reaches furthest beyond it. The service has no cursor, but page and
 * limit together address almost any offset: limits a little below the largest shift the borders of pages, so that
 * each page can repeat the last rows of the one before, and a row that slipped between two pages shows.
 * @returns null when no page of at most `maxLimit` rows both overlaps and goes on
 * @example nextWindow(100, 100) // { page: 2, limit: 98 }: rows 98 to 195
 */
export function nextWindow(offset: number, maxLimit: number): Window | null {
  if (offset <= 0) return { page: 1, limit: maxLimit }
  const overlap = maxLimit >= 10 ? wantedOverlap : 1
  let best: Window | null = null
  let reach = offset
  for (let limit = maxLimit; limit >= maxLimit / 2 && limit > 0; limit--) {
    const page = Math.floor((offset - overlap) / limit) + 1
    if (page < 1 || page * limit <= reach) continue
    best = { page, limit }
    reach = page * limit
  }
  return best
}
