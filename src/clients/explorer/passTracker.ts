/** What one reading of a list has seen, and how its rows moved meanwhile. */
export interface PassTracker {
  /**
   * Whether these rows join up with those read just before: they begin with a known row, and what they know reaches to
   * the end of what was read. Rows re-pushed to this place would be known too, but stand elsewhere. After a step back
   * it is enough that they begin with a known row.
   */
  isAdjacent(keys: readonly string[], isSteppedBack: boolean): boolean
  /** The very rows of the page before, although another stretch was asked for. */
  isRepeat(start: number, keys: readonly string[]): boolean
  /** Takes the rows from position `start` on. */
  add(start: number, keys: readonly string[]): Added
  /** Takes rows of a second look at the top. */
  addTop(start: number, keys: readonly string[]): Added & { readonly hasReachedStart: boolean }
  /** By how many places rows moved down between pages. */
  drift(): number
  /** The rows to come follow no others: after a step back. They will be read once more. */
  beginAnew(): void
  /** Rows moved otherwise than by insertion at the top. */
  hasMoved(): boolean
  /** New rows that stood below one known from an earlier reading. */
  newBelowTop(): number
}

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

/** @param seen hashes of the rows that earlier readings found; this one adds to them */
export function createPassTracker(seen: Set<number>): PassTracker {
  const isFirstPass = seen.size === 0
  let windows: ReadWindow[] = []
  let first: ReadWindow | null = null
  let drifted = 0
  let moved = false
  let isBelowTop = false
  let newBelow = 0

  function remember(keys: readonly string[]): number[] {
    const fresh: number[] = []
    for (const [index, key] of keys.entries()) {
      const digest = hashText(key)
      if (seen.has(digest)) {
        isBelowTop = true
        continue
      }
      seen.add(digest)
      fresh.push(index)
      if (isBelowTop && !isFirstPass) newBelow += 1
    }
    return fresh
  }

  const isRecent = (key: string) => windows.some(({ places }) => places.has(key))

  return {
    isAdjacent(keys, isSteppedBack) {
      const [firstKey] = keys
      if (firstKey === undefined || !isRecent(firstKey)) return false
      const lastKnown = keys.findLastIndex(isRecent)
      if (isSteppedBack || lastKnown === keys.length - 1) return true
      return (
        windows
          .at(-1)
          ?.keys.slice(-frontierRows)
          .includes(keys[lastKnown] ?? '') ?? false
      )
    },
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
      const lastKnown = keys.findLastIndex(isRecent)
      windows = [...windows, window].slice(-rememberedWindows)
      return { gained: keys.length - 1 - lastKnown, fresh: remember(keys) }
    },
    addTop(start, keys) {
      const fresh = remember(keys)
      const anchor = first?.keys.find((key) => keys.includes(key))
      if (!first || anchor === undefined) return { gained: 0, fresh, hasReachedStart: first === null }
      const inserted = start + keys.indexOf(anchor) - (first.start + first.keys.indexOf(anchor))
      // Rows moved down by more than came at the top: something was put in between.
      if (inserted < drifted) moved = true
      return { gained: inserted, fresh, hasReachedStart: true }
    },
    drift: () => drifted,
    beginAnew: () => {
      moved = true
      windows = []
    },
    hasMoved: () => moved,
    newBelowTop: () => newBelow,
  }
}

function toPlaces(start: number, keys: readonly string[]): Map<string, number> {
  return new Map(keys.map((key, index) => [key, start + index]))
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
