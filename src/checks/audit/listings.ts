import type { LateListing } from '../../kernel/listLag.ts'
import type { Listed, ListReadings } from '../../kernel/horizons.ts'
import type { Direction, Observation } from '../../bridge/observation.ts'
import { destinationLeg, originLeg, type Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { TransferChange } from '../../ledger/recordAnswer.ts'

const maxKept = 200

export interface Listings {
  /** Transfers that changed, and keys that ceased: inside the commit. */
  note(changed: readonly Transfer[], ceased: readonly string[]): void
  /** What answers told, and what of it was new: inside the commit. */
  noteListed(
    answers: readonly (readonly Observation[])[],
    changes: readonly TransferChange[],
    now: UnixMs,
  ): void
  read(): Listed
}

interface Unlisted {
  readonly at: UnixMs
  readonly direction: Direction
  /** The chains tell of its destination: its record has nothing to wait for. */
  readonly hasArrived: boolean
  /** The chains prove its origin. */
  readonly isProven: boolean
}

/** How late records are listed, and what the chains tell of that is not: in memory, of the last minutes only. */
export function createListings(deps: {
  readonly startedAt: UnixMs
  readonly list: Pick<ListReadings, 'readAt'>
  /** Whether the list shows transfers of a direction before they are complete. */
  isShown(direction: Direction): boolean
}): Listings {
  let listings: LateListing[] = []
  const unlisted = new Map<string, Unlisted>()
  let newest: UnixMs | null = null

  /** What is not newer than the newest record says nothing of the list as a whole. */
  function prune(): void {
    for (const [key, { at }] of unlisted) if (newest !== null && at <= newest) unlisted.delete(key)
    if (unlisted.size <= maxKept) return
    // How far the list shows what happened follows from the oldest.
    const byAge = [...unlisted].toSorted(([, a], [, b]) => a.at - b.at)
    for (const [key] of byAge.slice(maxKept)) unlisted.delete(key)
  }

  return {
    note(changed, ceased) {
      for (const key of ceased) unlisted.delete(key)
      for (const transfer of changed) {
        unlisted.delete(transfer.key)
        if (!transfer.isListed) unlisted.set(transfer.key, toUnlisted(transfer))
      }
      if (unlisted.size > maxKept) prune()
    },
    noteListed(answers, changes, now) {
      // The list alone: a service may know a record by hash that its list does not show yet.
      for (const record of answers.flat()) {
        if (record.source !== 'E3') continue
        const at = Math.max(record.mainTime ?? 0, record.zoneTime ?? 0)
        // A record of the future must not hide that the list stands still.
        if (at > 0) newest = Math.max(newest ?? 0, Math.min(at, now))
      }
      prune()
      const readAt = deps.list.readAt
      for (const { before, after } of changes) {
        const at = after.listedLegAt ?? null
        if (at === null || at === (before?.listedLegAt ?? null)) continue
        // What happened before the start was not looked for; what an earlier reading showed is not new.
        if (after.changedAt < now - 10_000 || at < deps.startedAt || readAt === null) continue
        listings.push({ at: now, lagMs: Math.max(0, Math.min(readAt, now) - at) })
      }
      if (listings.length > maxKept) listings = listings.slice(-maxKept / 2)
    },
    read() {
      const due = [...unlisted.values()].filter((one) => one.hasArrived || deps.isShown(one.direction))
      return {
        listings,
        unlisted: due.map(({ at }) => at),
        provenUnlisted: due.flatMap(({ at, isProven }) => (isProven ? [at] : [])),
        newestListedAt: newest,
      }
    },
  }
}

function toUnlisted(transfer: Transfer): Unlisted {
  const times = [transfer.main?.time, transfer.zone?.time].flatMap((time) => time ?? [])
  return {
    at: times.length === 0 ? transfer.firstSeenAt : Math.max(...times),
    direction: transfer.direction,
    hasArrived: destinationLeg(transfer) !== null,
    isProven: isProven(transfer),
  }
}

/** What a chain itself told of is proven by that, unless it was disproved since. */
function isProven(transfer: Transfer): boolean {
  const { originProof, claim } = transfer
  if (claim?.proof === 'proven' || claim?.proof === 'unsaid') return true
  return originLeg(transfer) !== null && originProof !== 'absent' && originProof !== 'failed'
}
