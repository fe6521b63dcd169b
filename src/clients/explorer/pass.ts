interface Added {
  /** How many of the rows lie below all that was read just before. */
  readonly gained: number
  /** Which of the rows no reading had found. */
  readonly fresh: readonly number[]
}

interface ReadWindow {
  readonly start: number
  readonly keys: readonly string[]
  readonly places: ReadonlyMap<string, number>
}

/** Rows of so many pages are recognised as "just read". */
const rememberedWindows = 3
/** The last row read may itself have moved away, so the ones before it count too. */
const frontierRows = 3

/** What one reading of a list has seen, and how its rows moved meanwhile. */
export interface Pass {
  /** Hashes of the rows that earlier readings found; this one adds to them. */
  readonly seen: Set<number>
  readonly isFirst: boolean
  windows: readonly ReadWindow[]
  first: ReadWindow | null
  /** By how many places rows moved down between pages. */
  drifted: number
  /** Rows moved otherwise than by insertion at the top. */
  hasMoved: boolean
  isBelowTop: boolean
  /** New rows that stood below one known from an earlier reading. */
  newBelowTop: number
}

export function beginPass(seen: Set<number>): Pass {
  return {
    seen,
    isFirst: seen.size === 0,
    windows: [],
    first: null,
    drifted: 0,
    hasMoved: false,
    isBelowTop: false,
    newBelowTop: 0,
  }
}

/**
 * Whether these rows join up with those read just before: they begin with a known row, and what they know reaches to
 * the end of what was read. Rows re-pushed to this place would be known too, but stand elsewhere. After a step back
 * it is enough that they begin with a known row.
 */
export function isAdjacent(pass: Pass, keys: readonly string[], isSteppedBack: boolean): boolean {
  const [firstKey] = keys
  if (firstKey === undefined || !isRecent(pass, firstKey)) return false
  const lastKnown = keys.findLastIndex((key) => isRecent(pass, key))
  if (isSteppedBack || lastKnown === keys.length - 1) return true
  const frontier = pass.windows.at(-1)?.keys.slice(-frontierRows) ?? []
  return frontier.includes(keys[lastKnown] ?? '')
}

/** The very rows of the page before, although another stretch was asked for. */
export function isRepeat({ windows }: Pass, start: number, keys: readonly string[]): boolean {
  const last = windows.at(-1)
  return last !== undefined && last.start !== start && isSameList(last.keys, keys)
}

/** Takes the rows from position `start` on. */
export function addRows(pass: Pass, start: number, keys: readonly string[]): Added {
  const window = { start, keys, places: new Map(keys.map((key, index) => [key, start + index])) }
  const shift = shiftBetween(pass.windows.at(-1) ?? null, window)
  if (shift < 0) pass.hasMoved = true
  pass.drifted += Math.max(0, shift)
  pass.first ??= window
  const lastKnown = keys.findLastIndex((key) => isRecent(pass, key))
  pass.windows = [...pass.windows, window].slice(-rememberedWindows)
  return { gained: keys.length - 1 - lastKnown, fresh: remember(pass, keys) }
}

/** Takes rows of a second look at the top. */
export function addTop(
  pass: Pass,
  start: number,
  keys: readonly string[],
): { readonly fresh: Added['fresh']; readonly hasReachedStart: boolean } {
  const { first } = pass
  const fresh = remember(pass, keys)
  const anchor = first?.keys.find((key) => keys.includes(key))
  if (!first || anchor === undefined) return { fresh, hasReachedStart: first === null }
  const inserted = start + keys.indexOf(anchor) - (first.start + first.keys.indexOf(anchor))
  // Rows moved down by more than came at the top: something was put in between.
  if (inserted < pass.drifted) pass.hasMoved = true
  return { fresh, hasReachedStart: true }
}

/** The rows to come follow no others: after a step back. They will be read once more. */
export function beginAnew(pass: Pass): void {
  pass.hasMoved = true
  pass.windows = []
}

/** Which of the rows no reading had found. */
function remember(pass: Pass, keys: readonly string[]): number[] {
  const fresh: number[] = []
  for (const [index, key] of keys.entries()) {
    const digest = hashText(key)
    if (pass.seen.has(digest)) {
      pass.isBelowTop = true
      continue
    }
    pass.seen.add(digest)
    fresh.push(index)
    if (pass.isBelowTop && !pass.isFirst) pass.newBelowTop += 1
  }
  return fresh
}

function isRecent({ windows }: Pass, key: string): boolean {
  return windows.some(({ places }) => places.has(key))
}

/** How far the lowest row common to both windows moved down. */
function shiftBetween(before: ReadWindow | null, after: ReadWindow): number {
  const common = before?.keys.findLast((key) => after.places.has(key))
  if (!before || common === undefined) return 0
  return (after.places.get(common) ?? 0) - (before.places.get(common) ?? 0)
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index])
}

/** 53 bits of a text: a million rows fit in 40 MB, and collide with a chance of one in 20,000. */
function hashText(text: string): number {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 0x9e3779b1)
    low = Math.imul(low ^ unit, 0x5f356495)
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
  return 4_294_967_296 * (0x1f_ffff & low) + (high >>> 0)
}
