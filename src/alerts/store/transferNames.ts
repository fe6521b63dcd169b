import { formatKey, parseKey } from '../../ledger/transfers/transferRows.ts'
import type { Database } from '../../store/database.ts'
import { hash, isHash } from '../../store/hash.ts'
import { columns, int } from '../../store/table.ts'

/** Everything that a transfer goes by now, in lower case; a name that it does not have is an empty list. */
export interface TransferNames {
  /** Its key first, then those of transfers that were joined into it. */
  readonly transfer: readonly string[]
  readonly transfer_id: readonly string[]
  readonly main_tx: readonly string[]
  readonly zone_tx: readonly string[]
}

const nameless: TransferNames = { transfer: [], transfer_id: [], main_tx: [], zone_tx: [] }

const named = columns({ key: int, recId: hash.orNull(), mainHash: hash.orNull(), zoneHash: hash.orNull() })

/** By its key, or one that it had before it was joined into another; nameless when the ledger holds none. */
export function readTransferNames(db: Database, key: string): TransferNames {
  const number = parseKey(key)
  if (number === null) return nameless
  const sql = `SELECT key, rec_id, main_hash, zone_hash FROM transfers
    WHERE key = COALESCE((SELECT transfer_key FROM aliases WHERE key = ?1), ?1)`
  const row = named.get(db, sql, number)
  if (row === null) return { ...nameless, transfer: [key.toLowerCase()] }
  const aliases = int.all(db, 'SELECT key FROM aliases WHERE transfer_key = ? ORDER BY key', row.key)
  const list = (name: string | null) => (name === null || name === '' ? [] : [name.toLowerCase()])
  return {
    transfer: [row.key, ...aliases].map(formatKey),
    transfer_id: list(row.recId),
    main_tx: list(row.mainHash),
    zone_tx: list(row.zoneHash),
  }
}

/** Keys of the transfers that go by a name: a key, an id, or a hash in any case. */
export function listKeysNamed(db: Database, name: string, limit: number): string[] {
  const wanted = name.trim().toLowerCase()
  const key = parseKey(wanted)
  const sql =
    key === null
      ? `SELECT key FROM transfers WHERE ${isHash('rec_id', '?1')} OR ${isHash('rec_id', '?2')} OR ${isHash('main_hash', '?1')} OR ${isHash('zone_hash', '?1')} ORDER BY key LIMIT ?3`
      : 'SELECT key FROM transfers WHERE key = COALESCE((SELECT transfer_key FROM aliases WHERE key = ?1), ?2) LIMIT ?3'
  return int.all(db, sql, key ?? wanted, key ?? name.trim(), limit).map(formatKey)
}
