import type { UnixMs } from '../../../lib/clock.ts'
import type { Database } from '../../../store/database.ts'
import { numberOf } from '../../../store/names.ts'
import { int } from '../../../store/table.ts'
import { selectFlows, type StoredFlow } from './flowRow.ts'

/** Movements of a token in a time: from one moment on and before another. */
export interface MovementQuery {
  readonly token: string
  readonly from: UnixMs
  readonly until: UnixMs
}

/** So many are looked through at most, the newest. */
export const mostMovements = 50_000

const ofTime = `FROM escrow_flows INDEXED BY escrow_flows_at WHERE token = ${numberOf('?')} AND at >= ? AND at < ?`

/** The largest movements each way, the largest first: what each changed the balance by. */
export function listLargestFlows(
  db: Database,
  { token, from, until }: MovementQuery,
  { direction, limit }: { readonly direction: 'in' | 'out'; readonly limit: number },
): StoredFlow[] {
  const [sign, order] = direction === 'in' ? ['>', 'DESC'] : ['<', 'ASC']
  // Numbers of the database are precise enough to put amounts in order.
  const of = `JOIN (SELECT id, CAST(net AS REAL) AS size FROM (SELECT id, net ${ofTime} ORDER BY at DESC LIMIT ${mostMovements})
      WHERE size ${sign} 0 ORDER BY size ${order} LIMIT ?) large
    ON f.id = large.id ORDER BY large.size ${order}`
  return selectFlows(db, of, token, from, until, limit)
}

/** What no transfer explains of a time, the newest first. */
export function listUnexplainedFlows(
  db: Database,
  { token, from, until }: MovementQuery,
  { direction, limit }: { readonly direction: 'in' | 'out'; readonly limit: number },
): StoredFlow[] {
  const sql = `INDEXED BY escrow_flows_told
    WHERE verdict = 'unexplained' AND direction = ? AND at >= ? AND at < ? AND token = ${numberOf('?')} ORDER BY at DESC LIMIT ?`
  return selectFlows(db, sql, direction, from, until, token, limit)
}

/** How many there are, `mostMovements` for more. */
export function countMovements(db: Database, { token, from, until }: MovementQuery): number {
  const sql = `SELECT COUNT(*) FROM (SELECT 1 ${ofTime} LIMIT ${mostMovements})`
  return int.get(db, sql, token, from, until) ?? 0
}
