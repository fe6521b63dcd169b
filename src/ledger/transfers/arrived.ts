import type { Direction } from '../../bridge/observation.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { selectTransfers, type StoredTransfer } from './transferRows.ts'

export interface ArrivedFilter {
  readonly direction?: Direction
  /** When it arrived. */
  readonly from?: UnixMs
  readonly until?: UnixMs
  readonly limit: number
}

/** Rows that are looked at: what is wanted is a sample, and of one direction there may be hardly any. */
const rowsLooked = 5_000

/**
 * Completed transfers that arrived in a time, the newest first. However many others there are, a bounded number of rows is
 * looked at: what arrived before those is not found.
 */
export function listArrived(
  db: Database,
  { direction, from = 0, until = Number.MAX_SAFE_INTEGER, limit }: ArrivedFilter,
  most = rowsLooked,
): StoredTransfer[] {
  // What orders the rows is asked for first and by itself, so that nothing else chooses an index.
  const where = `WHERE key IN (SELECT key FROM transfers INDEXED BY transfers_destination
      WHERE destination_at IS NOT NULL AND destination_at BETWEEN ? AND ? ORDER BY destination_at DESC, key DESC LIMIT ?)
    AND +state = 'completed' AND (? = '' OR direction = ?) ORDER BY +destination_at DESC, key DESC LIMIT ?`
  return selectTransfers(db, where, from, until, most, direction ?? '', direction ?? '', limit)
}
