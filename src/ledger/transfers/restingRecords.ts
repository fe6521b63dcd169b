import { hash } from 'node:crypto'
import type { Sighting } from '../sightings/sighting.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import type { StoredTransfer } from './transferRows.ts'

/**
 * Records of completed transfers that are in the ledger as they are. Being shown by the list once more says nothing
 * but the time, and that is written once an hour only: a reading costs what is new in it. In between the time is kept
 * here, so that whoever reads the ledger in this process sees it; a crash forgets at most that hour of it.
 */
export interface RestingRecords {
  readonly db: Pick<Database, 'rollbacks'>
  readonly byDigest: Map<string, Entry>
  readonly byKey: Map<number, Entry>
  rollbacks: number
}

interface Entry extends Pick<Sighting, 'updateTime' | 'firstAt' | 'twin' | 'besides'> {
  readonly key: number
  readonly digest: string
  /** As it is in the ledger. */
  readonly savedAt: UnixMs
  seenAt: UnixMs
}

const restMs = 3_600_000
/** A day's list at 400,000 transfers a week, in 16 MB. */
const maxKept = 60_000

export function createRestingRecords(db: Pick<Database, 'rollbacks'>): RestingRecords {
  return { db, byDigest: new Map(), byKey: new Map(), rollbacks: db.rollbacks() }
}

/**
 * Takes note of a record that says nothing new.
 * @param digest the sighting's
 * @returns false when the ledger has to look at it
 */
export function takesResting(resting: RestingRecords, sighting: Sighting, digest: string): boolean {
  check(resting)
  const { byDigest } = resting
  if (!canRest(sighting) || byDigest.size === 0) return false
  const entry = byDigest.get(shorten(digest))
  if (!entry || sighting.lastAt - entry.savedAt >= restMs || !saysNoMore(sighting, entry)) return false
  entry.seenAt = Math.max(entry.seenAt, sighting.lastAt)
  return true
}

/** A transfer was saved: what is known of its records holds no longer, or does from now on if it is settled. */
export function noteSaved(
  resting: RestingRecords,
  { key, group, checkAt }: Pick<StoredTransfer, 'key' | 'group' | 'checkAt'>,
  transfer: Transfer,
  digestOf: (sighting: Sighting) => string,
): void {
  check(resting)
  const known = resting.byKey.get(key)
  if (known) forget(resting, known)
  if (checkAt !== null || transfer.state !== 'completed' || group.ambiguous.length > 0) return
  const { members } = group
  const newest = members.length === 1 ? members : members.filter((one) => one.lastAt === transfer.readAt)
  const [sighting] = newest
  if (newest.length !== 1 || !sighting || !canRest(sighting)) return
  const { updateTime, firstAt, twin, besides, lastAt } = sighting
  // A walk round a list that is longer than what is kept must not push out what it will come to.
  if (isFull(resting) && !known && firstAt !== lastAt) return
  const digest = shorten(digestOf(sighting))
  keep(resting, { key, digest, updateTime, firstAt, twin, besides, savedAt: lastAt, seenAt: lastAt })
}

export function forgetResting(resting: RestingRecords, key: number): void {
  const entry = resting.byKey.get(key)
  if (entry) forget(resting, entry)
}

function forget({ byDigest, byKey }: RestingRecords, entry: Entry): void {
  byKey.delete(entry.key)
  if (byDigest.get(entry.digest) === entry) byDigest.delete(entry.digest)
}

/** When a transfer was last shown; null when the ledger itself knows. */
export function restingSeenAt(resting: RestingRecords, key: number): UnixMs | null {
  check(resting)
  return resting.byKey.get(key)?.seenAt ?? null
}

/** A stored transfer with the times that were not written. */
export function withTimes(resting: RestingRecords, row: StoredTransfer): StoredTransfer {
  check(resting)
  const entry = resting.byKey.get(row.key)
  if (!entry || entry.seenAt === entry.savedAt) return row
  const members = row.group.members.map((sighting) =>
    canRest(sighting) && sighting.lastAt === entry.savedAt ? { ...sighting, lastAt: entry.seenAt } : sighting,
  )
  return { ...row, group: { ...row.group, members } }
}

/** What was noted in a transaction that came to nothing was never saved. */
function check(resting: RestingRecords): void {
  const rollbacks = resting.db.rollbacks()
  if (resting.rollbacks === rollbacks) return
  resting.rollbacks = rollbacks
  resting.byDigest.clear()
  resting.byKey.clear()
}

function keep(resting: RestingRecords, entry: Entry): void {
  const { byDigest, byKey } = resting
  const other = byDigest.get(entry.digest)
  if (other) forget(resting, other)
  if (isFull(resting))
    for (const oldest of byKey.values()) {
      forget(resting, oldest)
      break
    }
  byKey.set(entry.key, entry)
  byDigest.set(entry.digest, entry)
}

function isFull({ byKey }: RestingRecords): boolean {
  return byKey.size >= maxKept
}

/** A whole record of the list; whatever else is read is asked for because something is open. */
function canRest({ source, mainHash, zoneHash }: Sighting): boolean {
  return source === 'E3' && mainHash !== null && zoneHash !== null
}

function saysNoMore(sighting: Sighting, known: Entry): boolean {
  const { updateTime, firstAt, twin, besides } = sighting
  const isOlder = updateTime === null || (known.updateTime !== null && updateTime <= known.updateTime)
  // The answer to an earlier request may come later.
  return isOlder && firstAt >= known.firstAt && (known.twin || !twin) && besides <= known.besides
}

function shorten(digest: string): string {
  return hash('sha1', digest, 'base64')
}
