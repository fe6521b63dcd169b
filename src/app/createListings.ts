import { originLeg, type Transfer } from '../domain/transfer.ts'
import type { LateListing } from '../domain/listLag.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { readNewestOrigin } from '../store/newestOrigin.ts'

const maxKept = 200

export interface Listings {
  /** Inside the commit that changed them. */
  note(changed: readonly Transfer[], ceased: readonly string[], now: UnixMs): void
  read(): {
    readonly listings: readonly LateListing[]
    readonly unlisted: readonly UnixMs[]
    readonly newestListedAt: UnixMs | null
  }
}

/** How late records are listed, and what the chains tell of that is not: in memory, of the last minutes only. */
export function createListings(deps: {
  readonly db: Database
  readonly startedAt: UnixMs
  /** When the newest complete reading of the list began. */
  readonly listReadAt: () => UnixMs | null
}): Listings {
  let listings: LateListing[] = []
  const unlisted = new Map<string, UnixMs>()
  let newest: UnixMs | null = null
  return {
    note(changed, ceased, now) {
      const readAt = deps.listReadAt()
      for (const key of ceased) unlisted.delete(key)
      for (const transfer of changed) {
        const time = timeOf(transfer)
        if (!transfer.isListed) {
          if (unlisted.size < maxKept) unlisted.set(transfer.key, time)
          continue
        }
        unlisted.delete(transfer.key)
        newest = Math.max(newest ?? 0, time)
        // What happened before the start was not looked for; what an earlier reading showed is not new.
        if (transfer.changedAt < now - 10_000 || time < deps.startedAt || readAt === null) continue
        listings.push({ at: now, lagMs: Math.max(0, Math.min(readAt, now) - time) })
      }
      if (listings.length > maxKept) listings = listings.slice(-maxKept / 2)
    },
    read() {
      newest ??= readNewestOrigin(deps.db)
      return { listings, unlisted: [...unlisted.values()], newestListedAt: newest }
    },
  }
}

/** When the newest leg of a transfer happened, as far as it is known. */
function timeOf(transfer: Transfer): UnixMs {
  const times = [transfer.main?.time, transfer.zone?.time].flatMap((time) => time ?? [])
  return times.length === 0 ? (originLeg(transfer)?.time ?? transfer.firstSeenAt) : Math.max(...times)
}
