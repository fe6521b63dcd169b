import { type ChainReturn, type Horizons, noteReturn, readHorizons } from '../../meaning/horizon.ts'
import { passedTime } from './trackHead.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { judgeListLag, type LateListing, type ListLag } from './listLag.ts'
import { listHeads } from './heads.ts'

/** The readings of the list, as a record that whoever reads the list writes. */
export interface ListReadings {
  /** When the newest complete reading of its tail began, with or without news; null before the first. */
  readAt: UnixMs | null
  /** When the newest pass of the sweep began that has ended; null before the first. */
  sweptAt: UnixMs | null
  /** When a walk through history, or over what the tail left out, last came further; null while none did since the start. */
  walkedAt: UnixMs | null
  /** Walks again from the newest page back to a time. */
  rewind(until: UnixMs): void
}

export interface HorizonSources {
  readonly clock: Pick<Clock, 'now'>
  readonly db: Database
  readonly list: Pick<ListReadings, 'readAt'>
  readonly settleMs: () => number
  readonly clockAheadMs: () => number
}

/** What the list shows, and what of the chains it does not: whoever compares the two says so. */
export interface Listed {
  readonly newestListedAt: UnixMs | null
  readonly provenUnlisted: readonly UnixMs[]
  /** Records that were listed lately, late or in time. */
  readonly listings: readonly LateListing[]
  /** When the transfers happened that the chains alone show. */
  readonly unlisted: readonly UnixMs[]
  /** Within what time records are listed where all come late, ms; null where they do not. */
  readonly lateMs: number | null
}

export interface HorizonWatch {
  read(): Horizons
  /** By how much the list lags behind the chains, when it does by more than settling explains; null otherwise. */
  listLag(now: UnixMs): ListLag | null
  /** Up to when the zone's transactions are shown, where they are behind its blocks; null: they are not. */
  noteZoneShown(until: UnixMs | null): void
  /** Who knows what the list shows; until there is one, it shows nothing. */
  follow(listed: () => Listed): void
}

/** Records may be listed so much later than their block. */
const lagCapMs = 90_000

/** What was seen of transactions of the zone so long ago says nothing of now. */
const shownKeptMs = 60_000

const nothingListed: Listed = {
  newestListedAt: null,
  provenUnlisted: [],
  listings: [],
  unlisted: [],
  lateMs: null,
}

/** Up to when each source has shown what happened, at any moment; it remembers when a chain came on again. */
export function createHorizons(sources: HorizonSources): HorizonWatch {
  let returned: ChainReturn | null = null
  let zoneBefore: UnixMs | null = null
  let zoneShown: { readonly until: UnixMs; readonly at: UnixMs } | null = null
  let readListed = (): Listed => nothingListed
  return {
    read() {
      const passed = new Map(
        listHeads(sources.db).map((head) => [head.chain, passedTime(head, sources.clockAheadMs())]),
      )
      const head = passed.get('zone') ?? null
      const isBehind = zoneShown !== null && Math.abs(sources.clock.now() - zoneShown.at) < shownKeptMs
      const zone = head !== null && zoneShown !== null && isBehind ? Math.min(head, zoneShown.until) : head
      const heads = { main: passed.get('main') ?? null, zone }
      returned = noteReturn(returned, zoneBefore, heads.zone, sources.clock.now())
      zoneBefore = heads.zone
      const { newestListedAt, provenUnlisted, unlisted, lateMs } = readListed()
      const listReadAt = sources.list.readAt
      return readHorizons(
        { heads, settleMs: sources.settleMs(), lateMs, listReadAt, newestListedAt, provenUnlisted, unlisted },
        returned,
      )
    },
    listLag: (now) => judgeListLag({ ...readListed(), readAt: sources.list.readAt }, lagCapMs, now),
    noteZoneShown(until) {
      zoneShown = until === null ? null : { until, at: sources.clock.now() }
    },
    follow(listed) {
      readListed = listed
    },
  }
}
