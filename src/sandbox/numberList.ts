/** Whole numbers below 2^32 in one flat buffer that grows: a history holds millions of them. */
export interface NumberList {
  values: Uint32Array
  length: number
}

export function createNumberList(): NumberList {
  return { values: new Uint32Array(4), length: 0 }
}

export function insertNumber(list: NumberList, at: number, value: number): void {
  if (list.length === list.values.length) {
    // By half, not by double: most lists are at rest.
    const grown = new Uint32Array(Math.ceil(list.length * 1.5))
    grown.set(list.values)
    list.values = grown
  }
  if (at < list.length) list.values.copyWithin(at + 1, at, list.length)
  list.values[at] = value
  list.length += 1
}

export function removeNumber(list: NumberList, at: number): void {
  list.values.copyWithin(at, at + 1, list.length)
  list.length -= 1
}

/** The first place at which `holds`, which is false up to some place and true from there on. */
export function firstPlace(list: NumberList, holds: (value: number) => boolean): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(list.values[middle] as number)) high = middle
    else low = middle + 1
  }
  return low
}
