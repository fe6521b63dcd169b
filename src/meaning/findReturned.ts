import { type Decimal, fromBaseUnits, sumDecimals, toDecimal } from '../bridge/decimal.ts'
import { movedToken } from '../bridge/movedToken.ts'
import type { TokenMove, Transfer } from '../bridge/transfer.ts'
import { coverMoney } from './coverMoney.ts'
import type { MoneySettings } from './moneyBounds.ts'

/**
 * What went to the sender of a deposit by its own main transaction, token units, where the money of all its transfers is
 * there without that; null where it is not, or nothing did.
 * @param isEscrow whether what an address pays of a token is judged apart
 */
export function findReturned(
  transfer: Transfer,
  sharing: readonly Transfer[],
  moves: readonly TokenMove[],
  settings: MoneySettings,
  isEscrow: (address: string, token: string) => boolean,
): Decimal | null {
  const { direction, sourceAddress, token } = transfer
  if (direction !== 'MainToZone' || sourceAddress === '') return null
  const moved = movedToken(token)
  const isReturn = (move: TokenMove) =>
    move.token === moved && move.to === sourceAddress && isEscrow(move.from, moved)
  const amounts = moves.filter(isReturn).map(({ amount, amountRaw }) => {
    if (amountRaw === null) return toDecimal(amount ?? '')
    return token.decimals === null ? null : fromBaseUnits(amountRaw, token.decimals)
  })
  const known = amounts.filter((amount) => amount !== null)
  if (known.length === 0 || known.length < amounts.length) return null
  const others = moves.filter((move) => !isReturn(move))
  return coverMoney(transfer, sharing, others, settings) === 'covered' ? sumDecimals(known) : null
}
