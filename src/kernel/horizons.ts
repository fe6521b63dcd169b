import { type ChainReturn, type Horizons, noteReturn, readHorizons } from '../meaning/horizon.ts'
import { passedTime } from './trackHead.ts'
import type { Clock, UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { listHeads } from './heads.ts'

export interface HorizonSources {
  readonly clock: Pick<Clock, 'now'>
  readonly db: Database
  readonly settleMs: () => number
  clockAheadMs(): number
}

/** What the list shows, and what of the chains it does not: whoever reads it says so. */
export interface Listed {
  /** When its newest complete reading began, with news or without. */
  readonly listReadAt: UnixMs | null
  readonly newestListedAt: UnixMs | null
  readonly provenUnlisted: readonly UnixMs[]
}

export interface HorizonWatch {
  read(): Horizons
  /** Who knows what the list shows; until there is one, it shows nothing. */
  follow(listed: () => Listed): void
}

/** Up to when each source has shown what happened, at any moment; it remembers when a chain came on again. */
export function createHorizons(sources: HorizonSources): HorizonWatch {
  let returned: ChainReturn | null = null
  let zoneBefore: UnixMs | null = null
  let readListed = (): Listed => ({ listReadAt: null, newestListedAt: null, provenUnlisted: [] })
  return {
    read() {
      const passed = new Map(
        listHeads(sources.db).map((head) => [head.chain, passedTime(head, sources.clockAheadMs())]),
      )
      const heads = { main: passed.get('main') ?? null, zone: passed.get('zone') ?? null }
      returned = noteReturn(returned, zoneBefore, heads.zone, sources.clock.now())
      zoneBefore = heads.zone
      return readHorizons({ heads, settleMs: sources.settleMs(), ...readListed() }, returned)
    },
    follow(listed) {
      readListed = listed
    },
  }
}
