import type { UnixMs } from '../lib/clock.ts'
import type { Chain } from '../bridge/observation.ts'

/** Up to when each source has shown what happened; null before it was read. What is later is not absent, but not shown yet. */
export interface Horizons extends Readonly<Record<Shown, UnixMs | null>> {
  /** When a chain that had stood still was last seen to come on again, by our clock; null while none did. */
  readonly returnedAt: UnixMs | null
  /** Within what time records are listed where all come late, ms; null where they do not. */
  readonly lateMs: number | null
  /**
   * The list is late: what happened after this it may lack, though records have had their time; null where it is not. It is
   * also taken to be by several payouts that are newer than all it shows; whoever makes such looks the same.
   */
  readonly lacksSince: UnixMs | null
}

export type Shown = Chain | 'list'

/** What the horizons of one moment follow from. */
export interface HorizonReading {
  /** The block times of the heads, as far as they can be believed. */
  readonly heads: Readonly<Record<Chain, UnixMs | null>>
  /** When the newest complete reading of the list began. */
  readonly listReadAt: UnixMs | null
  /** How long after its block a record may first be listed, ms. */
  readonly settleMs: number
  /** The same where all records come later than that; null where they do not. */
  readonly lateMs: number | null
  /** When the newest leg happened that a record of the list names. */
  readonly newestListedAt: UnixMs | null
  /** Origins that the chains prove and the list does not show. */
  readonly provenUnlisted: readonly UnixMs[]
  /** What the chains show, proven or not, and the list does not. */
  readonly unlisted: readonly UnixMs[]
}

/** A chain that stood still and came on again: what it shows by then is listed in the time that records take. */
export interface ChainReturn {
  readonly at: UnixMs
  /** How far it had shown before. */
  readonly stoodAt: UnixMs
}

/** How long a chain shows nothing before it stands still, ms. */
const standsMs = 30_000

/**
 * Where the horizons are. A quiet list has an old newest record and does not lag: it lags when an origin that is proven
 * otherwise is not in it, though it is newer than all that is, and older than records take.
 */
export function readHorizons(reading: HorizonReading, returned: ChainReturn | null = null): Horizons {
  const { heads, lateMs } = reading
  const list = listHorizon(reading, returned)
  const lacksSince = readLacksSince(reading, list)
  return { ...heads, list, returnedAt: returned?.at ?? null, lateMs, lacksSince }
}

/** Fewer may be a thief's, and are told at once. */
const neededUnlisted = 5

function readLacksSince(
  { listReadAt, settleMs, newestListedAt, unlisted }: HorizonReading,
  list: UnixMs | null,
): UnixMs | null {
  const settled = (listReadAt ?? 0) - settleMs
  const newest = newestListedAt ?? -Infinity
  if (unlisted.filter((at) => at > newest && at < settled).length >= neededUnlisted) return newest
  return list !== null && list < settled ? list : null
}

function listHorizon(reading: HorizonReading, returned: ChainReturn | null): UnixMs | null {
  const { listReadAt, newestListedAt, provenUnlisted } = reading
  if (listReadAt === null) return null
  const settleMs = Math.max(reading.settleMs, reading.lateMs ?? 0)
  const settled = listReadAt - settleMs
  const lacking = provenUnlisted.filter((at) => at < settled && at > (newestListedAt ?? -Infinity))
  const isFilling = returned !== null && settled < returned.at
  // Records are listed within the settle time: what happened so long before the oldest that lacks may lack as well.
  return Math.min(settled, ...lacking.map((at) => at - settleMs), ...(isFilling ? [returned.stoodAt] : []))
}

/** Notes a leap of a chain's horizon over more than blocks take: it stood still until now. */
export function noteReturn(
  known: ChainReturn | null,
  before: UnixMs | null,
  after: UnixMs | null,
  now: UnixMs,
): ChainReturn | null {
  return before !== null && after !== null && after - before > standsMs ? { at: now, stoodAt: before } : known
}

/** Whether a source has not come so far: that it does not show what happened then says nothing. */
export function isBeyond(horizons: Horizons, source: Shown, at: UnixMs): boolean {
  const horizon = horizons[source]
  return horizon === null || horizon < at
}

/** Whether a source is so far behind the chain that is farthest that it stands still; one that was never read does. */
export function standsStill(horizons: Horizons, source: Shown): boolean {
  const own = horizons[source]
  const farthest = Math.max(horizons.main ?? 0, horizons.zone ?? 0)
  const usualMs = source === 'list' ? listMs : standsMs
  return own === null || farthest - own > usualMs
}

/** The list is read within seconds, and its records have up to a minute and a half. */
const listMs = 120_000
