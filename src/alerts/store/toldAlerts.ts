import type { UnixMs } from '../../lib/clock.ts'
import { type AlertRow, alertColumns, alertTable } from './alertRows.ts'
import type { Database } from '../../store/database.ts'
import { int, text } from '../../store/table.ts'
import { formatKey, parseKey } from '../../ledger/transferRows.ts'

/** An alert that holds, and that was sent to a channel in full, or is queued for it. */
const isToldTo = (channel: string) =>
  `(a.state IN ('new', 'delivered', 'firing', 'recovering') AND EXISTS (SELECT 1 FROM outbox o WHERE o.alert_id = a.id
    AND o.channel = ${channel} AND o.state <> 'dead' AND o.what IN ('event', 'firing')))`

/** What was sent to a channel of these transfers, oldest first. */
export function listToldOfTransfers(db: Database, keys: readonly string[], channel: string): AlertRow[] {
  const sql = `SELECT ${alertColumns} FROM alerts a WHERE a.transfer_key IN (SELECT value FROM json_each(?1))
    AND ${isToldTo('?2')} ORDER BY a.id`
  return alertTable.all(db, sql, JSON.stringify(keys), channel)
}

/** What was sent to a channel of these transfers as an update of another alert, and nothing more. */
export function listJoinedOfTransfers(db: Database, keys: readonly string[], channel: string): AlertRow[] {
  const sql = `SELECT ${alertColumns} FROM alerts a WHERE a.transfer_key IN (SELECT value FROM json_each(?1)) AND NOT ${isToldTo('?2')}
    AND EXISTS (SELECT 1 FROM outbox o WHERE o.alert_id = a.id AND o.channel = ?2 AND o.state <> 'dead' AND o.what = 'joined')`
  return alertTable.all(db, sql, JSON.stringify(keys), channel)
}

const mostOfKind = 1_000

/** What was sent to a channel since of kinds that name a loss, the newest first. */
export function listToldSince(
  db: Database,
  of: { readonly kinds: readonly string[]; readonly since: UnixMs },
  channel: string,
): AlertRow[] {
  const sql = `SELECT ${alertColumns} FROM alerts a WHERE a.nature = ?1 AND a.changed_at >= ?2 AND a.active_at >= ?2
    AND a.kind IN (SELECT value FROM json_each(?3)) AND ${isToldTo('?4')} ORDER BY a.changed_at DESC LIMIT ${mostOfKind}`
  return ['event', 'condition'].flatMap((nature) =>
    alertTable.all(db, sql, nature, of.since, JSON.stringify(of.kinds), channel),
  )
}

/** What a transfer has come to; null when it is not known. */
export function readTransferState(db: Database, key: string): string | null {
  return text.get(db, 'SELECT state FROM transfers WHERE key = ?', parseKey(key) ?? -1)
}

/** The transfers that bear a hash on the main chain. */
export function listKeysOfMainHash(db: Database, hash: string): string[] {
  return int.all(db, 'SELECT key FROM transfers WHERE main_hash = ? LIMIT 200', hash).map(formatKey)
}
