import type { UnixMs } from '../../lib/clock.ts'
import type { Chain, Observation, UnsaidField } from '../../bridge/observation.ts'

/**
 * What a record said, however often it was read: all observations with the same content are one sighting. Merging
 * two of them (`mergeSighting`) is idempotent and commutative, so the ledger is the same in whatever order, however
 * often and over whichever list a record was read.
 */
export interface Sighting extends Omit<Observation, 'requestedAt' | 'updateTime'> {
  /** The newest update time that this content was given with. */
  readonly updateTime: UnixMs | null
  readonly firstAt: UnixMs
  readonly lastAt: UnixMs
  /** In one answer another record bore the same strong name with other content: the name alone does not identify. */
  readonly twin: boolean
  /** How many records of one answer could each have been a fuller form of this one, and so were not it. */
  readonly besides: number
}

/** The sightings of one transfer. */
export interface Group {
  readonly members: readonly Sighting[]
  /** Sightings that fit this transfer and an equal one alike: they show no further transfer, and prove nothing of this one. */
  readonly ambiguous: readonly Sighting[]
}

/** Direction, token, token id, raw amount and recipient: what a weak name consists of beside a hash. */
export function weakContent(
  record: Pick<Observation, 'direction' | 'token' | 'tokenId' | 'amountRaw' | 'value' | 'targetAddress'>,
): string {
  const amount = record.amountRaw === null ? `~${record.value ?? ''}` : record.amountRaw.toString()
  return `${record.direction}|${record.token}|${record.tokenId}|${amount}|${record.targetAddress}`
}

/** Zone hash and event index; null when either is unknown. */
export function eventName(record: Pick<Observation, 'zoneHash' | 'zoneEventIndex'>): string | null {
  return record.zoneHash === null || record.zoneEventIndex === null
    ? null
    : `${record.zoneHash}#${record.zoneEventIndex}`
}

export function strongName(record: Pick<Observation, 'id' | 'zoneHash' | 'zoneEventIndex'>): string | null {
  return record.id ?? eventName(record)
}

/** Whether two hashes can name the same leg: equal, or at least one unknown. */
export function isCompatible(a: string | null, b: string | null): boolean {
  return a === null || b === null || a === b
}

/** Whether a record of equal content can be what another one, which has no strong name, turned into. */
export function isFullerForm(
  other: Pick<Observation, 'id' | 'mainHash' | 'zoneHash' | 'zoneEventIndex'>,
  record: Pick<Observation, 'mainHash' | 'zoneHash'>,
): boolean {
  return (
    isCompatible(other.mainHash, record.mainHash) &&
    isCompatible(other.zoneHash, record.zoneHash) &&
    ((record.mainHash !== null && other.mainHash === record.mainHash) ||
      (record.zoneHash !== null && other.zoneHash === record.zoneHash)) &&
    (strongName(other) !== null || hashCount(other) > hashCount(record))
  )
}

/**
 * When a record was seen first, by the clock of the service as far as its legs tell: it named none before it happened,
 * though our clock may be behind.
 */
export function shownAt({ firstAt, mainTime, zoneTime }: Sighting): UnixMs {
  return Math.max(firstAt, mainTime ?? -Infinity, zoneTime ?? -Infinity)
}

/** Joins two sightings of equal content. */
export function mergeSighting(a: Sighting, b: Sighting): Sighting {
  return {
    ...a,
    updateTime: maxOrNull(a.updateTime, b.updateTime),
    firstAt: Math.min(a.firstAt, b.firstAt),
    lastAt: Math.max(a.lastAt, b.lastAt),
    twin: a.twin || b.twin,
    besides: Math.max(a.besides, b.besides),
  }
}

/** Whether a record said nothing of a field, not even that it is empty. */
export function isUnsaid({ unsaid }: Pick<Observation, 'unsaid'>, field: UnsaidField): boolean {
  return unsaid !== undefined && unsaid.split(',').includes(field)
}

/** The mark of a record without a name in an answer that may have held another one like it, which could not be read. */
const besideUnread = '?'

export function isBesideUnread({ unsaid }: Pick<Observation, 'unsaid'>): boolean {
  return unsaid !== undefined && unsaid.split(',').includes(besideUnread)
}

/** The mark of a record whose time of a chain was left out, since the height that it names was reached later. */
export function oldTimeMark(chain: Chain): string {
  return `!${chain}`
}

/** Whether a record said of a leg that it is older than the height that it names. */
export function hasOldTime({ unsaid }: Pick<Observation, 'unsaid'>, chain: Chain): boolean {
  return unsaid !== undefined && unsaid.split(',').includes(oldTimeMark(chain))
}

/** Details as they are where rows beside them could not be read: how many equal ones there are such an answer does not say. */
export function markBesideUnread(
  records: readonly Observation[],
  isHiding: (zoneHash: string) => boolean,
): readonly Observation[] {
  return records.map((record) => {
    if (strongName(record) !== null || record.zoneHash === null || !isHiding(record.zoneHash)) return record
    return {
      ...record,
      unsaid: record.unsaid === undefined ? besideUnread : `${record.unsaid},${besideUnread}`,
    }
  })
}

/** Whether a list gave it; else an event of the chain did. */
export function isRecord(sighting: Pick<Observation, 'source'>): boolean {
  return sighting.source !== 'chain'
}

/** Seen in a block of the zone chain, not shown by a bridge contract of the main chain. */
export function isZoneAction(sighting: Pick<Observation, 'source' | 'mainHash'>): boolean {
  return sighting.source === 'chain' && sighting.mainHash === null
}

export function hashCount(record: Pick<Observation, 'mainHash' | 'zoneHash'>): number {
  return (record.mainHash === null ? 0 : 1) + (record.zoneHash === null ? 0 : 1)
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function maxOrNull(a: number | null, b: number | null): number | null {
  if (a === null) return b
  return b === null ? a : Math.max(a, b)
}
