/** A page of a list with where each of its rows stands: its block, as a rule. Null for a row that does not say. */
export interface PlacedPage {
  readonly start: number
  readonly keys: readonly string[]
  /** The same without their numbers: equal for equal rows. */
  readonly bare: readonly string[]
  readonly positions: readonly (number | null)[]
}

/** How many of the last rows stand in one block; 0 where no others stand before them, or the page is in no order. */
export function countBorder({ positions }: PlacedPage): number {
  const border = positions.at(-1) ?? null
  if (border === null || !isSorted(positions)) return 0
  const before = positions.findLastIndex((position) => position !== border)
  return before === -1 ? 0 : positions.length - 1 - before
}

/** Whether a page ends within a block, as far as it shows: more than one of its last rows stand in it. */
export function endsWithin({ positions }: PlacedPage): boolean {
  const border = positions.at(-1) ?? null
  return border !== null && border === positions.at(-2) && isSorted(positions)
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

/**
 * Whether a page begins with the very rows with which the last one ended, in their places, and goes on with others. If
 * rows of that block come in any order, as many were read of it by then as there are. A page that moved by as much as a row
 * proves nothing of it.
 */
export function isContinued(before: readonly PlacedPage[], page: PlacedPage): boolean {
  const { start, bare } = page
  const last = before.at(-1)
  const known = last !== undefined && start >= last.start ? last.bare.slice(start - last.start) : []
  if (known.length === 0 || known.some((row, index) => row !== bare[index])) return false
  const others = new Set(before.flatMap((one) => one.bare))
  // Of rows that are equal more may follow: one page shows that they are several.
  const isSeveral = (row: string) =>
    [...before, page].some((one) => one.bare.indexOf(row) !== one.bare.lastIndexOf(row))
  return !bare.slice(known.length).some((row) => others.has(row) && !isSeveral(row))
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
