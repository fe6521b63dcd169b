import type { UnixMs } from '../lib/clock.ts'
import { deriveTransfer, type TransferContext } from './deriveTransfer.ts'
import { matchSightings } from './matchSightings.ts'
import { needsDetail } from './needsDetail.ts'
import type { Observation } from '../bridge/observation.ts'
import { type Group, mergeSighting, type Sighting, sightingDigest, toSightings } from './sighting.ts'
import type { LegEvidence, Transfer } from '../bridge/transfer.ts'
import type { Database } from '../store/database.ts'
import { readMetaNumber, saveMeta } from '../store/meta.ts'
import { createTally, type Tally } from './flow.ts'
import { loadCluster } from './loadCluster.ts'
import { maxPostponeMs } from './dueChecks.ts'
import type { RestingRecords } from './restingRecords.ts'
import { deleteTransfer, formatKey, saveTransfer, type StoredTransfer } from './transferRows.ts'

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

export interface RecordContext {
  readonly now: UnixMs
  /** How long an open transfer rests between two readings by hash, ms. */
  readonly openIntervalMs: number
  /** Another transfer has the same origin transaction, and whether the two are one origin only E12 can tell. */
  isSharedUnasked(group: Group, transfer: Transfer): boolean
  readonly resting: RestingRecords
  lookupToken: TransferContext['lookupToken']
  meansWithdrawal?(actionType: string): boolean
  /** Reads what second sources say of the legs of all these sightings, to be asked for some of them. */
  openEvidence(sightings: readonly Sighting[]): (some: readonly Sighting[]) => LegEvidence[]
  /** After each transfer that was saved. */
  onChange?(before: Transfer | null, after: Transfer, now: UnixMs): void
}

/**
 * Merges the records of one answer into the ledger. Only the rows that share a name with one of them are read, and
 * only those whose content or reading times changed are written.
 */
export function recordAnswer(
  db: Database,
  answer: readonly Observation[],
  context: RecordContext,
): RecordResult {
  const fresh = toSightings(answer).filter((sighting) => !context.resting.takes(sighting))
  if (fresh.length === 0) return { changes: [], news: 0, urgent: 0, joined: [] }
  const rows = loadCluster(db, fresh, context.resting)
  const merged = mergeAll(rows, fresh)
  const groups = matchSightings(merged.sightings, merged.digestOf)
  const assigned = assignKeys(groups, merged.owners, reserveKeys(db, groups.length))
  const pass: Pass = { evidenceOf: context.openEvidence(merged.sightings), tally: createTally() }
  const saved = assigned.flatMap(({ key, group }) => {
    const isTouched = [...group.members, ...group.ambiguous].some((sighting) => merged.touched.has(sighting))
    const row = rows.get(key)
    if (row && !isTouched && isSameGroup(row.group, group)) return []
    return [saveGroup(db, { key, group, row: row ?? null }, context, pass)]
  })
  const joined = dropJoined(db, rows, assigned, { owners: merged.owners, tally: pass.tally }, context)
  pass.tally.write(db)
  const urgent = saved.filter(({ checkAt }) => checkAt !== null && checkAt <= context.now).length
  return { changes: saved.map(({ change }) => change), news: merged.news, urgent, joined }
}

/** Derives a stored transfer anew after its evidence changed; `before` is what it was without. */
export function refreshTransfer(
  db: Database,
  row: StoredTransfer,
  before: Transfer,
  context: RecordContext,
): TransferChange {
  const { key, group } = row
  const pass: Pass = { evidenceOf: context.openEvidence(group.members), tally: createTally() }
  const { after } = saveGroup(db, { key, group, row }, context, pass).change
  pass.tally.write(db)
  return { before, after }
}

export function toTransfer(
  row: StoredTransfer,
  context: Pick<RecordContext, 'openEvidence' | 'lookupToken' | 'meansWithdrawal'>,
): Transfer {
  const { members } = row.group
  const evidence = context.openEvidence(members)(members)
  const transfer = deriveTransfer(row.group, { ...context, key: formatKey(row.key), evidence })
  return row.soughtAt === null ? transfer : { ...transfer, soughtAt: row.soughtAt }
}

/** What the saving of one answer's transfers has in common. */
interface Pass {
  readonly evidenceOf: (sightings: readonly Sighting[]) => LegEvidence[]
  readonly tally: Tally
}

function saveGroup(
  db: Database,
  { key, group, row }: { readonly key: number; readonly group: Group; readonly row: StoredTransfer | null },
  context: RecordContext,
  { evidenceOf, tally }: Pass,
): { change: TransferChange; checkAt: UnixMs | null } {
  const evidence = evidenceOf(group.members)
  const derive = (of: Group) => deriveTransfer(of, { ...context, key: formatKey(key), evidence })
  const after = derive(group)
  const isAsked = group.members.some(
    (sighting) => sighting.source === 'E12' && sighting.lastAt === after.readAt,
  )
  const before = row ? derive(row.group) : null
  const keptCheckAt = row && before && !isAsked ? orderedCheckAt(row, before) : null
  const checkAt = scheduleCheck(group, after, row, isAsked, context) ?? keptCheckAt
  const misses = isAsked ? 0 : (row?.misses ?? 0)
  const soughtAt = row?.soughtAt ?? null
  saveTransfer(db, { key, group, misses, soughtAt, checkAt, kept: row?.kept ?? null }, after, tally)
  context.resting.noteSaved(key, group, after, checkAt === null)
  context.onChange?.(before, after, context.now)
  return { change: { before, after }, checkAt }
}

/** When somebody wants a record read by hash in which nothing is open: what the list says meanwhile is no answer. */
function orderedCheckAt({ group, checkAt, misses }: StoredTransfer, before: Transfer): UnixMs | null {
  return checkAt !== null && misses === 0 && !needsDetail(group, before) ? checkAt : null
}

function scheduleCheck(
  group: Group,
  transfer: Transfer,
  row: StoredTransfer | null,
  isAsked: boolean,
  context: RecordContext,
): UnixMs | null {
  if (!needsDetail(group, transfer)) return context.isSharedUnasked(group, transfer) ? context.now : null
  if (isAsked) return context.now + context.openIntervalMs
  if (transfer.state === 'pending' || transfer.state === 'unbacked') {
    // A failure that nobody has confirmed is urgent; an ordinary open transfer was just read.
    if (transfer.status === 'failed') return context.now
    // The list is all there is to ask about one without a zone hash: it has just spoken, and others wait for their turn.
    const known = row?.checkAt ?? null
    if (known === null) return context.now + context.openIntervalMs
    return transfer.zone === null && known <= context.now ? context.now + restMs(transfer, context) : known
  }
  return Math.min(row?.checkAt ?? context.now, context.now + context.openIntervalMs)
}

/** What has been on its way for long is asked for more rarely. */
function restMs({ originAt }: Transfer, { now, openIntervalMs }: RecordContext): number {
  return Math.min(Math.max(openIntervalMs, Math.round((now - originAt) / 20)), maxPostponeMs)
}

function mergeAll(rows: ReadonlyMap<number, StoredTransfer>, fresh: readonly Sighting[]) {
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
  for (const sighting of fresh) {
    const digest = sightingDigest(sighting)
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

interface Assigned {
  readonly key: number
  readonly group: Group
}

/** The oldest key among a group's sightings names it; a key that two groups claim stays with the one seen first. */
function assignKeys(
  groups: readonly Group[],
  owners: ReadonlyMap<Sighting, number>,
  next: () => number,
): Assigned[] {
  const claims = groups
    .map((group) => ({
      group,
      keys: group.members.flatMap((sighting) => owners.get(sighting) ?? []).sort((a, b) => a - b),
      firstAt: Math.min(...group.members.map((sighting) => sighting.firstAt)),
    }))
    .sort((a, b) => (a.keys[0] ?? Infinity) - (b.keys[0] ?? Infinity) || a.firstAt - b.firstAt)
  const taken = new Set<number>()
  return claims.map(({ group, keys }) => {
    const key = keys.find((candidate) => !taken.has(candidate)) ?? next()
    taken.add(key)
    return { key, group }
  })
}

/** Keys are never given twice, not even after their transfer was joined into another: alerts remember them. */
function reserveKeys(db: Database, atMost: number): () => number {
  let next = readMetaNumber(db, 'next_key') ?? 1
  const last = next + atMost
  let isReserved = false
  return () => {
    if (!isReserved) {
      saveMeta(db, 'next_key', String(last))
      isReserved = true
    }
    return next++
  }
}

function dropJoined(
  db: Database,
  rows: ReadonlyMap<number, StoredTransfer>,
  assigned: readonly Assigned[],
  { owners, tally }: { readonly owners: ReadonlyMap<Sighting, number>; readonly tally: Tally },
  context: Pick<RecordContext, 'resting'>,
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
      context.resting.forget(key)
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
