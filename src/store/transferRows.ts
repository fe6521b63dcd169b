import type { SQLInputValue } from 'node:sqlite'
import type { UnixMs } from '../lib/clock.ts'
import { decodeSighting, encodeSighting, type Group, type Sighting } from '../domain/sighting.ts'
import type { Transfer, TransferState } from '../domain/transfer.ts'
import type { Database } from './database.ts'
import { recount, toCounted } from './flow.ts'

/** A transfer as stored: its key and its sightings. Everything else in the row is derived from them. */
export interface StoredTransfer {
  readonly key: number
  readonly checkAt: UnixMs | null
  /** E12 reads in a row that did not know it. */
  readonly misses: number
  readonly group: Group
}

interface Body {
  readonly s: Parameters<typeof decodeSighting>[0][]
  readonly a?: Parameters<typeof decodeSighting>[0][]
  readonly m?: number
}

/** Sightings kept of one transfer. An API that gives new content at every read must not fill the disk. */
const maxSightings = 48

const columns =
  'key, rec_id, zone_hash, main_hash, loose, direction, state, token, source_address, target_address, origin_at, destination_at, first_seen_at, changed_at, read_at, check_at, body, flow'

// An upsert touches the indexes whose columns change; INSERT OR REPLACE would write all of them anew at every reading.
const upsert = `INSERT INTO transfers (${columns}) VALUES (${columns.replaceAll(/\w+/g, '?')})
  ON CONFLICT (key) DO UPDATE SET ${columns
    .split(', ')
    .slice(1)
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`

export function selectTransfers(db: Database, where: string, ...values: SQLInputValue[]): StoredTransfer[] {
  return db
    .prepare(`SELECT key, check_at, body FROM transfers ${where}`)
    .all(...values)
    .map(toStored)
}

/** From a row's `key`, `check_at` and `body`. */
export function toStored(row: Record<string, unknown>): StoredTransfer {
  // The body was written by toBody below.
  const body = JSON.parse(String(row['body'])) as Body
  return {
    key: Number(row['key']),
    checkAt: row['check_at'] === null ? null : Number(row['check_at']),
    misses: body.m ?? 0,
    group: { members: body.s.map(decodeSighting), ambiguous: (body.a ?? []).map(decodeSighting) },
  }
}

export function saveTransfer(db: Database, stored: StoredTransfer, transfer: Transfer): void {
  const { members, ambiguous } = stored.group
  const all = ambiguous.length === 0 ? members : [...members, ...ambiguous]
  const zoneHash = transfer.zone?.hash ?? firstHash(all, 'zoneHash')
  const mainHash = transfer.main?.hash ?? firstHash(all, 'mainHash')
  const flow = toCounted(transfer)
  countState(db, stored.key, transfer.state, flow)
  db.prepare(upsert).run(
    stored.key,
    transfer.id,
    zoneHash,
    mainHash,
    all.some((sighting) => sighting.id === null) ? 1 : 0,
    transfer.direction,
    transfer.state,
    transfer.token.address,
    transfer.sourceAddress,
    transfer.targetAddress,
    transfer.originAt,
    transfer.destinationAt,
    transfer.firstSeenAt,
    transfer.changedAt,
    transfer.readAt,
    stored.checkAt,
    toBody(stored),
    flow,
  )
  if (all.length > 1) saveOtherHashes(db, stored.key, all, zoneHash, mainHash)
}

function saveOtherHashes(
  db: Database,
  key: number,
  all: readonly Sighting[],
  zoneHash: string | null,
  mainHash: string | null,
): void {
  const hashes = new Set(all.flatMap((sighting) => [sighting.zoneHash, sighting.mainHash]))
  for (const hash of hashes) {
    if (hash === null || hash === zoneHash || hash === mainHash) continue
    db.prepare('INSERT OR IGNORE INTO other_hashes VALUES (?, ?)').run(hash, key)
  }
}

function firstHash(all: readonly Sighting[], field: 'zoneHash' | 'mainHash'): string | null {
  return all.find((sighting) => sighting[field] !== null)?.[field] ?? null
}

function countState(db: Database, key: number, next: TransferState | null, flow: string | null): void {
  const row = db.prepare('SELECT state, flow FROM transfers WHERE key = ?').get(key)
  const counted = row?.['flow'] ?? null
  recount(db, counted === null ? null : String(counted), flow)
  const last = row?.['state'] ?? null
  if (last === next) return
  const add = db.prepare(
    'INSERT INTO state_counts VALUES (?, ?) ON CONFLICT (state) DO UPDATE SET count = count + excluded.count',
  )
  if (last !== null) add.run(last, -1)
  if (next !== null) add.run(next, 1)
}

/** What an old transfer did stays counted; one that was joined into another never was one. */
export function forgetTransfer(db: Database, key: number): void {
  db.prepare('UPDATE transfers SET flow = NULL WHERE key = ?').run(key)
  deleteTransfer(db, key)
}

export function deleteTransfer(db: Database, key: number): void {
  countState(db, key, null, null)
  db.prepare('DELETE FROM transfers WHERE key = ?').run(key)
  db.prepare('DELETE FROM other_hashes WHERE key = ?').run(key)
}

/** Transfers that are not well over. In these words, or the planner does not see that the index of them answers. */
export const isOpenRow = "state IN ('pending', 'unbacked', 'failed')"

/** Every row that bears this hash on either chain, a replaced one included. */
export const byHash =
  'WHERE (zone_hash = ? OR main_hash = ? OR key IN (SELECT key FROM other_hashes WHERE hash = ?))'

function toBody(stored: StoredTransfer): string {
  const { members, ambiguous } = stored.group
  const body: Body = {
    s: newestOf(members).map(encodeSighting),
    ...(ambiguous.length > 0 && { a: newestOf(ambiguous).map(encodeSighting) }),
    ...(stored.misses > 0 && { m: stored.misses }),
  }
  return JSON.stringify(body)
}

function newestOf(sightings: readonly Sighting[]): readonly Sighting[] {
  if (sightings.length <= maxSightings) return sightings
  const ordered = [...sightings].sort((a, b) => a.firstAt - b.firstAt)
  // The first ones say what the transfer was, the last ones what it is.
  return [...ordered.slice(0, maxSightings / 2), ...ordered.slice(-maxSightings / 2)]
}

export function formatKey(key: number): string {
  return `t${key}`
}

/** Null when the text is not a ledger key. */
export function parseKey(text: string): number | null {
  const match = /^t(\d{1,15})$/.exec(text)
  return match ? Number(match[1]) : null
}
