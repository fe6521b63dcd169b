import type { Direction } from '../../bridge/observation.ts'
import type { Database } from '../../store/database.ts'
import { isAddress } from '../../store/hash.ts'
import { int } from '../../store/table.ts'
import { formatKey, isOpenRow } from './transferRows.ts'

/** Keys of the transfers that arrived at an address and are not well over, oldest first. */
export function listOpenArrivals(
  db: Database,
  { address, direction }: { readonly address: string; readonly direction: Direction },
  limit: number,
): string[] {
  const arrived = direction === 'ZoneToMain' ? 'main_hash' : 'zone_hash'
  const sql = `SELECT key FROM transfers INDEXED BY transfers_open_to
    WHERE ${isOpenRow} AND ${isAddress('target_address', '?1')} AND direction = ?2 AND ${arrived} IS NOT NULL ORDER BY key LIMIT ?3`
  return int.all(db, sql, address, direction, limit).map(formatKey)
}
