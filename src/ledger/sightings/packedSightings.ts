import { directions } from '../../bridge/observation.ts'
import type { Group, Sighting } from './sighting.ts'
import { decodeSighting, encodeSighting } from './sightingCells.ts'

type Cells = ReturnType<typeof encodeSighting>
type Difference = readonly [places: number, ...cells: Cells]

/** The sightings of a transfer as its row has them. What is seen again differs from what was seen first in a few cells. */
export interface PackedSightings {
  /** Whole: the first one. In rows of before all of them. */
  readonly s: readonly Cells[]
  /** The others: which cells are other ones, as bits by their places, and those. */
  readonly d?: readonly Difference[]
  /** Those that are ambiguous, whole. */
  readonly a?: readonly Cells[]
}

export function encodeSightings({ members, ambiguous }: Group): PackedSightings {
  const cells = members.map(encodeSighting)
  const [first = []] = cells
  return {
    s: cells.slice(0, 1),
    ...(cells.length > 1 && { d: cells.slice(1).map((one) => toDifference(first, one)) }),
    ...(ambiguous.length > 0 && { a: ambiguous.map(encodeSighting) }),
  }
}

export function decodeSightings({ s, d = [], a = [] }: PackedSightings): Group {
  const [first = []] = s
  const members: Sighting[] = s.map(decodeSighting)
  for (const difference of d) members.push(decodeSighting(toCells(first, difference)))
  return { members, ambiguous: a.map(decodeSighting) }
}

/** Whether what was unpacked can be what a row says: of damaged bytes some unpack to something else. */
export function areSightings({ members, ambiguous }: Group): boolean {
  const all = [...members, ...ambiguous]
  return all.length > 0 && all.every(isSighting)
}

function isSighting(one: Sighting): boolean {
  return (
    (directions as readonly unknown[]).includes(one.direction) &&
    [one.firstAt, one.lastAt, one.besides].every(Number.isSafeInteger) &&
    [one.source, one.status, one.crossType, one.token, one.tokenId].every(isText) &&
    [one.sourceAddress, one.targetAddress, one.from, one.to, one.tokenType, one.tokenName].every(isText) &&
    [one.id, one.mainHash, one.zoneHash, one.value, one.zoneEventIndex].every(isTextOrNull) &&
    [one.zoneBlockHash, one.batchDetail, one.logIndex ?? null].every(isTextOrNull) &&
    [one.mainHeight, one.mainTime, one.zoneHeight, one.zoneTime, one.updateTime].every(isNumberOrNull)
  )
}

const isText = (cell: unknown) => typeof cell === 'string'
const isTextOrNull = (cell: unknown) => cell === null || typeof cell === 'string'
const isNumberOrNull = (cell: unknown) => cell === null || Number.isSafeInteger(cell)

/** One cell more than there is, so that whoever adds one hears of it in time: there are as many bits as fit a packed number. */
const mostCells = 32

function toDifference(first: Cells, cells: Cells): Difference {
  let places = 0
  const others: Cells = []
  for (let place = 0; place < mostCells; place += 1) {
    const cell = cells[place] ?? null
    if (cell === (first[place] ?? null)) continue
    places |= 1 << place
    others.push(cell)
  }
  // A number of 32 bits without a sign.
  return [places >>> 0, ...others]
}

function toCells(first: Cells, difference: Difference): Cells {
  const [places] = difference
  const cells = first.slice()
  let next = 1
  for (let place = 0; place < mostCells; place += 1)
    if (((places >>> place) & 1) === 1) {
      cells[place] = difference[next] ?? null
      next += 1
    }
  return cells
}
