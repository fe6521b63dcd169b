import { type Decimal, subtractDecimals, sumDecimals } from '../../bridge/decimal.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { decimal } from '../../store/bridgeCodecs.ts'
import type { Database } from '../../store/database.ts'
import { hash as hashCodec } from '../../store/hash.ts'
import { numberOf } from '../../store/names.ts'
import { table } from '../../store/table.ts'
import { selectFlows, type StoredFlow } from './flowRow.ts'
import { ofReorganisation } from './flowStore.ts'

/** What listed movements changed a balance by, above one height up to another. */
export function sumListed(
  db: Database,
  of: { readonly escrow: string; readonly token: string },
  from: number,
  to: number,
): { readonly sum: Decimal; readonly count: number; readonly finest: number; readonly hashes: Set<string> } {
  const sql = `SELECT hash, net FROM escrow_flows WHERE escrow = ${numberOf('?')} AND token = ${numberOf('?')} AND height > ? AND height <= ? AND from_height IS NULL`
  const rows = nets.all(db, sql, of.escrow, of.token, from, to)
  return {
    sum: sumDecimals(rows.map(({ net }) => net)),
    count: rows.length,
    finest: Math.max(0, ...rows.map(({ net }) => net.scale)),
    hashes: new Set(rows.map(({ hash }) => hash)),
  }
}

const nets = table('escrow_flows', { hash: hashCodec, net: decimal })

/** Which movements: by the times of their blocks, `until` not among them, and by their heights, `above` not among them. */
interface Stretch {
  readonly from?: UnixMs
  readonly until?: UnixMs
  readonly above?: number
  readonly upTo?: number
}

/**
 * What moved of a token at its escrows, in − out; exact while movements are kept. What makes up for a reorganisation says only
 * how a balance that was read before it goes on, and a change of balance shows what is listed of it as well.
 */
export function sumMoved(
  db: Database,
  token: string,
  { from = 0, until = Number.MAX_SAFE_INTEGER, above = -1, upTo = Number.MAX_SAFE_INTEGER }: Stretch,
): Decimal {
  const where = `WHERE token = ${numberOf('?')} AND at >= ? AND at < ? AND height > ? AND height <= ?`
  const of = [token, from, until, above, upTo]
  const listed = `SELECT net FROM escrow_flows ${where} AND from_height IS NULL AND reason <> '${ofReorganisation}'`
  const gaps = selectFlows(db, `${where} AND from_height IS NOT NULL`, ...of)
  return sumDecimals([...decimal.all(db, listed, ...of), ...gaps.map((gap) => restOfGap(db, gap))])
}

/** What movements that were listed since do not make of a change of balance. */
export function restOfGap(db: Database, gap: StoredFlow): Decimal {
  return subtractDecimals(gap.net, sumListed(db, gap, gap.fromHeight ?? 0, gap.height).sum)
}

/** What left and is not judged yet, up to a height: it may turn out to be payouts. */
export function sumOpen(db: Database, token: string, to: number): Decimal {
  const sql = `SELECT outward FROM escrow_flows INDEXED BY escrow_flows_open WHERE verdict = 'open' AND token = ${numberOf('?')}
    AND height <= ? AND direction = 'out'`
  // What went back out of a deposit left no less behind than there was.
  return sumDecimals(decimal.all(db, sql, token, to).filter(({ digits }) => digits > 0n))
}
