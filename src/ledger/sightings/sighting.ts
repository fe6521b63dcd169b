import type { UnixMs } from '../../lib/clock.ts'
import type { Observation, UnsaidField } from '../../bridge/observation.ts'
import { once } from '../../lib/once.ts'

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

/**
 * The observations of one answer as sightings. They must come from one answer: what stands side by side in it is
 * known to be separate, which is the only proof that two alike records are two.
 */
export function toSightings(answer: readonly Observation[]): Sighting[] {
  const numbered = numberEqualDetails(answer)
  const twins = findTwins(numbered)
  const alike = once(() => Map.groupBy(numbered, weakContent))
  return numbered.map((observation) => {
    const name = strongName(observation)
    if (name !== null) return toSighting(observation, twins.has(name), 0)
    return toSighting(
      observation,
      false,
      countFuller(observation, alike().get(weakContent(observation)) ?? []),
    )
  })
}

/** Field by field, so that all have the same form: what reads them is then as fast as it can be. */
function toSighting(observation: Observation, twin: boolean, besides: number): Sighting {
  const { requestedAt, logIndex, unsaid } = observation
  const sighting: Required<Omit<Sighting, 'logIndex' | 'unsaid'>> = {
    source: observation.source,
    id: observation.id,
    direction: observation.direction,
    crossType: observation.crossType,
    status: observation.status,
    mainHash: observation.mainHash,
    mainHeight: observation.mainHeight,
    mainTime: observation.mainTime,
    zoneHash: observation.zoneHash,
    zoneHeight: observation.zoneHeight,
    zoneTime: observation.zoneTime,
    from: observation.from,
    to: observation.to,
    sourceAddress: observation.sourceAddress,
    targetAddress: observation.targetAddress,
    value: observation.value,
    amountRaw: observation.amountRaw,
    token: observation.token,
    tokenType: observation.tokenType,
    tokenId: observation.tokenId,
    tokenName: observation.tokenName,
    zoneEventIndex: observation.zoneEventIndex,
    zoneBlockHash: observation.zoneBlockHash,
    batchDetail: observation.batchDetail,
    updateTime: observation.updateTime,
    pushHeight: observation.pushHeight,
    firstAt: requestedAt,
    lastAt: requestedAt,
    twin,
    besides,
  }
  if (logIndex === undefined && unsaid === undefined) return sighting
  return { ...sighting, ...(logIndex !== undefined && { logIndex }), ...(unsaid !== undefined && { unsaid }) }
}

/** Strong names that records of other content bear beside each other. */
function findTwins(answer: readonly Observation[]): Set<string> {
  const firstOf = new Map<string, Observation>()
  const twins = new Set<string>()
  for (const observation of answer) {
    const name = strongName(observation)
    if (name === null) continue
    const first = firstOf.get(name)
    if (!first) firstOf.set(name, observation)
    else if (first.mainHash !== observation.mainHash || weakContent(first) !== weakContent(observation))
      twins.add(name)
  }
  return twins
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

/**
 * When a record was seen first, by the clock of the service as far as its legs tell: it named none before it happened,
 * though our clock may be behind.
 */
export function shownAt({ firstAt, mainTime, zoneTime }: Sighting): UnixMs {
  return Math.max(firstAt, mainTime ?? -Infinity, zoneTime ?? -Infinity)
}

/**
 * Equal content has an equal digest; times of reading and of update are not content, but for a detail that lacks a leg: one
 * from before the payout and one that took it back are alike else, and how long the leg has been gone could not be told.
 */
export function sightingDigest(sighting: Content & Pick<Observation, 'updateTime'>): string {
  const cells = toCells(sighting)
  if (sighting.source === 'E12' && hashCount(sighting) < 2 && sighting.updateTime !== null)
    cells.push(sighting.updateTime)
  // Written only where there is something: the digests of all other sightings are older than it.
  if (sighting.unsaid) cells.push(sighting.unsaid)
  return JSON.stringify(cells)
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

type Cell = string | number | boolean | null
type Content = Omit<Observation, 'requestedAt' | 'updateTime'>

/** What the digest is made of, and what is stored: never to be put in another order. */
function toCells(of: Content): Cell[] {
  return [
    of.source,
    of.id,
    of.direction,
    of.crossType,
    of.status,
    of.mainHash,
    of.mainHeight,
    of.mainTime,
    of.zoneHash,
    of.zoneHeight,
    of.zoneTime,
    of.from,
    of.to,
    of.sourceAddress,
    of.targetAddress,
    of.value,
    of.amountRaw?.toString() ?? null,
    of.token,
    of.tokenType,
    of.tokenId,
    of.tokenName,
    of.zoneEventIndex,
    of.zoneBlockHash,
    of.batchDetail,
    of.pushHeight,
    of.logIndex ?? null,
  ]
}

/** A compact JSON form for the store, without nulls at its end; `decodeSighting` reads it back. */
export function encodeSighting(sighting: Sighting): Cell[] {
  const { updateTime, firstAt, lastAt, twin, besides, unsaid } = sighting
  const cells = [updateTime, firstAt, lastAt, twin ? 1 : 0, besides, ...toCells(sighting)]
  if (unsaid) cells.push(unsaid)
  // What a record hardly ever says stands at the end.
  return cells.slice(0, cells.findLastIndex((cell) => cell !== null) + 1)
}

export function decodeSighting(cells: readonly Cell[]): Sighting {
  const at = (place: number) => cells[place] ?? null
  const amountRaw = at(21)
  const sighting = {
    source: at(5),
    id: at(6),
    direction: at(7),
    crossType: at(8),
    status: at(9),
    mainHash: at(10),
    mainHeight: at(11),
    mainTime: at(12),
    zoneHash: at(13),
    zoneHeight: at(14),
    zoneTime: at(15),
    from: at(16),
    to: at(17),
    sourceAddress: at(18),
    targetAddress: at(19),
    value: at(20),
    amountRaw: amountRaw === null ? null : BigInt(String(amountRaw)),
    token: at(22),
    tokenType: at(23),
    tokenId: at(24),
    tokenName: at(25),
    zoneEventIndex: at(26),
    zoneBlockHash: at(27),
    batchDetail: at(28),
    updateTime: cells[0] === null ? null : Number(cells[0]),
    pushHeight: at(29),
    firstAt: Number(cells[1]),
    lastAt: Number(cells[2]),
    twin: cells[3] === 1,
    besides: Number(cells[4]),
  }
  // The cells were written by encodeSighting from a Sighting, column by column.
  return { ...sighting, logIndex: at(30), ...unsaidOf(at(31)) } as unknown as Sighting
}

function unsaidOf(cell: Cell): { readonly unsaid?: string } {
  return cell === null ? {} : { unsaid: String(cell) }
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

/**
 * A deployment may give neither id nor event index. Several equal records in one E12 answer are then several
 * transfers all the same, and their place among their equals stands in for the index.
 */
function numberEqualDetails(answer: readonly Observation[]): readonly Observation[] {
  const equals = new Map<string, Observation[]>()
  for (const observation of answer) {
    if (observation.source !== 'E12' || strongName(observation) !== null || observation.zoneHash === null)
      continue
    const name = `${observation.zoneHash}|${weakContent(observation)}`
    equals.set(name, [...(equals.get(name) ?? []), observation])
  }
  const ordinals = new Map<Observation, string>()
  for (const group of equals.values()) {
    if (group.length < 2) continue
    const ordered = [...group].sort(
      (a, b) =>
        compareText(a.mainHash ?? '~', b.mainHash ?? '~') ||
        compareText(sightingDigest(a), sightingDigest(b)) ||
        (a.updateTime ?? 0) - (b.updateTime ?? 0),
    )
    for (const [ordinal, observation] of ordered.entries()) ordinals.set(observation, `~${ordinal}`)
  }
  if (ordinals.size === 0) return answer
  return answer.map((observation) => {
    const ordinal = ordinals.get(observation)
    return ordinal === undefined ? observation : { ...observation, zoneEventIndex: ordinal }
  })
}

function countFuller(record: Omit<Observation, 'requestedAt'>, alike: readonly Observation[]): number {
  return alike.filter(
    (other) =>
      isCompatible(other.mainHash, record.mainHash) &&
      isCompatible(other.zoneHash, record.zoneHash) &&
      ((record.mainHash !== null && other.mainHash === record.mainHash) ||
        (record.zoneHash !== null && other.zoneHash === record.zoneHash)) &&
      (strongName(other) !== null || hashCount(other) > hashCount(record)),
  ).length
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
