import type { Chain } from '../../bridge/observation.ts'
import type { Database } from '../../store/database.ts'
import { completeHash, endsOf, endsOfText, hasEnds, hash, isHash } from '../../store/hash.ts'
import { columns, int, type Row } from '../../store/table.ts'
import { isWholeForm } from '../../store/wholeForm.ts'
import { knownOf } from '../sightings/knownTexts.ts'
import {
  formatKey,
  parseKey,
  rowColumns,
  selectTransfers,
  type StoredTransfer,
  toStored,
} from './transferRows.ts'

/** Transfers of one transaction that are read beside each other, beyond one for each hash. */
const maxSharing = 1_000
const sharing = columns({ hash, key: int })

/**
 * Keys of the transfers that bear a name, or did: a key, an id, or a hash of either chain in any case; oldest first.
 * Each way is asked for by itself, so that each goes by its index.
 */
export function listNamed(db: Database, name: string, limit: number): string[] {
  const wanted = name.trim()
  const lower = wanted.toLowerCase()
  const key = parseKey(lower)
  if (key !== null) {
    const sql =
      'SELECT key FROM transfers WHERE key = COALESCE((SELECT transfer_key FROM aliases WHERE key = ?1), ?1)'
    return int.all(db, sql, key).map(formatKey)
  }
  return listBearing(db, completeHash(lower), wanted, limit).map(formatKey)
}

/** Keys of the transfers that bear a hash or an id, oldest first, or an id as it was typed; a limit below 0 is none. */
export function listBearing(db: Database, name: string, typed: string, limit: number): number[] {
  const conditions = [
    isHash('zone_hash', '?1'),
    isHash('main_hash', '?1'),
    isHash('rec_id', '?1'),
    isHash('rec_id', '?2'),
  ]
  const sql = `${conditions.map((one) => `SELECT key FROM transfers WHERE ${one}`).join(' UNION ')}
    UNION SELECT key FROM other_hashes WHERE hash = ?1 ORDER BY key LIMIT ?3`
  return int.all(db, sql, name, typed, limit)
}

/** Every key that a transfer goes by: its own first, then those of transfers that were joined into it. */
export function listKeysOf(db: Database, key: string): number[] {
  const own = parseKey(key)
  if (own === null) return []
  return [own, ...int.all(db, 'SELECT key FROM aliases WHERE transfer_key = ? ORDER BY key', own)]
}

/** Transfers that bear a hash on a chain, oldest first. */
export function listSharing(db: Database, chain: Chain, hash: string, limit: number): StoredTransfer[] {
  const column = chain === 'main' ? 'main_hash' : 'zone_hash'
  return selectTransfers(db, `WHERE ${isHash(column, '?1')} ORDER BY key LIMIT ?2`, hash, limit)
}

/** By hash, which transfers bear it on this chain, oldest first; null when they are too many to be read at once. */
export function listKeysSharing(
  db: Database,
  chain: Chain,
  hashes: readonly string[],
): Map<string, string[]> | null {
  const column = chain === 'main' ? 'main_hash' : 'zone_hash'
  const limit = hashes.length + maxSharing
  const sql = `SELECT ${column} AS hash, key FROM transfers WHERE ${hasEnds(column, '?1')} ORDER BY key LIMIT ?2`
  const rows = sharing.all(db, sql, listEnds(db, hashes), limit)
  if (rows.length === limit) return null
  const wanted = new Set(hashes)
  const keys = new Map<string, string[]>()
  for (const row of rows) {
    if (!wanted.has(row.hash)) continue
    const key = formatKey(row.key)
    const others = keys.get(row.hash)
    if (others) others.push(key)
    else keys.set(row.hash, [key])
  }
  return keys
}

/** What indexes have of these names: in rows of before, as long as there are any, of their texts as well. */
function listEnds(db: Database, names: readonly string[]): string {
  const ends = names.map(endsOf)
  return JSON.stringify(isWholeForm(db) ? ends : [...ends, ...names.map(endsOfText)])
}

interface Names {
  readonly ids: readonly string[]
  /** Of every row that bears one of them. */
  readonly hashes: readonly string[]
  /** Of the rows that hold a record without id. */
  readonly looseHashes: readonly string[]
}

// Of a transaction with thousands of transfers, each of which bears an id, no row but the one that is sought is read.
const candidates = `SELECT ${rowColumns} FROM transfers WHERE key IN (
  SELECT key FROM transfers WHERE ${hasEnds('rec_id', '?1')}
  UNION ALL SELECT key FROM transfers WHERE ${hasEnds('zone_hash', '?2')}
  UNION ALL SELECT key FROM transfers WHERE ${hasEnds('main_hash', '?2')}
  UNION ALL SELECT key FROM transfers WHERE loose = 1 AND ${hasEnds('zone_hash', '?3')}
  UNION ALL SELECT key FROM transfers WHERE loose = 1 AND ${hasEnds('main_hash', '?3')})`
const replaced = `WHERE key IN (SELECT key FROM other_hashes WHERE hash IN (SELECT value FROM json_each(?1)))`

/** Every row that one of these names may concern. */
export function selectNamed(db: Database, { ids, hashes, looseHashes }: Names): StoredTransfer[] {
  const sought = { ids: new Set(ids), hashes: new Set(hashes), looseHashes: new Set(looseHashes) }
  const isSought = (row: Row) => {
    const [id = '', zone = '', main = ''] = knownOf(db, row)
    const bears = (some: ReadonlySet<string>) => some.has(zone) || some.has(main)
    return sought.ids.has(id) || bears(sought.hashes) || (row['loose'] === 1 && bears(sought.looseHashes))
  }
  const found = db
    .prepare(candidates)
    .all(listEnds(db, ids), listEnds(db, hashes), listEnds(db, looseHashes))
    .filter(isSought)
    .map((row) => toStored(db, row))
  const others = (some: readonly string[], and: string) =>
    some.length === 0 ? [] : selectTransfers(db, `${replaced}${and}`, JSON.stringify(some))
  return [...found, ...others(hashes, ''), ...others(looseHashes, ' AND loose = 1')]
}
