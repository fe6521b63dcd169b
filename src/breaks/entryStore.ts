import type { UnixMs } from '../lib/clock.ts'
import { formatKey, parseKey } from '../ledger/transfers/transferRows.ts'
import { decimal } from '../store/bridgeCodecs.ts'
import type { Database } from '../store/database.ts'
import { columns, flag, instant, int, oneOf, type Read, table, text } from '../store/table.ts'
import { breakKinds, type Share } from './break.ts'

const written = table('break_entries', {
  at: instant,
  what: oneOf('matched', 'written off', 'taken back'),
  who: text,
  via: oneOf('cli', 'page', 'api', 'slack').orElse('api'),
  address: text.orNull(),
  role: text.orNull(),
  session: text.orNull(),
  reason: text,
  /** Of a matching: the payout less the origin, token units; null where that cannot be said. */
  difference: decimal.orNull(),
  /** The entry that this one takes back. */
  undoes: int.orNull(),
})
const stored = columns({ id: int, ...written.shape, undoneBy: int.orNull() })

export type NewEntry = Read<typeof written>
/** What somebody did about breaks: never changed, never removed. */
export type Entry = Read<typeof stored>

const content = {
  entryId: int,
  name: text,
  part: oneOf('payout', 'origin', 'all'),
  kind: oneOf(...breakKinds),
  token: text,
  inBaseUnits: flag,
  amount: decimal.orNull(),
  whole: decimal.orNull(),
}
const newShares = table('break_shares', { ...content, transferKey: int.orNull() })
const shares = columns({ ...content, key: int.orNull() })

/** Inside the transaction of what it is part of. @returns its number */
export function insertEntry(db: Database, entry: NewEntry, of: readonly Omit<Share, 'entryId'>[]): number {
  const result = db.prepare(`INSERT ${written.into}`).run(...written.values(entry))
  const entryId = Number(result.lastInsertRowid)
  for (const share of of) {
    const row = { ...share, entryId, transferKey: parseKey(share.name) }
    db.prepare(`INSERT ${newShares.into}`).run(...newShares.values(row))
  }
  return entryId
}

const entryColumns = `e.*, (SELECT u.id FROM break_entries u WHERE u.undoes = e.id) AS undone_by`

export function findEntry(db: Database, id: number): Entry | null {
  return stored.get(db, `SELECT ${entryColumns} FROM break_entries e WHERE e.id = ?`, id)
}

/** Newest first; `before` is the number of the last one that was seen. */
export function listEntries(
  db: Database,
  query: { readonly limit: number; readonly before?: number | null },
): Entry[] {
  const sql = `SELECT ${entryColumns} FROM break_entries e WHERE e.id < ? ORDER BY e.id DESC LIMIT ?`
  return stored.all(db, sql, query.before ?? Number.MAX_SAFE_INTEGER, query.limit)
}

/** Those that were made from one time on and before another, oldest first. */
export function listEntriesOf(
  db: Database,
  window: { readonly from: UnixMs; readonly until: UnixMs },
  limit: number,
): Entry[] {
  const sql = `SELECT ${entryColumns} FROM break_entries e WHERE e.at >= ? AND e.at < ? ORDER BY e.id LIMIT ?`
  return stored.all(db, sql, window.from, window.until, limit)
}

// A transfer that was joined into an older one goes by the older one's key.
const shareColumns = `s.*, COALESCE((SELECT a.transfer_key FROM aliases a WHERE a.key = s.transfer_key), s.transfer_key) AS key`

export function listShares(db: Database, entryId: number): Share[] {
  const sql = `SELECT ${shareColumns} FROM break_shares s WHERE s.entry_id = ? ORDER BY s.part DESC, s.name`
  return shares.all(db, sql, entryId).map(toShare)
}

/** By the name of the break, what entries that were not taken back settle of it, the oldest first. */
export function listHeldShares(db: Database): Map<string, Share[]> {
  const sql = `SELECT ${shareColumns} FROM break_shares s
    WHERE NOT EXISTS (SELECT 1 FROM break_entries u WHERE u.undoes = s.entry_id) ORDER BY s.entry_id`
  return Map.groupBy(shares.all(db, sql).map(toShare), ({ name }) => name)
}

/** The entries, not taken back, that settle something of a transfer, by its keys. */
export function listEntriesSettling(db: Database, keys: readonly number[]): number[] {
  const sql = `SELECT DISTINCT s.entry_id FROM break_shares s WHERE s.transfer_key IN (SELECT value FROM json_each(?))
    AND NOT EXISTS (SELECT 1 FROM break_entries u WHERE u.undoes = s.entry_id) ORDER BY s.entry_id`
  return int.all(db, sql, JSON.stringify(keys))
}

function toShare({ key, ...share }: Read<typeof shares>): Share {
  return { ...share, name: key === null ? share.name : formatKey(key) }
}
