import type { SQLInputValue } from 'node:sqlite'
import type { UnixMs } from '../../lib/clock.ts'
import type { Group, Sighting } from '../sightings/sighting.ts'
import {
  areSightings,
  decodeSightings,
  encodeSightings,
  type PackedSightings,
} from '../sightings/packedSightings.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import { direction, transferState } from '../../store/bridgeCodecs.ts'
import type { Database } from '../../store/database.ts'
import { isHash, toHashCell } from '../../store/hash.ts'
import { noteMisread } from '../../store/misread.ts'
import { standIn } from './standIn.ts'
import { known, knownOf, knownTimes, timesOf } from '../sightings/knownTexts.ts'
import { unsettleAnswers } from '../evidence/legAnswers.ts'
import { toSenderCell } from '../sightings/parties.ts'
import { pack } from '../../store/pack.ts'
import { learnNames, nameCell, namesOf, nameText, toNameCell } from '../../store/names.ts'
import { instant, int, packed, readPacked, type Row, table, text } from '../../store/table.ts'
import { formatCounted, readCounted } from '../lessons/counted.ts'
import { createTally, type Tally, toCount } from '../amounts/flow.ts'
import { keepSteps } from '../amounts/flowSteps.ts'
import { plainDecimals } from '../deriving/plainDecimals.ts'

/** A transfer as stored: its key and its sightings. Everything else in the row is derived from them. */
export interface StoredTransfer {
  readonly key: number
  readonly checkAt: UnixMs | null
  /** E12 reads in a row that did not know it. */
  readonly misses: number
  /** When it was last asked for by its hash and no record was there; null while it never was. */
  readonly soughtAt: UnixMs | null
  readonly group: Group
  /** The columns as they were read, by name; null for a transfer that has no row yet. */
  readonly kept: Row | null
}

interface Body extends PackedSightings {
  readonly m?: number
  readonly n?: UnixMs
}

/** Transfers of one transaction, at most: no block holds more. */
export const mostOfTransaction = 5_000

/** Sightings kept of one transfer. An API that gives new content at every read must not fill the disk. */
const maxSightings = 48

export const stored = table('transfers', { key: int, checkAt: instant.orNull(), body: packed })
const counted = table('transfers', {
  state: transferState,
  token: nameCell,
  direction,
  originAt: instant,
  destinationAt: instant.orNull(),
  flow: text.orNull(),
})

/** Every column of a row. */
export const rowColumns =
  'key, rec_id, zone_hash, main_hash, loose, direction, state, token, source_address, target_address, origin_at, destination_at, first_seen_at, changed_at, read_at, check_at, body, flow, plain'

const insert = `INSERT INTO transfers (${rowColumns}) VALUES (${rowColumns.replaceAll(/\w+/g, '?')})`

/** What rows are found by, and what hardly ever changes once it is known. */
const lasting = [
  'rec_id',
  'zone_hash',
  'main_hash',
  'loose',
  'direction',
  'state',
  'token',
  'source_address',
  'target_address',
  'origin_at',
  'destination_at',
] as const
const passing = ['first_seen_at', 'changed_at', 'read_at', 'check_at', 'body', 'flow', 'plain'] as const

/** What `toStored` reads of a row. */
export const storedColumns = ['key', 'check_at', 'body', ...known, ...knownTimes].join(', ')

// Every index over a column that is set is written anew, whether its value is another one or not.
const update = `UPDATE transfers SET ${[...lasting, ...passing].map((name) => `${name} = ?`).join(', ')} WHERE key = ?`
const updatePassing = `UPDATE transfers SET ${passing.map((name) => `${name} = ?`).join(', ')} WHERE key = ?`

export function selectTransfers(db: Database, where: string, ...values: SQLInputValue[]): StoredTransfer[] {
  return db
    .prepare(`SELECT ${rowColumns} FROM transfers ${where}`)
    .all(...values)
    .map((row) => toStored(db, row))
}

/** From a row's `storedColumns`; to be saved again it has to be the whole row. */
export function toStored(db: Database, row: Row): StoredTransfer {
  const { key, checkAt, body } = stored.read(row)
  const read = readBody(db, row, body)
  if (read !== null) return { key, checkAt, ...read, kept: row }
  noteMisread(db, `transfer ${formatKey(key)}`)
  const group = { members: [standIn(db, key)], ambiguous: [] }
  return { key, checkAt, misses: 0, soughtAt: null, group, kept: row }
}

type ReadBody = Pick<StoredTransfer, 'misses' | 'soughtAt' | 'group'>

/** Null where it cannot be read: one damaged row must not hold up all that are read with it. */
function readBody(db: Database, row: Row, cell: string | Uint8Array): ReadBody | null {
  try {
    const body = readPacked(cell, knownOf(db, row), namesOf(db), timesOf(row))
    if (!isBody(body)) return null
    const group = decodeSightings(body)
    return areSightings(group) ? { misses: body.m ?? 0, soughtAt: body.n ?? null, group } : null
  } catch (error) {
    // What unpacks to other values than were packed has no form that could be relied on.
    if (error instanceof TypeError || error instanceof SyntaxError) return null
    throw error
  }
}

/** @param tally counts what the transfer adds or takes back; it is written by whoever made it */
export function saveTransfer(db: Database, stored: StoredTransfer, transfer: Transfer, tally: Tally): void {
  const { key, kept } = stored
  const { members, ambiguous } = stored.group
  const all = ambiguous.length === 0 ? members : [...members, ...ambiguous]
  const zoneHash = transfer.zone?.hash ?? firstHash(all, 'zoneHash')
  const mainHash = transfer.main?.hash ?? firstHash(all, 'mainHash')
  const { sourceAddress, targetAddress } = transfer
  const count = toCount(transfer)
  const found = [
    transfer.id === null ? null : toHashCell(transfer.id),
    zoneHash === null ? null : toHashCell(zoneHash),
    mainHash === null ? null : toHashCell(mainHash),
    all.some((sighting) => sighting.id === null) ? 1 : 0,
    transfer.direction,
    transfer.state,
    toNameCell(db, transfer.token.address),
    toSenderCell(sourceAddress, targetAddress),
    toHashCell(targetAddress),
    transfer.originAt,
    transfer.destinationAt,
  ]
  const { firstSeenAt, changedAt, readAt } = transfer
  // Tokens come back, and so do their names.
  learnNames(
    db,
    all.map(({ tokenName }) => tokenName).filter((name) => name !== ''),
  )
  const body = pack(
    toBody(stored),
    [transfer.id, zoneHash, mainHash, transfer.token.address, sourceAddress, targetAddress].map(
      (text) => text ?? '',
    ),
    namesOf(db),
    [firstSeenAt, readAt, transfer.originAt, transfer.destinationAt ?? -1],
  )
  const rest = [firstSeenAt, changedAt, readAt, stored.checkAt, body, count.flow, plainDecimals(stored.group)]
  tally.recount(readCount(db, kept), count)
  if (kept === null) db.prepare(insert).run(key, ...found, ...rest)
  else if (lasting.every((name, index) => isSameCell(kept[name], found[index])))
    db.prepare(updatePassing).run(...rest, key)
  else {
    unsettleAnswers(db, key)
    db.prepare(update).run(...found, ...rest, key)
  }
  if (all.length > 1) saveOtherHashes(db, key, all, zoneHash, mainHash)
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

function isBody(body: unknown): body is Body {
  return typeof body === 'object' && body !== null && 's' in body
}

function firstHash(all: readonly Sighting[], field: 'zoneHash' | 'mainHash'): string | null {
  return all.find((sighting) => sighting[field] !== null)?.[field] ?? null
}

function readCount(db: Database, row: Row | null): Parameters<Tally['recount']>[0] {
  if (row === null) return null
  const { token, ...count } = counted.read(row)
  return { ...count, token: nameText(namesOf(db), token) ?? '' }
}

/** What an old transfer did stays counted; one that was joined into another never was one. */
export function forgetTransfer(db: Database, key: number): void {
  const row = db.prepare(`SELECT ${counted.list()} FROM transfers WHERE key = ?`).get(key)
  const count = readCount(db, row ?? null)
  if (count !== null) keepSteps(db, count)
  db.prepare('UPDATE transfers SET flow = NULL WHERE key = ?').run(key)
  const tally = createTally()
  deleteTransfer(db, key, tally)
  tally.write(db, 0)
}

export function deleteTransfer(db: Database, key: number, tally: Tally): void {
  const row = db.prepare(`SELECT ${counted.list()} FROM transfers WHERE key = ?`).get(key)
  tally.recount(readCount(db, row ?? null), null)
  unsettleAnswers(db, key)
  db.prepare('DELETE FROM transfers WHERE key = ?').run(key)
  db.prepare('DELETE FROM other_hashes WHERE key = ?').run(key)
}

/** Transfers that are not well over. In these words, or the planner does not see that the index of them answers. */
export const isOpenRow = "state IN ('pending', 'unbacked', 'failed')"

/** Every row that bears the hash of the first parameter on either chain, a replaced one included. */
export const byHash = `WHERE (${isHash('zone_hash', '?1')} OR ${isHash('main_hash', '?1')} OR key IN (SELECT key FROM other_hashes WHERE hash = ?1))`

function toBody(stored: Pick<StoredTransfer, 'group' | 'misses' | 'soughtAt'>): Body {
  const { members, ambiguous } = stored.group
  return {
    ...encodeSightings({ members: newestOf(members), ambiguous: newestOf(ambiguous) }),
    ...(stored.misses > 0 && { m: stored.misses }),
    ...(stored.soughtAt !== null && { n: stored.soughtAt }),
  }
}

/** Writes rows of before, behind one key and up to another, in the form of now. */
export function repackTransfers(db: Database, after: number, until: number): void {
  const where = `WHERE key > ? AND key <= ?
    AND (typeof(body) = 'text' OR substr(body, 1, 1) <> x'03' OR typeof(token) = 'text' OR substr(flow, 1, 1) IN ('[', '{'))`
  const update = db.prepare(
    `UPDATE transfers SET rec_id = ?, zone_hash = ?, main_hash = ?, token = ?, source_address = ?, target_address = ?,
       body = ?, flow = ?, plain = ? WHERE key = ?`,
  )
  for (const stored of selectTransfers(db, where, after, until)) {
    const row = stored.kept ?? {}
    const texts = knownOf(db, row)
    const [id, zoneHash, mainHash, token = '', source = '', target = ''] = texts
    const { flow, ...times } = counted.read(row)
    update.run(
      ...[id, zoneHash, mainHash].map((text, index) =>
        row[known[index] ?? ''] === null ? null : toHashCell(text ?? ''),
      ),
      toNameCell(db, token),
      toSenderCell(source, target),
      toHashCell(target),
      pack(toBody(stored), texts, namesOf(db), timesOf(row)),
      flow === null ? null : formatCounted(readCounted(flow, times), times),
      plainDecimals(stored.group),
      stored.key,
    )
  }
}

/** Only how often it was sought is other than it was. */
export function saveSought(
  db: Database,
  { key, group, kept }: Pick<StoredTransfer, 'key' | 'group' | 'kept'>,
  { checkAt, misses, soughtAt }: Pick<StoredTransfer, 'checkAt' | 'misses' | 'soughtAt'>,
): void {
  const body = pack(
    toBody({ group, misses, soughtAt }),
    knownOf(db, kept ?? {}),
    namesOf(db),
    timesOf(kept ?? {}),
  )
  db.prepare('UPDATE transfers SET check_at = ?, body = ? WHERE key = ?').run(checkAt, body, key)
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

/** Whether a cell is as it was read. */
export function isSameCell(a: unknown, b: unknown): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0
  return a === b || (typeof b === 'bigint' && a === Number(b))
}
