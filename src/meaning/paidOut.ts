import { compareDecimals, type Decimal, fromBaseUnits, toDecimal } from '../bridge/decimal.ts'
import { mostSent, sumArrivals } from '../bridge/tokenFlow.ts'
import { mostMoves, type Transfer } from '../bridge/transfer.ts'
import { moneyEvidence } from './moneyEvidence.ts'

/**
 * What a payout took out of the bridge, token units: what its own transaction moved, where that is known and less than
 * the record says, as where a fee was kept; else the record's amount. Null where neither is known. What the payer was
 * given back in the same transaction left all the same, since it may count as a deposit.
 */
export function paidOut(transfer: Transfer): Decimal | null {
  const recorded = toDecimal(transfer.amount ?? '')
  const moved = movedBy(transfer)
  if (recorded === null || moved === null) return recorded
  // Beyond its record lies what others are paid by the same transaction.
  return compareDecimals(moved, recorded) < 0 ? moved : recorded
}

function movedBy(transfer: Transfer): Decimal | null {
  const { decimals } = transfer.token
  if (transfer.direction !== 'ZoneToMain' || decimals === null) return null
  const moves = moneyEvidence(transfer).find((by) => by.status === 'success' && by.moves !== null)?.moves
  // Of more movements than are kept nobody knows the sum.
  if (moves == null || moves.length >= mostMoves) return null
  const [rested, sent] = [sumArrivals(moves, transfer), mostSent(moves, transfer)]
  if (rested === null || sent === null) return null
  const most = rested > sent ? rested : sent
  return most === 0n ? null : fromBaseUnits(most, decimals)
}
