/** A page of a list with where each of its rows stands: its block, as a rule. Null for a row that does not say. */
export interface PlacedPage {
  readonly start: number
  readonly keys: readonly string[]
  readonly positions: readonly (number | null)[]
}

/** How many of the last rows stand in one block; 0 where no others stand before them, or the page is in no order. */
export function countBorder({ positions }: PlacedPage): number {
  const border = positions.at(-1) ?? null
  if (border === null || !isSorted(positions)) return 0
  const before = positions.findLastIndex((position) => position !== border)
  return before === -1 ? 0 : positions.length - 1 - before
}

/**
 * Whether a page holds the whole block with which the one before it ends: it begins in one that stands before that, on the
 * same side.
 */
export function holdsBorder(before: PlacedPage, { positions }: PlacedPage): boolean {
  const [top, border, first] = [before.positions[0], before.positions.at(-1), positions[0]]
  if (top == null || border == null || first == null) return false
  return isSorted(before.positions) && isSorted(positions) && (first - border) * (top - border) > 0
}

/** By how many places the block moved down with which the page before ends; null where its begin is not in both. */
export function borderShift(before: PlacedPage, after: PlacedPage): number | null {
  const border = before.positions.at(-1) ?? null
  const [from, to] = [before.positions.indexOf(border), after.positions.indexOf(border)]
  return border === null || from < 1 || to < 1 ? null : after.start + to - before.start - from
}

function isSorted(positions: readonly (number | null)[]): boolean {
  let [rises, falls] = [false, false]
  for (const [index, position] of positions.entries()) {
    const before = positions[index - 1]
    if (position === null) return false
    if (before == null) continue
    rises ||= position > before
    falls ||= position < before
  }
  return !(rises && falls)
}
