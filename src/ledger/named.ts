import type { Database } from '../store/database.ts'
import { isHash } from '../store/hash.ts'
import { int } from '../store/table.ts'
import { formatKey, parseKey } from './transferRows.ts'

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
  return listBearing(db, lower, wanted, limit).map(formatKey)
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
