/** How the rows of one answer are ordered; `unknown` when too few say where they stand. */
export type Order = 'newest-first' | 'oldest-first' | 'mixed' | 'unknown'

/**
 * The order of a list, as its rows show it. What the service sorts by is not documented and may differ a little from
 * `position`, so one pair in five may stand against the others.
 */
export function listOrder<R>(rows: readonly R[], position?: (row: R) => number | null): Order {
  if (!position) return 'unknown'
  const positions = rows.map(position).filter((value) => value !== null)
  let falls = 0
  let rises = 0
  let before = positions[0] ?? 0
  for (const value of positions) {
    if (value < before) falls += 1
    if (value > before) rises += 1
    before = value
  }
  if (falls === 0 && rises === 0) return 'unknown'
  if (falls >= 4 * rises) return 'newest-first'
  return rises >= 4 * falls ? 'oldest-first' : 'mixed'
}
