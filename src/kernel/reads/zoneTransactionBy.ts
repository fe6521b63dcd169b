import type { Explorer, NonEmptyOptions } from '../../clients/explorer/createExplorer.ts'
import { type ZoneBlock, zoneBlocks } from '../../clients/explorer/endpoints/blocks.ts'
import { zoneBlockTransactions } from '../../clients/explorer/endpoints/zoneBlockTransactions.ts'
import { createPageFromNewest } from '../../clients/explorer/newestFirst.ts'
import type { UnixMs } from '../../lib/clock.ts'

/** A transaction that a block of the zone shows: whoever does not know it has not come so far. */
export interface ZoneShown {
  readonly hash: string
  /** Of its block. */
  readonly height: number
  readonly time: UnixMs
}

/** E5 and E4: one of the newest block that was made by then; null where none was found near. */
export type ZoneTransactionBy = (until: UnixMs, options: NonEmptyOptions) => Promise<ZoneShown | null>

const pageSize = 100
/** Zone blocks may be empty: so many pages of them are looked through. */
const mostPages = 2

export function createZoneTransactionBy(explorer: Pick<Explorer, 'callNonEmpty'>): ZoneTransactionBy {
  const readBlocks = createPageFromNewest(zoneBlocks)
  return async (until, options) => {
    const readPage = async (page: number) =>
      (
        await readBlocks(page, (at) =>
          explorer.callNonEmpty(zoneBlocks, { page: at, limit: pageSize }, options),
        )
      )?.records ?? []
    const newest = await readPage(1)
    const first = pageOf(newest, until)
    for (let page = first; page < first + mostPages; page += 1) {
      const busy = findBusy(page === 1 ? newest : await readPage(page), until)
      if (busy === null) continue
      const { records } = await explorer.callNonEmpty(zoneBlockTransactions, { height: busy.height }, options)
      // What the chain itself adds to a block may be shown nowhere else.
      const shown = records.find(({ actionType }) => actionType !== '') ?? records[0]
      return shown ? { hash: shown.hash, ...busy } : null
    }
    return null
  }
}

/** Which page holds the blocks of a time, as fast as those of the first one were made. */
function pageOf(newest: readonly ZoneBlock[], until: UnixMs): number {
  const times = newest.flatMap(({ time }) => time ?? [])
  const [first, last] = [Math.max(...times), Math.min(...times)]
  return times.length === 0 || last <= until ? 1 : Math.ceil((first - until) / Math.max(first - last, 1))
}

function findBusy(blocks: readonly ZoneBlock[], until: UnixMs) {
  const busy = blocks.flatMap(({ height, time, transactionCount }) =>
    time !== null && time <= until && transactionCount !== 0 ? [{ height, time }] : [],
  )
  return busy.toSorted((a, b) => b.height - a.height)[0] ?? null
}
