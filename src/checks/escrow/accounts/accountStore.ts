import type { UnixMs } from '../../../lib/clock.ts'
import type { Database } from '../../../store/database.ts'
import { codec, flag, instant, int, parseJson, table, text } from '../../../store/table.ts'
import {
  type AccountName,
  accountNames,
  addDeltas,
  type Deltas,
  type Entry,
  negateDeltas,
} from './account.ts'

const deltasJson = codec({
  type: 'TEXT',
  expected: 'base units by account, as JSON',
  read: (cell) => (typeof cell === 'string' ? decodeDeltas(cell) : undefined),
  write: (deltas: Deltas) =>
    JSON.stringify(Object.fromEntries(Object.entries(deltas).map(([name, by]) => [name, String(by)]))),
})

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

const entries = table('account_entries', {
  ref: text,
  token: text,
  height: int.orNull(),
  at: instant,
  mainHash: text.orNull(),
  deltas: deltasJson,
  isUnmoved: flag.from('unmoved'),
})
const sums = table('account_sums', { token: text, deltas: deltasJson })

/** Entries older than this are in the sums alone: they are never changed again, ms. */
export const entriesKeptMs = 7 * 86_400_000

export function readEntry(db: Database, ref: string): Entry | null {
  return entries.get(db, 'SELECT * FROM account_entries WHERE ref = ?', ref)
}

/** Says anew what a thing changed; null when it changed nothing. What is closed stays as it is. */
export function replaceEntry(db: Database, ref: string, entry: Entry | null, now: UnixMs): void {
  const before = readEntry(db, ref)
  if (before === null && (entry === null || entry.at < now - entriesKeptMs)) return
  if (before) addSum(db, before.token, negateDeltas(before.deltas))
  if (entry === null) return void db.prepare('DELETE FROM account_entries WHERE ref = ?').run(ref)
  addSum(db, entry.token, entry.deltas)
  const row = { ...entry, isUnmoved: (entry.deltas.unmoved ?? 0n) !== 0n }
  db.prepare(`INSERT OR REPLACE ${entries.into}`).run(...entries.values(row))
}

function addSum(db: Database, token: string, by: Deltas): void {
  const known = sums.get(db, 'SELECT * FROM account_sums WHERE token = ?', token)
  const deltas = addDeltas(known?.deltas ?? {}, by)
  db.prepare(`INSERT OR REPLACE ${sums.into}`).run(...sums.values({ token, deltas }))
}

/** What accounts came to at a moment of both chains: the sums, less what happened since. */
export function sumAccounts(
  db: Database,
  token: string,
  at: { readonly height: number; readonly time: UnixMs },
): Deltas {
  const known = sums.get(db, 'SELECT * FROM account_sums WHERE token = ?', token)
  const later = [
    ...entries.all(
      db,
      'SELECT * FROM account_entries WHERE token = ? AND height > ? AND height IS NOT NULL',
      token,
      at.height,
    ),
    ...entries.all(
      db,
      'SELECT * FROM account_entries WHERE token = ? AND at > ? AND height IS NULL',
      token,
      at.time,
    ),
  ]
  return addDeltas(known?.deltas ?? {}, ...later.map(({ deltas }) => negateDeltas(deltas)))
}

/** The same at a time, by block times of both chains. */
export function sumAccountsUntil(db: Database, token: string, time: UnixMs): Deltas {
  const known = sums.get(db, 'SELECT * FROM account_sums WHERE token = ?', token)
  const later = entries.all(db, 'SELECT * FROM account_entries WHERE at > ? AND token = ?', time, token)
  return addDeltas(known?.deltas ?? {}, ...later.map(({ deltas }) => negateDeltas(deltas)))
}

/** What was recorded since a time, up to a height or a time, and no escrow moved so far: it may be listed yet. */
export function sumUnmovedSince(
  db: Database,
  token: string,
  { since, height, until }: { since: UnixMs; height?: number; until?: UnixMs },
): bigint {
  const sql =
    'SELECT * FROM account_entries WHERE token = ? AND at > ? AND unmoved = 1 AND height <= ? AND at <= ?'
  const most = Number.MAX_SAFE_INTEGER
  return entries
    .all(db, sql, token, since, height ?? most, until ?? most)
    .reduce((sum, { deltas }) => sum + (deltas.unmoved ?? 0n), 0n)
}

/** Closes what happened before a time, a few at once: the sums keep it. */
export function closeEntries(db: Database, before: UnixMs, limit: number): void {
  db.prepare(
    'DELETE FROM account_entries WHERE ref IN (SELECT ref FROM account_entries WHERE at < ? LIMIT ?)',
  ).run(before, limit)
}
