import { isNumbered, placeOf } from '../sightings/splitEquals.ts'
import { compareText, isRecord, type Sighting } from '../sightings/sighting.ts'
import { sightingDigest } from '../sightings/sightingCells.ts'

/**
 * The newest non-null value. Records with an update time are ordered by it, records without by request time; which of
 * the two winners is newer is decided by request time. Comparing records pair by pair would not do: that order has cycles.
 */
export function newest<T>(all: readonly Sighting[], read: (sighting: Sighting) => T | null): T | null {
  if (all.length === 0) return null
  if (all.length === 1) return read(all[0] as Sighting)
  const any = all.filter((sighting) => read(sighting) !== null)
  // What an event of the chain says holds only where no record says anything.
  const having = any.some(isRecord) ? any.filter(isRecord) : any
  const dated = maxBy(
    having.filter((s) => s.updateTime !== null),
    compareDated,
  )
  const undated = maxBy(
    having.filter((s) => s.updateTime === null),
    compareRequested,
  )
  const winner = dated && undated ? (undated.lastAt > dated.lastAt ? undated : dated) : (dated ?? undated)
  return winner ? read(winner) : null
}

export function newestText(all: readonly Sighting[], read: (sighting: Sighting) => string): string {
  return newest(all, (sighting) => read(sighting) || null) ?? ''
}

export type Said = Pick<
  Sighting,
  | 'id'
  | 'crossType'
  | 'zoneEventIndex'
  | 'from'
  | 'to'
  | 'sourceAddress'
  | 'targetAddress'
  | 'amountRaw'
  | 'tokenName'
  | 'tokenType'
  | 'tokenId'
  | 'batchDetail'
  | 'updateTime'
>

/** What of each field holds. Of the one sighting that most transfers have that is the sighting itself. */
export function newestSaid(all: readonly Sighting[]): Said {
  const [one] = all
  if (one && all.length === 1) return one
  return {
    id: newest(all, (sighting) => sighting.id),
    zoneEventIndex: eventIndexOf(all),
    batchDetail: newest(all, (sighting) => sighting.batchDetail),
    updateTime: newest(all, (sighting) => sighting.updateTime),
    amountRaw: newest(all, (sighting) => sighting.amountRaw),
    crossType: newestText(all, (sighting) => sighting.crossType),
    from: newestText(all, (sighting) => sighting.from),
    to: newestText(all, (sighting) => sighting.to),
    sourceAddress: newestText(all, (sighting) => sighting.sourceAddress),
    targetAddress: newestText(all, (sighting) => sighting.targetAddress),
    tokenName: newestText(all, (sighting) => sighting.tokenName),
    tokenType: newestText(all, (sighting) => sighting.tokenType),
    tokenId: newestText(all, (sighting) => sighting.tokenId),
  }
}

/** Of places among equals, which change with each payout that comes before, the last: there it is alone. */
function eventIndexOf(all: readonly Sighting[]): string | null {
  const numbered = all.filter(isNumbered)
  const paid = numbered.filter(({ mainHash }) => mainHash !== null)
  const last = maxBy(paid.length > 0 ? paid : numbered, (a, b) => placeOf(a) - placeOf(b))
  return last?.zoneEventIndex ?? newest(all, (sighting) => sighting.zoneEventIndex)
}

function compareDated(a: Sighting, b: Sighting): number {
  return (a.updateTime ?? 0) - (b.updateTime ?? 0) || compareRequested(a, b)
}

function compareRequested(a: Sighting, b: Sighting): number {
  return a.lastAt - b.lastAt || compareText(sightingDigest(a), sightingDigest(b))
}

export function firstOf(all: readonly Sighting[]): Sighting | null {
  return maxBy(all, (a, b) => b.firstAt - a.firstAt || compareText(sightingDigest(b), sightingDigest(a)))
}

function maxBy(all: readonly Sighting[], compare: (a: Sighting, b: Sighting) => number): Sighting | null {
  return all.reduce<Sighting | null>((best, s) => (best === null || compare(s, best) > 0 ? s : best), null)
}

/** What the detail endpoint said. */
export function details(all: readonly Sighting[]): Sighting[] {
  return all.filter((sighting) => sighting.source === 'E12')
}
