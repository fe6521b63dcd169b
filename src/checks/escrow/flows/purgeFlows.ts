import type { UnixMs } from '../../../lib/clock.ts'
import type { Database } from '../../../store/database.ts'
import { indexOfHash, isHash } from '../../../store/hash.ts'
import { columns, flag, instant, int } from '../../../store/table.ts'
import { purgeRefunds } from './refundStore.ts'

/** What came in by a deposit that was not credited: it may be given back after weeks, and what came in bounds that. */
const isRefundable = `direction = 'in' AND EXISTS (SELECT 1 FROM transfers t WHERE t.state IN ('failed', 'pending')
  AND ${indexOfHash('t.main_hash')} = ${indexOfHash('escrow_flows.hash')} AND t.main_hash = escrow_flows.hash)`

/** The list may show a deposit for longer than ended transfers are kept: that it was given back stays as true. */
const isOfKept = `EXISTS (SELECT 1 FROM refunds r JOIN transfers t ON ${isHash('t.main_hash', 'r.deposit')} WHERE r.flow = escrow_flows.id)`

/** How far the purge has come through what is old: what it has to keep is not looked at again each time. */
export interface Purged {
  readonly seenAt: UnixMs
  readonly id: number
}

const fromOldest: Purged = { seenAt: 0, id: 0 }

/**
 * Forgets flows seen before a time, a step at a time.
 * @returns where the next step goes on
 */
export function purgeFlows(
  db: Database,
  before: { explained: UnixMs; inward: UnixMs; outward: UnixMs },
  limit: number,
  from = fromOldest,
): Purged {
  const forget = (where: string, ...values: (string | number)[]) =>
    db
      .prepare(`DELETE FROM escrow_flows WHERE id IN (SELECT id FROM escrow_flows WHERE ${where} LIMIT ?)`)
      .run(...values, limit)
  const old = oldFlows.all(
    db,
    `SELECT id, seen_at, ${isRefundable} AS refundable FROM escrow_flows WHERE verdict <> 'unexplained'
      AND verdict IN ('explained', 'unjudged') AND seen_at < ? AND (seen_at, id) > (?, ?) ORDER BY seen_at, id LIMIT ?`,
    before.explained,
    from.seenAt,
    from.id,
    limit,
  )
  const gone = old.filter(({ refundable }) => !refundable).map(({ id }) => id)
  db.prepare('DELETE FROM escrow_flows WHERE id IN (SELECT value FROM json_each(?))').run(
    JSON.stringify(gone),
  )
  // As long as the deposit may yet be credited as well, and longer than what came in by it.
  const bothOver = Math.min(before.outward, before.explained)
  forget(`verdict <> 'unexplained' AND verdict = 'refund' AND seen_at < ? AND NOT ${isOfKept}`, bothOver)
  purgeRefunds(db)
  forget("verdict = 'unexplained' AND direction = 'in' AND at < ?", before.inward)
  forget("verdict = 'unexplained' AND direction = 'out' AND at < ?", before.outward)
  const last = old.length < limit ? undefined : old.at(-1)
  return last === undefined ? fromOldest : { seenAt: last.seenAt, id: last.id }
}

const oldFlows = columns({ id: int, seenAt: instant, refundable: flag })
