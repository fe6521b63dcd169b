import { nth } from '../../lib/nth.ts'
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
