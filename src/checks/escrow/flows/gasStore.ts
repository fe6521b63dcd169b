import { type Decimal, sumDecimals } from '../../../bridge/decimal.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import { decimal } from '../../../store/bridgeCodecs.ts'
import type { Database } from '../../../store/database.ts'
import { numberOf } from '../../../store/names.ts'
import { selectFlows, type StoredFlow } from './flowRow.ts'
import { isGasRow } from './gas.ts'

/** What gas of a token all its escrows paid in a time, as far as it is taken for that: `until` is not in it. */
export function sumGas(
  db: Database,
  token: string,
  { from, until, upTo }: { readonly from: UnixMs; readonly until?: UnixMs; readonly upTo?: number },
): Decimal {
  const sql = `SELECT outward FROM escrow_flows WHERE token = ${numberOf('?')} AND at >= ? AND at < ? AND height <= ?
    AND verdict = 'explained' AND ${isGasRow}`
  const most = Number.MAX_SAFE_INTEGER
  return sumDecimals(decimal.all(db, sql, token, from, until ?? most, upTo ?? most))
}

/** All gas of a token since a time. */
export function listGasSince(db: Database, token: string, from: UnixMs): StoredFlow[] {
  const sql = `INDEXED BY escrow_flows_at WHERE token = ${numberOf('?')} AND at >= ? AND ${isGasRow}`
  return selectFlows(db, sql, token, from)
}
