import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { hash } from '../../store/hash.ts'
import { instant } from '../../store/table.ts'

/** When value last left either chain; null before the first transfer. */
export function readNewestOrigin(db: Database): UnixMs | null {
  return instant.orNull().get(db, 'SELECT max(origin_at) FROM transfers')
}

/** When value first left either chain after a moment; null while none did. */
export function readOldestOriginSince(db: Database, at: UnixMs): UnixMs | null {
  return instant.orNull().get(db, 'SELECT min(origin_at) FROM transfers WHERE origin_at > ?', at)
}

/** The main hash of a recent transfer: a question whose answer is known. */
export function readRecentMainHash(db: Database): string | null {
  const sql = `SELECT main_hash FROM transfers INDEXED BY transfers_destination WHERE destination_at IS NOT NULL
    AND main_hash IS NOT NULL AND state = ? ORDER BY destination_at DESC LIMIT 1`
  return hash.get(db, sql, 'completed')
}
