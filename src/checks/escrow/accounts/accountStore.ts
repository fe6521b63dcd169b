import type { UnixMs } from '../../../lib/clock.ts'
import { formatKey, parseKey } from '../../../ledger/transfers/transferRows.ts'
import type { Database } from '../../../store/database.ts'
import { fromHashCell, hash, indexOfHash, isAnyHash, isHash, toHashCell } from '../../../store/hash.ts'
import { nameNumber, nameOf, numberOf } from '../../../store/names.ts'
import { pack } from '../../../store/pack.ts'
import {
  codec,
  columns,
  flag,
  instant,
  int,
  parseJson,
  readPacked,
  table,
  text,
} from '../../../store/table.ts'
import {
  type AccountName,
  accountNames,
  addDeltas,
  type Deltas,
  type Entry,
  negateDeltas,
} from './account.ts'

/** Of a main transaction: what it is called is its name. */
const mainKind = 2

/** The number of a transfer, the hash of a transaction, or any text. */
const entryName = codec({
  type: 'ANY',
  expected: 'a number, a hash or a text',
  read: (cell) => (typeof cell === 'number' ? cell : fromHashCell(cell)),
  write: (name: number | string) => (typeof name === 'number' ? BigInt(name) : toHashCell(name)),
})

const isNumber = `${indexOfHash('name')} = ${indexOfHash('?1')} AND name = ?1`

/** Sums are written as JSON, and so were entries before. */
const deltasJson = codec({
  type: 'TEXT',
  expected: 'base units by account, as JSON',
  read: (cell) => (typeof cell === 'string' ? decodeDeltas(cell) : undefined),
  write: (deltas: Deltas) =>
    JSON.stringify(Object.fromEntries(Object.entries(deltas).map(([name, by]) => [name, String(by)]))),
})

/** Entries are many: each account by its place, twice that and one more for what is taken from it, and by how much. */
const deltasPacked = codec({
  type: 'ANY',
  expected: 'base units by account',
  read: (cell) => (cell instanceof Uint8Array ? fromPlaces(readPacked(cell)) : deltasJson.read(cell)),
  write: (deltas: Deltas) =>
    pack(
      accountNames.flatMap((name, place) => {
        const by = deltas[name]
        if (by === undefined) return []
        return by < 0n ? [2 * place + 1, String(-by)] : [2 * place, String(by)]
      }),
    ),
})

function fromPlaces(cells: unknown): Deltas | undefined {
  if (!Array.isArray(cells)) return undefined
  const deltas: Partial<Record<AccountName, bigint>> = {}
  for (let at = 0; at < cells.length; at += 2) {
    const place: unknown = cells[at]
    const by: unknown = cells[at + 1]
    const name = typeof place === 'number' ? accountNames[place >> 1] : undefined
    if (typeof place !== 'number' || name === undefined || typeof by !== 'string' || !/^\d+$/.test(by))
      return undefined
    deltas[name] = place % 2 === 1 ? -BigInt(by) : BigInt(by)
  }
  return deltas
}

function decodeDeltas(json: string): Deltas | undefined {
  const cells = parseJson(json)
  if (typeof cells !== 'object' || cells === null) return undefined
  const deltas: Partial<Record<AccountName, bigint>> = {}
  for (const [name, by] of Object.entries(cells)) {
    const known = accountNames.find((one) => one === name)
    if (known === undefined || typeof by !== 'string' || !/^-?\d+$/.test(by)) return undefined
    deltas[known] = BigInt(by)
  }
  return deltas
}

const entryRows = table('account_entries', {
  kind: int,
  name: entryName,
  token: int,
  height: int.orNull(),
  at: instant,
  mainHash: hash.orNull(),
  deltas: deltasPacked,
  isUnmoved: flag.from('unmoved'),
})
const known = columns({ ...entryRows.shape, id: int, token: text })
const changes = columns({ deltas: deltasPacked })
const sums = table('account_sums', { token: text, deltas: deltasJson })

/** How a ref stands in a row. */
function toPlace(ref: string): { readonly kind: number; readonly name: number | string } {
  const [, of, key = ''] = /^(open|zone):t(\d{1,15})$/.exec(ref) ?? []
  if (of !== undefined) return { kind: of === 'open' ? 0 : 1, name: Number(key) }
  const [, hash] = /^main:[^:]*:(.+)$/.exec(ref) ?? []
  return hash === undefined ? { kind: 3, name: ref } : { kind: mainKind, name: hash }
}

/** Entries older than this are in the sums alone: they are never changed again, ms. */
export const entriesKeptMs = 7 * 86_400_000
/** What was first seen long after it happened is changed for a day at least. */
const changedForMs = 86_400_000

/** When a thing is entered: when it happened, but never so early that it is closed before it was counted. */
export function enteredAt(at: UnixMs, firstSeenAt: UnixMs): UnixMs {
  return Math.max(at, firstSeenAt - entriesKeptMs + changedForMs)
}

/** What is known of a thing: what it changed, and where that stands. */
export interface KnownEntry extends Omit<Entry, 'ref'> {
  readonly id: number
}

export function readEntry(db: Database, ref: string): KnownEntry | null {
  const { kind, name } = toPlace(ref)
  const token = kind === mainKind ? ref.slice('main:'.length, -1 - String(name).length) : null
  const sql = `SELECT id, kind, name, ${nameOf('token')} AS token, height, at, main_hash, deltas, unmoved FROM account_entries
    WHERE ${typeof name === 'number' ? isNumber : isHash('name', '?1')} AND kind = ?2 AND (?3 IS NULL OR token = ${numberOf('?3')})`
  const row = known.get(db, sql, typeof name === 'number' ? BigInt(name) : name, kind, token)
  return row && { ...row, mainHash: kind === mainKind ? String(name) : row.mainHash }
}

/** Which of these transfers changed anything themselves, so far as that is not closed. */
export function listAccounted(db: Database, keys: readonly string[]): Set<string> {
  const numbers = keys.flatMap((key) => parseKey(key) ?? [])
  const sql = `SELECT DISTINCT name FROM account_entries WHERE ${indexOfHash('name')} IN (SELECT ${indexOfHash('value')} FROM json_each(?1))
    AND kind <> ${mainKind} AND +name IN (SELECT value FROM json_each(?1))`
  return new Set(int.all(db, sql, JSON.stringify(numbers)).map(formatKey))
}

/** Which of these main transactions changed anything, so far as that is not closed. */
export function listEntered(db: Database, hashes: readonly string[]): Set<string> {
  const sql = `SELECT DISTINCT name FROM account_entries WHERE ${isAnyHash('name', '?1')} AND +kind = ${mainKind}`
  return new Set(hash.all(db, sql, JSON.stringify(hashes)))
}

/** Says anew what a thing changed; null when it changed nothing. What is closed stays as it is. */
export function replaceEntry(
  db: Database,
  ref: string,
  { before, entry }: { readonly before: KnownEntry | null; readonly entry: Entry | null },
  now: UnixMs,
): void {
  if (before === null && (entry === null || entry.at < now - entriesKeptMs)) return
  if (before !== null && entry !== null && isSame(before, entry)) return
  if (before) addSum(db, before.token, negateDeltas(before.deltas))
  if (before) db.prepare('DELETE FROM account_entries WHERE id = ?').run(before.id)
  if (entry === null) return
  addSum(db, entry.token, entry.deltas)
  const token = nameNumber(db, entry.token)
  const { kind, name } = toPlace(ref)
  const mainHash = kind === mainKind ? null : entry.mainHash
  const row = { ...entry, kind, name, token, mainHash, isUnmoved: (entry.deltas.unmoved ?? 0n) !== 0n }
  db.prepare(`INSERT ${entryRows.into}`).run(...entryRows.values(row))
}

function isSame(before: KnownEntry, entry: Entry): boolean {
  const isSamePlace =
    before.token === entry.token &&
    before.height === entry.height &&
    before.at === entry.at &&
    before.mainHash === entry.mainHash
  return isSamePlace && accountNames.every((name) => before.deltas[name] === entry.deltas[name])
}

function addSum(db: Database, token: string, by: Deltas): void {
  const sum = sums.get(db, 'SELECT * FROM account_sums WHERE token = ?', token)
  const deltas = addDeltas(sum?.deltas ?? {}, by)
  db.prepare(`INSERT OR REPLACE ${sums.into}`).run(...sums.values({ token, deltas }))
}

/** What accounts came to at a moment of both chains: the sums, less what happened since. */
export function sumAccounts(
  db: Database,
  token: string,
  at: { readonly height: number; readonly time: UnixMs },
): Deltas {
  const sum = sums.get(db, 'SELECT * FROM account_sums WHERE token = ?', token)
  const later = [
    ...changes.all(
      db,
      `SELECT deltas FROM account_entries WHERE token = ${numberOf('?')} AND height > ? AND height IS NOT NULL`,
      token,
      at.height,
    ),
    ...changes.all(
      db,
      `SELECT deltas FROM account_entries WHERE token = ${numberOf('?')} AND at > ? AND height IS NULL`,
      token,
      at.time,
    ),
  ]
  return addDeltas(sum?.deltas ?? {}, ...later.map(({ deltas }) => negateDeltas(deltas)))
}

/** The same at a time, by block times of both chains. */
export function sumAccountsUntil(db: Database, token: string, time: UnixMs): Deltas {
  const sum = sums.get(db, 'SELECT * FROM account_sums WHERE token = ?', token)
  const sql = `SELECT deltas FROM account_entries WHERE at > ? AND token = ${numberOf('?')}`
  const later = changes.all(db, sql, time, token)
  return addDeltas(sum?.deltas ?? {}, ...later.map(({ deltas }) => negateDeltas(deltas)))
}

/** What records say and no escrow moved so far. */
export interface Unmoved {
  /** By deposits: below zero. */
  readonly came: bigint
  /** By withdrawals: above zero. */
  readonly left: bigint
}

/** What was recorded since a time, up to a height or a time, and no escrow moved so far: it may be listed yet. */
export function sumUnmovedSince(
  db: Database,
  token: string,
  { since, height, until }: { since: UnixMs; height?: number; until?: UnixMs },
): Unmoved {
  const sql = `SELECT deltas FROM account_entries WHERE token = ${numberOf('?')} AND at > ? AND unmoved = 1 AND height <= ? AND at <= ?`
  const most = Number.MAX_SAFE_INTEGER
  const amounts = changes
    .all(db, sql, token, since, height ?? most, until ?? most)
    .map(({ deltas }) => deltas.unmoved ?? 0n)
  const sum = (of: readonly bigint[]) => of.reduce((total, amount) => total + amount, 0n)
  return {
    came: sum(amounts.filter((amount) => amount < 0n)),
    left: sum(amounts.filter((amount) => amount > 0n)),
  }
}

/** Closes what happened before a time, a few at once: the sums keep it. */
export function closeEntries(db: Database, before: UnixMs, limit: number): void {
  db.prepare(
    `DELETE FROM account_entries WHERE id IN (SELECT id FROM account_entries
      WHERE token IN (SELECT n.id FROM account_sums s JOIN names n ON n.name = s.token) AND at < ? LIMIT ?)`,
  ).run(before, limit)
}
