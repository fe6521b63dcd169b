import type { Direction, Observation } from '../../bridge/observation.ts'
import { destinationLeg, originLeg, type Transfer } from '../../bridge/transfer.ts'
import type { Listed } from '../../kernel/heads/horizons.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type LateListing, learnLateness, mostLateMs } from '../../kernel/heads/listLag.ts'
import type { TransferChange } from '../../ledger/recordAnswer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { readAuditState, saveAuditState } from './store.ts'

const maxKept = 200
/** Open transfers of a direction that were listed before the list is known to show such. */
const neededOpen = 3

type ListingsKernel = Pick<Kernel, 'db' | 'list' | 'startedAt'>

/** How late records are listed, and what the chains show that is not: in memory, of the last minutes only. */
export interface Listings {
  readonly kernel: ListingsKernel
  listings: LateListing[]
  readonly unlisted: Map<string, Unlisted>
  newest: UnixMs | null
  /** Within what time records are listed where all come late, as it is saved, ms; undefined before it was read. */
  lateMs: number | null | undefined
  /** Open transfers that the list showed, as they are saved. */
  readonly open: Map<Direction, number>
}

interface Unlisted {
  readonly at: UnixMs
  readonly direction: Direction
  /** The chains show its destination: its record has nothing to wait for. */
  readonly hasArrived: boolean
  /** The chains prove its origin. */
  readonly isProven: boolean
}

export function openListings(kernel: ListingsKernel): Listings {
  return { kernel, listings: [], unlisted: new Map(), newest: null, lateMs: undefined, open: new Map() }
}

/** Transfers that changed, and keys that ceased: inside the commit. */
export function noteTransfers(of: Listings, changed: readonly Transfer[], ceased: readonly string[]): void {
  for (const key of ceased) of.unlisted.delete(key)
  for (const transfer of changed) {
    noteOpen(of, transfer)
    of.unlisted.delete(transfer.key)
    if (!transfer.isListed) of.unlisted.set(transfer.key, toUnlisted(transfer))
  }
  if (of.unlisted.size > maxKept) prune(of)
}

/** What answers said, and what of it was new: inside the commit. */
export function noteListed(
  of: Listings,
  recorded: {
    readonly answers: readonly (readonly Observation[])[]
    readonly changes: readonly TransferChange[]
  },
  now: UnixMs,
): void {
  const { list, startedAt } = of.kernel
  // The list alone: a service may know a record by hash that its list does not show yet.
  for (const record of recorded.answers.flat()) {
    if (record.source !== 'E3') continue
    const at = Math.max(record.mainTime ?? 0, record.zoneTime ?? 0)
    // A record of the future must not hide that the list stands still.
    if (at > 0) of.newest = Math.max(of.newest ?? 0, Math.min(at, now))
  }
  prune(of)
  for (const { before, after } of recorded.changes) {
    const at = after.listedLegAt ?? null
    if (at === null || at === (before?.listedLegAt ?? null)) continue
    // What happened before the start was not looked for; what an earlier reading showed is not new.
    if (after.changedAt < now - 10_000 || at < startedAt || list.readAt === null) continue
    of.listings.push({
      at: now,
      lagMs: Math.max(0, Math.min(list.readAt, now) - at),
      hasArrived: destinationLeg(after) !== null,
    })
  }
  if (of.listings.length > maxKept) of.listings = of.listings.slice(-maxKept / 2)
  noteLateness(of)
}

/** Kept over a restart: until the first records come, nothing would say that they come late. */
function noteLateness(of: Listings): void {
  const known = readLateness(of)
  const learned = learnLateness(of.listings, known)
  if (learned === known) return
  of.lateMs = learned
  saveAuditState(of.kernel.db, 'late', learned)
}

function readLateness(of: Listings): number | null {
  if (of.lateMs === undefined) {
    const saved = readAuditState(of.kernel.db, 'late')
    of.lateMs = typeof saved === 'number' ? Math.min(saved, mostLateMs) : null
  }
  return of.lateMs
}

export function readListed(of: Listings): Listed {
  const due = [...of.unlisted.values()].filter((one) => one.hasArrived || isShown(of, one.direction))
  return {
    listings: of.listings,
    unlisted: due.map(({ at }) => at),
    provenUnlisted: due.flatMap(({ at, isProven }) => (isProven ? [at] : [])),
    newestListedAt: of.newest,
    lateMs: readLateness(of),
  }
}

/** Whether the list shows transfers of a direction before they are complete. */
export function isShown(of: Listings, direction: Direction): boolean {
  return countOpen(of, direction) >= neededOpen
}

function noteOpen(of: Listings, transfer: Transfer): void {
  const { direction, isListed, state, status } = transfer
  if (!isListed || state !== 'pending' || status === 'failed' || destinationLeg(transfer) !== null) return
  const count = countOpen(of, direction)
  if (count >= neededOpen) return
  of.open.set(direction, count + 1)
  saveAuditState(of.kernel.db, `open ${direction}`, count + 1)
}

function countOpen({ kernel, open }: Listings, direction: Direction): number {
  const count = open.get(direction) ?? Number(readAuditState(kernel.db, `open ${direction}`) ?? 0)
  open.set(direction, count)
  return count
}

/** What is not newer than the newest record says nothing of the list as a whole. */
function prune({ unlisted, newest }: Listings): void {
  for (const [key, { at }] of unlisted) if (newest !== null && at <= newest) unlisted.delete(key)
  if (unlisted.size <= maxKept) return
  // How far the list shows what happened follows from the oldest.
  const byAge = [...unlisted].toSorted(([, a], [, b]) => a.at - b.at)
  for (const [key] of byAge.slice(maxKept)) unlisted.delete(key)
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

/** What a chain itself showed is proven by that, unless it was disproved since. */
function isProven(transfer: Transfer): boolean {
  const { originProof, claim } = transfer
  if (claim?.proof === 'proven' || claim?.proof === 'unsaid') return true
  return originLeg(transfer) !== null && originProof !== 'absent' && originProof !== 'failed'
}
