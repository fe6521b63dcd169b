import type { UnixMs } from '../lib/clock.ts'
import { deriveTransfer, type TransferContext } from './deriving/deriveTransfer.ts'
import { matchSightings } from './matching/matchSightings.ts'
import type { Observation } from '../bridge/observation.ts'
import { type Group, mergeSighting, type Sighting } from './sightings/sighting.ts'
import { toSightings } from './sightings/toSightings.ts'
import { sightingDigest } from './sightings/sightingCells.ts'
import type { LegEvidence, Transfer } from '../bridge/transfer.ts'
import { isHash } from '../store/hash.ts'
import type { Database } from '../store/database.ts'
import { type Assigned, assignKeys, reserveKeys } from './matching/assignKeys.ts'
import { createTally, type Tally } from './amounts/flow.ts'
import { loadCluster } from './transfers/loadCluster.ts'
import { orderedCheckAt, scheduleCheck } from './transfers/nextCheck.ts'
import {
  forgetResting,
  noteSaved,
  type RestingRecords,
  takesResting,
  withTimes,
} from './transfers/restingRecords.ts'
import type { TokenBook } from './lessons/tokenBook.ts'
import { openEvidence } from './evidence/evidence.ts'
import { queueDatedAnew, queueLegs, queueOutdated, type QueueSettings } from './evidence/queueLegs.ts'
import { withoutOldTimes } from './lessons/firstHeads.ts'
import { noteHistory } from './lessons/historyMarks.ts'
import {
  deleteTransfer,
  formatKey,
  parseKey,
  saveTransfer,
  type StoredTransfer,
} from './transfers/transferRows.ts'
import { listKeysSharing } from './transfers/named.ts'

export interface TransferChange {
  /** Null when the transfer is new. */
  readonly before: Transfer | null
  readonly after: Transfer
}

export interface RecordResult {
  readonly changes: readonly TransferChange[]
  /** Records whose content the ledger did not hold. */
  readonly news: number
  /** Transfers that E12 should be asked of at once. */
  readonly urgent: number
  /** Keys that ceased because their transfers were joined into an older one. */
  readonly joined: readonly { readonly from: string; readonly to: string }[]
}

/** What the ledger keeps beside its file, and what it is given to know of the bridge. */
export interface LedgerState {
  readonly db: Database
  readonly tokens: TokenBook
  readonly learned: TransferContext['learned']
  /** How long an open transfer rests between two readings by hash, ms. */
  readonly openIntervalMs: number
  /** Which legs are asked of second sources by themselves; null: none is. */
  readonly evidence: QueueSettings | null
  readonly resting: RestingRecords
}

/**
 * Merges the records of one answer into the ledger. Only the rows that share a name with one of them are read, and
 * only those whose content or reading times changed are written.
 */
export function recordAnswer(ledger: LedgerState, answer: readonly Observation[], now: UnixMs): RecordResult {
  const { db, resting } = ledger
  const fresh = toSightings(withoutOldTimes(db, answer))
    .map((sighting) => ({ sighting, digest: sightingDigest(sighting) }))
    .filter(({ sighting, digest }) => !takesResting(resting, sighting, digest))
  if (fresh.length === 0) return { changes: [], news: 0, urgent: 0, joined: [] }
  const rows = loadCluster(
    db,
    fresh.map(({ sighting }) => sighting),
    resting,
  )
  const merged = mergeAll(rows, fresh)
  const groups = matchSightings(merged.sightings, merged.digestOf)
  const assigned = assignKeys(groups, merged.owners, reserveKeys(db, groups.length))
  const pass = openPass(ledger, merged.sightings, now, merged.digestOf)
  const saved = assigned.flatMap(({ key, group }) => {
    const isTouched = [...group.members, ...group.ambiguous].some((sighting) => merged.touched.has(sighting))
    const row = rows.get(key)
    if (row && !isTouched && isSameGroup(row.group, group)) return []
    return [saveGroup(pass, { key, group, row: row ?? null })]
  })
  const joined = dropJoined(pass, rows, { assigned, owners: merged.owners })
  pass.tally.write(db, now)
  noteHistory(
    db,
    saved.flatMap(({ isHistory, key }) => (isHistory ? key : [])),
  )
  const urgent = saved.filter(({ checkAt }) => checkAt !== null && checkAt <= now).length
  return { changes: saved.map(({ change }) => change), news: merged.news, urgent, joined }
}

/** Derives stored transfers anew after their evidence changed; `before` is what each was without. */
export function refreshTransfers(
  ledger: LedgerState,
  known: readonly { readonly row: StoredTransfer; readonly before: Transfer }[],
  now: UnixMs,
): TransferChange[] {
  const pass = openPass(
    ledger,
    known.flatMap(({ row }) => row.group.members),
    now,
  )
  const changes = known.map(({ row, before }) => {
    const { after } = saveGroup(pass, { key: row.key, group: row.group, row }).change
    return { before, after }
  })
  pass.tally.write(ledger.db, now)
  const settings = ledger.evidence
  if (settings === null) return changes
  for (const change of changes) {
    queueOutdated(ledger.db, settings, change, now)
    queueDatedAnew(ledger.db, settings, change, now)
  }
  return changes
}

/** Stored transfers as they are derived, with the times that were not written. What is known of all their legs is read at once. */
export function readTransfers(ledger: LedgerState, rows: readonly StoredTransfer[]): Transfer[] {
  return deriveAll(
    ledger,
    rows.map((row) => withTimes(ledger.resting, row)),
  )
}

/** The same of rows that have their times. */
export function deriveAll(ledger: LedgerState, rows: readonly StoredTransfer[]): Transfer[] {
  const evidenceOf = openEvidence(
    ledger.db,
    rows.flatMap(({ group }) => group.members),
  )
  return rows.map((row) => toTransfer(ledger, row, evidenceOf(row.group.members)))
}

export function toTransfer(
  { tokens, learned }: LedgerState,
  { key, group, soughtAt }: StoredTransfer,
  evidence: readonly LegEvidence[],
): Transfer {
  const transfer = deriveTransfer(group, { key: formatKey(key), evidence, tokens, learned })
  return soughtAt === null ? transfer : { ...transfer, soughtAt }
}

/** What the saving of one answer's transfers has in common. */
interface Pass {
  readonly ledger: LedgerState
  readonly now: UnixMs
  readonly evidenceOf: (sightings: readonly Sighting[]) => LegEvidence[]
  readonly tally: Tally
  readonly digestOf: (sighting: Sighting) => string
  /** Keys of the transfers of each origin on the zone chain, as far as they are stored by now; null where each is asked for. */
  readonly sharing: Map<string, string[]> | null
}

function openPass(
  ledger: LedgerState,
  sightings: readonly Sighting[],
  now: UnixMs,
  digestOf: Pass['digestOf'] = sightingDigest,
): Pass {
  const { db } = ledger
  const origins = sightings.flatMap((one) => (one.direction === 'ZoneToMain' ? (one.zoneHash ?? []) : []))
  const sharing = listKeysSharing(db, 'zone', [...new Set(origins)])
  return { ledger, now, evidenceOf: openEvidence(db, sightings), tally: createTally(), digestOf, sharing }
}

interface Saving {
  readonly key: number
  readonly group: Group
  readonly row: StoredTransfer | null
}

interface Saved {
  readonly key: number
  readonly change: TransferChange
  readonly checkAt: UnixMs | null
  /** Its legs wait until there is nothing else to ask. */
  readonly isHistory: boolean
}

function saveGroup(pass: Pass, saving: Saving): Saved {
  const { key, group, row } = saving
  const { db, evidence: settings, learned, resting, tokens } = pass.ledger
  const context = { key: formatKey(key), evidence: pass.evidenceOf(group.members), tokens, learned }
  const after = deriveTransfer(group, context)
  const isAsked = group.members.some(
    (sighting) => sighting.source === 'E12' && sighting.lastAt === after.readAt,
  )
  // Whose records are the same is the same by the same evidence.
  const before = row && row.group !== group ? deriveTransfer(row.group, context) : row && after
  const keptCheckAt = row && before && !isAsked ? orderedCheckAt(row, before) : null
  const checkAt =
    scheduleCheck(
      {
        group,
        knownAt: row?.checkAt ?? null,
        transfer: after,
        isAsked,
        isShared: () => isShared(pass, after),
      },
      { now: pass.now, openIntervalMs: pass.ledger.openIntervalMs },
    ) ?? keptCheckAt
  const misses = isAsked ? 0 : (row?.misses ?? 0)
  const stored = { key, group, misses, soughtAt: row?.soughtAt ?? null, checkAt, kept: row?.kept ?? null }
  saveTransfer(db, stored, after, pass.tally)
  noteShared(pass, after)
  noteSaved(resting, stored, after, pass.digestOf)
  const isHistory = settings !== null && queueLegs(db, settings, { before, after }, pass.now)
  return { key, change: { before, after }, checkAt, isHistory }
}

/** Whether another transfer has the same origin transaction. */
function isShared({ ledger: { db }, sharing }: Pass, { key, direction, zone }: Transfer): boolean {
  if (direction !== 'ZoneToMain' || zone === null) return false
  if (sharing !== null) return sharing.get(zone.hash)?.some((other) => other !== key) ?? false
  const sql = `SELECT 1 FROM transfers WHERE ${isHash('zone_hash', '?1')} AND key <> ?2 LIMIT 1`
  return db.prepare(sql).get(zone.hash, parseKey(key)) !== undefined
}

/** The next of the same origin finds it. */
function noteShared({ sharing }: Pass, { key, zone }: Transfer): void {
  if (sharing === null || zone === null) return
  const known = sharing.get(zone.hash)
  if (!known) sharing.set(zone.hash, [key])
  else if (!known.includes(key)) known.push(key)
}

function mergeAll(
  rows: ReadonlyMap<number, StoredTransfer>,
  fresh: readonly { readonly sighting: Sighting; readonly digest: string }[],
) {
  const byDigest = new Map<string, Sighting>()
  const ownerOf = new Map<string, number>()
  for (const row of rows.values()) {
    for (const sighting of [...row.group.members, ...row.group.ambiguous]) {
      const digest = sightingDigest(sighting)
      byDigest.set(digest, sighting)
      ownerOf.set(digest, Math.min(row.key, ownerOf.get(digest) ?? row.key))
    }
  }
  const touchedDigests = new Set<string>()
  let news = 0
  for (const { sighting, digest } of fresh) {
    const known = byDigest.get(digest)
    if (!known) news += 1
    byDigest.set(digest, known ? mergeSighting(known, sighting) : sighting)
    touchedDigests.add(digest)
  }
  const owners = new Map<Sighting, number>()
  const touched = new Set<Sighting>()
  const digests = new Map<Sighting, string>()
  for (const [digest, sighting] of byDigest) {
    digests.set(sighting, digest)
    const owner = ownerOf.get(digest)
    if (owner !== undefined) owners.set(sighting, owner)
    if (touchedDigests.has(digest)) touched.add(sighting)
  }
  const digestOf = (sighting: Sighting) => digests.get(sighting) ?? sightingDigest(sighting)
  return { sightings: [...byDigest.values()], digestOf, owners, touched, news }
}

function dropJoined(
  { ledger: { db, resting }, tally }: Pass,
  rows: ReadonlyMap<number, StoredTransfer>,
  {
    assigned,
    owners,
  }: {
    readonly assigned: readonly Assigned[]
    readonly owners: ReadonlyMap<Sighting, number>
  },
): { from: string; to: string }[] {
  const kept = new Set(assigned.map(({ key }) => key))
  return [...rows.keys()]
    .filter((key) => !kept.has(key))
    .flatMap((key) => {
      const heir = assigned.find(({ group }) =>
        [...group.members, ...group.ambiguous].some((sighting) => owners.get(sighting) === key),
      )
      if (!heir) return []
      deleteTransfer(db, key, tally)
      forgetResting(resting, key)
      db.prepare('UPDATE aliases SET transfer_key = ? WHERE transfer_key = ?').run(heir.key, key)
      db.prepare('INSERT OR REPLACE INTO aliases (key, transfer_key) VALUES (?, ?)').run(key, heir.key)
      return [{ from: formatKey(key), to: formatKey(heir.key) }]
    })
}

/** Untouched sightings are the very objects that were read from the row. */
function isSameGroup(a: Group, b: Group): boolean {
  return isSameSet(a.members, b.members) && isSameSet(a.ambiguous, b.ambiguous)
}

function isSameSet(a: readonly Sighting[], b: readonly Sighting[]): boolean {
  return a.length === b.length && b.every((sighting) => a.includes(sighting))
}
