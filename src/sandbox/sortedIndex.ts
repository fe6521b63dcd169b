/**
 * Numbers ordered by a key, with cheap appends: the world adds nearly everything in order of time. Two flat arrays
 * instead of objects, because a history may hold a million transfers.
 */
export interface SortedIndex {
  readonly keys: number[]
  readonly values: number[]
}

export function createSortedIndex(): SortedIndex {
  return { keys: [], values: [] }
}

/** Equal keys keep the order in which they were inserted. */
export function insertSorted(index: SortedIndex, key: number, value: number): void {
  const last = index.keys.length - 1
  if (last < 0 || (index.keys[last] as number) <= key) {
    index.keys.push(key)
    index.values.push(value)
    return
  }
  const at = firstAbove(index, key)
  index.keys.splice(at, 0, key)
  index.values.splice(at, 0, value)
}

export function removeSorted(index: SortedIndex, key: number, value: number): void {
  for (let at = firstAtLeast(index, key); index.keys[at] === key; at += 1) {
    if (index.values[at] !== value) continue
    index.keys.splice(at, 1)
    index.values.splice(at, 1)
    return
  }
}

/** The values whose key lies in [from, to], in order. */
export function sliceSorted(index: SortedIndex, from: number, to: number): number[] {
  return index.values.slice(firstAtLeast(index, from), firstAbove(index, to))
}

export function firstAtLeast(index: SortedIndex, key: number): number {
  return search(index.keys, (candidate) => candidate >= key)
}

export function firstAbove(index: SortedIndex, key: number): number {
  return search(index.keys, (candidate) => candidate > key)
}

function search(keys: readonly number[], holds: (key: number) => boolean): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(keys[middle] as number)) high = middle
    else low = middle + 1
  }
  return low
}
