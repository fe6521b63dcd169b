import type { EscrowFlow, Sent } from './flow.ts'
import { flowReading, type StoredFlow, toReading } from './flowRow.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import type { Database } from '../../../store/database.ts'

/** Who gained what left by a movement, by token id: it is judged anew. */
export function saveGained(
  db: Database,
  flow: StoredFlow,
  gained: ReadonlyMap<string, readonly Sent[]>,
  now: UnixMs,
): void {
  const gross = flow.gross.map((move) => ({ ...move, gained: gained.get(move.id) ?? [] }))
  // It may be in another block by now, or say something else.
  const sql =
    'UPDATE escrow_flows SET check_at = ?1, gross = ?2 WHERE id = ?3 AND height = ?4 AND gross IS ?5'
  db.prepare(sql).run(now, cellOf({ ...flow, gross }), flow.id, flow.height, cellOf(flow))
}

/** A reading that says of a movement what was known keeps who gained by it. */
export function keepGained(flow: EscrowFlow, known: Pick<EscrowFlow, 'height' | 'gross'>): EscrowFlow {
  // Nearly none was asked about.
  if (known.gross.every(({ gained }) => gained === undefined)) return flow
  const own = new Map(known.gross.map(({ id, gained }) => [id, gained]))
  const gross = flow.gross.map((move) => {
    const gained = own.get(move.id)
    return gained ? { ...move, gained } : move
  })
  const isSame =
    flow.height === known.height && cellOf({ ...flow, gross }) === cellOf({ ...flow, gross: known.gross })
  return isSame ? { ...flow, gross } : flow
}

function cellOf(flow: EscrowFlow) {
  return flowReading.shape.gross.write(toReading(flow).gross)
}

/** What could not be said of a movement that is told is asked again then. */
export function askGainedAgain(db: Database, { id }: Pick<StoredFlow, 'id'>, at: UnixMs): void {
  const sql =
    "UPDATE escrow_flows SET check_at = ?1 WHERE id = ?2 AND verdict = 'unexplained' AND check_at IS NULL"
  db.prepare(sql).run(at, id)
}

/** Of what is told so many are looked at, the newest. */
const mostWoken = 100

/**
 * Deposits of these tokens failed: what left and is told may have given them back by way of somebody else. After a start of
 * any token (null): which were to be asked about was remembered in memory.
 */
export function wakeUnasked(db: Database, tokens: readonly string[] | null, now: UnixMs): void {
  if (tokens?.length === 0) return
  const newest = `SELECT id FROM escrow_flows INDEXED BY escrow_flows_told
    WHERE verdict = 'unexplained' AND direction = 'out' ORDER BY at DESC LIMIT ${mostWoken}`
  const isAsked = "typeof(gross) = 'text' AND json_array_length(gross, '$[0]') > 4"
  const isOfThem = `(?2 IS NULL OR +token IN (SELECT id FROM names WHERE name IN (SELECT value FROM json_each(?2))))`
  db.prepare(
    `UPDATE escrow_flows SET check_at = ?1, checks = 0 WHERE id IN (${newest}) AND ${isOfThem} AND NOT (${isAsked})`,
  ).run(now, tokens === null ? null : JSON.stringify(tokens))
}
