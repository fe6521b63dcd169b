import type { UnixMs } from '../lib/clock.ts'
import type { Direction } from '../bridge/observation.ts'
import type { TransferState } from '../bridge/transfer.ts'
import type { Database } from '../store/database.ts'
import { parseKey, selectTransfers, type StoredTransfer } from './transferRows.ts'

export interface TransferFilter {
  readonly state?: TransferState
  readonly direction?: Direction
  readonly token?: string
  /** Source or target address. */
  readonly address?: string
  /** A hash of either chain, an id or a ledger key. */
  readonly hash?: string
  readonly originAtOrBefore?: UnixMs
  readonly originAtOrAfter?: UnixMs
  readonly limit?: number
  readonly offset?: number
}

/** The transfers that fit every condition given, newest first. */
export function listMatching(db: Database, filter: TransferFilter): StoredTransfer[] {
  const conditions: [string, (string | number)[]][] = []
  const key = filter.hash === undefined ? null : parseKey(filter.hash)
  if (filter.hash !== undefined) {
    const hash = filter.hash.toLowerCase()
    conditions.push(
      key === null
        ? [
            '(zone_hash = ? OR main_hash = ? OR rec_id = ? OR key IN (SELECT key FROM other_hashes WHERE hash = ?))',
            [hash, hash, hash, hash],
          ]
        : ['(key = ? OR key IN (SELECT transfer_key FROM aliases WHERE key = ?))', [key, key]],
    )
  }
  if (filter.state) conditions.push(['state = ?', [filter.state]])
  if (filter.direction) conditions.push(['direction = ?', [filter.direction]])
  if (filter.token) conditions.push(['token = ?', [filter.token.toLowerCase()]])
  if (filter.address) {
    const address = filter.address.toLowerCase()
    conditions.push(['(source_address = ? OR target_address = ?)', [address, address]])
  }
  if (filter.originAtOrBefore !== undefined) conditions.push(['origin_at <= ?', [filter.originAtOrBefore]])
  if (filter.originAtOrAfter !== undefined) conditions.push(['origin_at >= ?', [filter.originAtOrAfter]])
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`
  return selectTransfers(
    db,
    `${where} ORDER BY origin_at DESC, key DESC LIMIT ? OFFSET ?`,
    ...conditions.flatMap(([, values]) => values),
    filter.limit ?? 50,
    filter.offset ?? 0,
  )
}
