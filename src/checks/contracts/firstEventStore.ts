import { type BridgeLog, topicOf } from '../../bridge/bridgeLog.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { readProgress } from './progressStore.ts'
import type { Database } from '../../store/database.ts'
import { toHashCell } from '../../store/hash.ts'
import { numberOf } from '../../store/names.ts'
import { int, text } from '../../store/table.ts'

/** Remembered when the log itself is forgotten: what a contract does now and then is not new. */
export function noteFirst(db: Database, log: BridgeLog): void {
  db.prepare(
    `INSERT INTO bridge_events VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET hash = excluded.hash, height = excluded.height WHERE excluded.height < height`,
  ).run(log.contract, topicOf(log), log.hash, log.height)
}

/**
 * Whether this is the first event of its kind that is known of its contract, though `least` others taught. Of several
 * that were there before the contract was first read nobody knows which was the first, and nothing is new while the past
 * is not read yet. What came several times while nothing ran is new all the same.
 * @param of.since when it was first read at the latest
 */
export function isNewAmong(
  db: Database,
  { contract, hash, topics, time }: BridgeLog,
  { least, since }: { readonly least: number; readonly since: UnixMs },
): boolean {
  const topic = topicOf({ topics })
  const sql = 'SELECT hash FROM bridge_events WHERE contract = ? AND topic = ?'
  if (text.get(db, sql, contract, topic) !== hash || countTaught(db, contract) < least) return false
  const { historyFrom, followedSince } = readProgress(db, contract)
  if (historyFrom !== null) return false
  const other = db
    .prepare(
      `SELECT 1 FROM bridge_logs WHERE contract = ${numberOf('?')} AND topic = ${numberOf('?')} AND hash <> ? LIMIT 1`,
    )
    .get(contract, topic, toHashCell(hash))
  return other === undefined || (time ?? 0) >= Math.min(followedSince ?? since, since)
}

/** How many events of a contract taught what it says. */
function countTaught(db: Database, contract: string): number {
  const sql = 'SELECT coalesce(sum(matched), 0) FROM bridge_topics WHERE contract = ?'
  return int.get(db, sql, contract) ?? 0
}
