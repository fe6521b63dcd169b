import { borderShift, type PlacedPage } from './border.ts'
import { nth } from '../../lib/nth.ts'

interface Added {
  /** How many of the rows lie below all that was read just before. */
  readonly gained: number
  /** Which of the rows no reading had found. */
  readonly fresh: readonly number[]
}

interface ReadWindow extends PlacedPage {
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

/** Takes the rows of a page that joins up with those before it. */
export function addRows(pass: Pass, page: PlacedPage): Added {
  const { keys } = page
  const window = toWindow(page)
  const before = pass.windows.at(-1)
  const shift = before ? (borderShift(before, window) ?? shiftBetween(before, window)) : 0
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
  { start, keys }: PlacedPage,
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

export function isRecent({ windows }: Pass, key: string | undefined): boolean {
  return key !== undefined && windows.some(({ places }) => places.has(key))
}

function toWindow({ start, keys, bare, positions }: PlacedPage): ReadWindow {
  return { start, keys, bare, positions, places: new Map(keys.map((key, index) => [key, start + index])) }
}

/** How far the lowest row common to both windows moved down. */
function shiftBetween(before: ReadWindow, after: ReadWindow): number {
  const common = before.keys.findLast((key) => after.places.has(key))
  if (common === undefined) return 0
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

/**
 * Names for the rows of one reading of a list, such that equal rows are distinguished by how many of them came before:
 * two equal calls of one transaction are two rows, also when the border of a page lies between them.
 */
export interface RowLabels {
  /** Names for the rows of a page that begins at position `start`; nothing is remembered. */
  label(start: number, keys: readonly string[]): string[]
  /** Remembers the page: the next one is named by where it joins up with this one. */
  accept(start: number, keys: readonly string[], labels: readonly string[]): void
  /** The next page joins up with none. */
  beginAnew(): void
}

interface Page {
  readonly start: number
  readonly keys: readonly string[]
  readonly labels: readonly string[]
}

/** Equal rows stand close to one another: they are of one transaction. */
const rememberedRows = 5_000

export function createRowLabels(): RowLabels {
  let last: Page | null = null
  let recent = new Map<string, number>()
  let older = new Map<string, number>()
  const countOf = (key: string) => recent.get(key) ?? older.get(key) ?? 0

  function forget() {
    last = null
    recent = new Map()
    older = new Map()
  }

  return {
    label(start, keys) {
      const page = last
      const shift = page && shiftOf(page, start, keys)
      if (page === null || shift === null) return numbered(keys, () => 0)
      const known = Math.max(0, page.start + page.keys.length + shift - start)
      const before = start - shift - page.start
      const repeated = keys.slice(0, known).map((_, index) => nth(page.labels, before + index))
      return [...repeated, ...numbered(keys.slice(known), countOf)]
    },
    accept(start, keys, labels) {
      // What follows may have been read before: it is not counted on from there.
      if (last !== null && shiftOf(last, start, keys) === null) forget()
      for (const [index, key] of keys.entries()) {
        const count = Number(labels[index]?.slice(key.length + 1) || 0) + 1
        recent.set(key, Math.max(count, countOf(key)))
      }
      if (recent.size > rememberedRows) {
        older = recent
        recent = new Map()
      }
      last = { start, keys, labels }
    },
    beginAnew: forget,
  }
}

/** Each key with how many equal ones came before: none is written as nothing. */
function numbered(keys: readonly string[], countBefore: (key: string) => number): string[] {
  const counts = new Map<string, number>()
  return keys.map((key) => {
    const count = counts.get(key) ?? countBefore(key)
    counts.set(key, count + 1)
    return count === 0 ? key : `${key}#${count}`
  })
}

/**
 * By how many places rows moved down between two pages, so that what both hold is the same; the least that fits. Null
 * when they do not join up. Pages side by side share nothing: there equal rows of two pages count as one seen twice,
 * since nothing distinguishes the one from the other, and a list that is read so is not called complete without a total.
 */
function shiftOf(page: Page, start: number, keys: readonly string[]): number | null {
  const end = page.start + page.keys.length
  if (start >= end || start < page.start) return null
  for (let shift = 0; start - shift >= page.start; shift += 1) {
    const from = start - shift - page.start
    const common = Math.min(page.keys.length - from, keys.length)
    if (isEqual(page.keys, from, keys, common)) return shift
  }
  return null
}

function isEqual(before: readonly string[], from: number, keys: readonly string[], count: number): boolean {
  for (let index = 0; index < count; index += 1) {
    if (before[from + index] !== keys[index]) return false
  }
  return true
}
