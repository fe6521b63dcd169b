/** What one reading of a list has seen, and how its rows moved meanwhile. */
export interface PassTracker {
  /** Whether these rows join up with those read just before. */
  isAdjacent(keys: readonly string[]): boolean
  /** The very rows of the page before, although another stretch was asked for. */
  isRepeat(start: number, keys: readonly string[]): boolean
  /** Takes the rows from position `start` on; gives how many lie below all that was just read. */
  add(start: number, keys: readonly string[]): number
  /** Takes rows of a second look at the top; true when it has reached where the reading began. */
  addTop(start: number, keys: readonly string[]): boolean
  /** By how many places rows moved down between pages. */
  drift(): number
  noteMoved(): void
  /** Rows moved otherwise than by insertion at the top. */
  hasMoved(): boolean
  /** New rows that stood below one known from an earlier reading. */
  newBelowTop(): number
}

interface ReadWindow {
  readonly start: number
  readonly keys: readonly string[]
  readonly places: ReadonlyMap<string, number>
}

/** Rows of so many pages are recognised as "just read". */
const rememberedWindows = 3

/** @param seen hashes of the rows that earlier readings found; this one adds to them */
export function createPassTracker(seen: Set<number>): PassTracker {
  const isFirstPass = seen.size === 0
  let windows: ReadWindow[] = []
  let first: ReadWindow | null = null
  let drifted = 0
  let moved = false
  let isBelowTop = false
  let newBelow = 0

  function remember(keys: readonly string[]): void {
    for (const key of keys) {
      const digest = hashText(key)
      if (seen.has(digest)) {
        isBelowTop = true
        continue
      }
      seen.add(digest)
      if (isBelowTop && !isFirstPass) newBelow += 1
    }
  }

  return {
    isAdjacent: (keys) => windows.some(({ places }) => keys.some((key) => places.has(key))),
    isRepeat(start, keys) {
      const last = windows.at(-1)
      return last !== undefined && last.start !== start && isSameList(last.keys, keys)
    },
    add(start, keys) {
      const window = { start, keys, places: toPlaces(start, keys) }
      const shift = shiftBetween(windows.at(-1) ?? null, window)
      if (shift < 0) moved = true
      drifted += Math.max(0, shift)
      first ??= window
      const lastKnown = keys.findLastIndex((key) => windows.some(({ places }) => places.has(key)))
      windows = [...windows, window].slice(-rememberedWindows)
      remember(keys)
      return keys.length - 1 - lastKnown
    },
    addTop(start, keys) {
      remember(keys)
      if (first === null) return true
      const anchor = first.keys.find((key) => keys.includes(key))
      if (anchor === undefined) return false
      const inserted = start + keys.indexOf(anchor) - (first.start + first.keys.indexOf(anchor))
      // Rows moved down by more than came at the top: something was put in between.
      if (inserted < drifted) moved = true
      return true
    },
    drift: () => drifted,
    noteMoved: () => {
      moved = true
    },
    hasMoved: () => moved,
    newBelowTop: () => newBelow,
  }
}

/** Positions of the rows that occur once; equal rows cannot be told apart. */
function toPlaces(start: number, keys: readonly string[]): Map<string, number> {
  return new Map(keys.map((key, index) => [key, start + index]))
}

/** How far the lowest row common to both windows moved down. */
function shiftBetween(before: ReadWindow | null, after: ReadWindow): number {
  if (before === null) return 0
  for (const key of before.keys.toReversed()) {
    const isUnique = before.keys.indexOf(key) === before.keys.lastIndexOf(key)
    const place = after.places.get(key)
    if (!isUnique || place === undefined || after.keys.indexOf(key) !== place - after.start) continue
    return place - (before.places.get(key) ?? place)
  }
  return 0
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index])
}

/** 53 bits of a text: a million rows fit in 40 MB, and collide with a chance of one in 20,000. */
export function hashText(text: string): number {
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
