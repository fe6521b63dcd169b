import type { Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { shownWithinMs } from '../../meaning/findOverpayment.ts'
import { maxPostponeMs } from './dueChecks.ts'
import { isNamed, needsDetail } from '../evidence/needsDetail.ts'
import type { Group } from '../sightings/sighting.ts'
import type { StoredTransfer } from './transferRows.ts'

interface Known {
  readonly group: Group
  /** When it was to be read so far. */
  readonly knownAt: UnixMs | null
  readonly transfer: Transfer
  /** E12 has just said what is known of it. */
  readonly isAsked: boolean
  /** Whether another transfer has the same origin transaction. */
  readonly isShared: () => boolean
}

/**
 * When a transfer is to be read by hash; null when it need not be. Times are ours.
 * @param openIntervalMs how long an open transfer rests between two readings
 */
export function scheduleCheck(
  { group, knownAt, transfer, isAsked, isShared }: Known,
  { now, openIntervalMs }: { readonly now: UnixMs; readonly openIntervalMs: number },
): UnixMs | null {
  if (!needsDetail(group, transfer)) {
    const at = sharedCheckAt(group, transfer, { now, openIntervalMs })
    return at !== null && isShared() ? at : null
  }
  if (isAsked) return now + openIntervalMs
  if (!isNamed(group)) return null
  if (transfer.state === 'pending' || transfer.state === 'unbacked') {
    // A failure that nobody has confirmed is urgent; an ordinary open transfer was just read.
    if (transfer.status === 'failed') return now
    // The list is all there is to ask about one without a zone hash: it has just spoken, and others wait for their turn.
    if (knownAt === null) return now + openIntervalMs
    const isSpoken = transfer.zone === null && knownAt <= now
    return isSpoken ? now + restMs(transfer, openIntervalMs, now) : knownAt
  }
  return Math.min(knownAt ?? now, now + openIntervalMs)
}

/** What has been on its way for long is asked for more rarely. */
function restMs({ originAt }: Transfer, openIntervalMs: number, now: UnixMs): number {
  return Math.min(restOf(now - originAt, openIntervalMs), maxPostponeMs)
}

function restOf(ageMs: number, openIntervalMs: number): number {
  return Math.max(openIntervalMs, Math.round(ageMs / 20))
}

/** Whether those of one origin transaction are one origin only E12 can show; without names no sooner than all of them may be there. */
function sharedCheckAt(
  { members }: Group,
  { id, zoneEventIndex, firstSeenAt, onlyAt }: Transfer,
  { now, openIntervalMs }: { readonly now: UnixMs; readonly openIntervalMs: number },
): UnixMs | null {
  if (!members.some(({ source }) => source === 'E12')) return now
  if (id !== null || zoneEventIndex !== null) return null
  const shownAt = firstSeenAt + shownWithinMs
  // Each answer so far had a row that could not be read.
  if (onlyAt === undefined) return Math.max(shownAt, now + restOf(now - firstSeenAt, openIntervalMs))
  return onlyAt >= shownAt ? null : shownAt
}

/** When somebody wants a record read by hash in which nothing is open: what the list says meanwhile is no answer. */
export function orderedCheckAt({ group, checkAt, misses }: StoredTransfer, before: Transfer): UnixMs | null {
  return checkAt !== null && misses === 0 && !needsDetail(group, before) ? checkAt : null
}
