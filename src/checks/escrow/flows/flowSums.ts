import { type Decimal, subtractDecimals, sumDecimals } from '../../../bridge/decimal.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { decimal } from '../../../store/bridgeCodecs.ts'
import type { Database } from '../../../store/database.ts'
import { hash as hashCodec } from '../../../store/hash.ts'
import { numberOf } from '../../../store/names.ts'
import { table } from '../../../store/table.ts'
import { readWrapping } from '../../../store/wrapping.ts'
import { selectFlows, type StoredFlow, listFlowsOf, ofReorganisation } from './flowRow.ts'
import { wrapId } from './flow.ts'
import { hasWrapped } from './wrapped.ts'

/** What listed movements changed a balance by, above one height up to another. */
export function sumListed(
  db: Database,
  of: { readonly escrow: string; readonly token: string },
  from: number,
  to: number,
): { readonly sum: Decimal; readonly count: number; readonly finest: number; readonly hashes: Set<string> } {
  const where = `WHERE token = ${numberOf('?')} AND escrow = ${numberOf('?')} AND height > ? AND height <= ?`
  const ends = [of.escrow, from, to]
  const sql = `SELECT hash, net FROM escrow_flows ${where} AND from_height IS NULL`
  const rows = [...nets.all(db, sql, of.token, ...ends), ...listUnlisted(db, of.token, where, ends)]
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

const mostNumber = Number.MAX_SAFE_INTEGER

/**
 * What moved of a token at its escrows, in − out; exact while movements are kept. What makes up for a reorganisation says only
 * how a balance that was read before it goes on, and a change of balance shows what is listed of it as well.
 */
export function sumMoved(
  db: Database,
  token: string,
  { from = 0, until = mostNumber, above = -1, upTo = mostNumber }: Stretch,
): Decimal {
  const where = `WHERE token = ${numberOf('?')} AND at >= ? AND at < ? AND height > ? AND height <= ?`
  const ends = [from, until, above, upTo]
  const listed = `SELECT net FROM escrow_flows ${where} AND from_height IS NULL AND reason <> '${ofReorganisation}'`
  const gaps = selectFlows(db, `${where} AND from_height IS NOT NULL`, token, ...ends)
  return sumDecimals([
    ...decimal.all(db, listed, token, ...ends),
    ...gaps.map((gap) => restOfGap(db, gap)),
    ...listUnlisted(db, token, where, ends).map(({ net }) => net),
  ])
}

/**
 * Of the wrapped native currency, where its wrapper lists no movement: what escrows paid to it is what it made, and the other
 * way round.
 * @param where which movements, with the token first, and the other values of it
 */
function listUnlisted(
  db: Database,
  token: string,
  where: string,
  values: readonly (string | number)[],
): { readonly hash: string; readonly net: Decimal }[] {
  if (token === '' || token !== readWrapping(db).wrappedNative) return []
  const sql = `${where} AND typeof(gross) = 'text' AND instr(gross, '"${wrapId}"') > 0`
  const natives = selectFlows(db, sql, '', ...values)
  return natives.flatMap((native) => {
    if (hasWrapped(listFlowsOf(db, native.hash, token))) return []
    const moves = native.gross.filter(({ id }) => id === wrapId)
    const net = sumDecimals(moves.map((move) => subtractDecimals(move.out, move.in)))
    return [{ hash: native.hash, net }]
  })
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
