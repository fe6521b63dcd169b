import type { UnixMs } from '../lib/clock.ts'
import { direction } from '../store/bridgeCodecs.ts'
import type { Database } from '../store/database.ts'
import { columns, int, type Read, text } from '../store/table.ts'
import { textOfHash } from '../store/hash.ts'
import { nameTextOf } from '../store/names.ts'
import { senderText } from './parties.ts'
import { isOpenRow } from './transferRows.ts'

const failures = columns({ token: text, direction, failed: int, recipients: int, senders: int, tokens: int })

/** Of transfers whose newest block is within a time those that failed, by direction (token '') and by token; `leftFrom` bounds when they left. */
export function countFailures(
  db: Database,
  { from, until }: { readonly from: UnixMs; readonly until: UnixMs },
  leftFrom: UnixMs,
): Read<typeof failures>[] {
  const count = (token: string) => `SELECT ${token} AS token, direction, count(*) AS failed,
      count(DISTINCT target_address) AS recipients, count(DISTINCT source_address) AS senders, count(DISTINCT token) AS tokens
    FROM ended GROUP BY 1, 2`
  const sql = `WITH ended AS (SELECT ${nameTextOf('token')} AS token, direction, ${textOfHash('target_address')} AS target_address, ${senderText} AS source_address FROM transfers
      WHERE state = 'failed' AND ${isOpenRow} AND origin_at >= ?1 AND origin_at < ?3
        AND max(origin_at, coalesce(destination_at, 0)) >= ?2 AND coalesce(destination_at, 0) < ?3)
    ${count("''")} UNION ALL ${count('token')}`
  return failures.all(db, sql, leftFrom, from, until)
}
