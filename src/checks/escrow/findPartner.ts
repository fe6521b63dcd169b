import { compareDecimals, subtractDecimals, toDecimal } from '../../bridge/decimal.ts'
import type { EscrowFlow } from './flow.ts'
import type { MostKept } from '../../meaning/mostKept.ts'
import { movedToken } from '../../bridge/movedToken.ts'
import type { Transfer } from '../../bridge/transfer.ts'

/**
 * The one withdrawal on its way that a movement may be the payout of: its token, its recipient, its amount but for a
 * fee. Null when none fits, or several do.
 */
export function findPartner(
  flow: Pick<EscrowFlow, 'token' | 'outward' | 'party'>,
  pending: Iterable<Transfer>,
  mostKept: MostKept,
): Transfer | null {
  const fitting: Transfer[] = []
  for (const transfer of pending) {
    if (transfer.main !== null || !fits(flow, transfer, mostKept)) continue
    if (fitting.push(transfer) > 1) return null
  }
  return fitting[0] ?? null
}

function fits(
  flow: Pick<EscrowFlow, 'token' | 'outward' | 'party'>,
  transfer: Transfer,
  mostKept: MostKept,
): boolean {
  if (transfer.direction !== 'ZoneToMain' || transfer.status === 'failed') return false
  if (movedToken(transfer.token) !== flow.token || transfer.targetAddress !== flow.party) return false
  const amount = toDecimal(transfer.amount ?? '')
  if (amount === null) return false
  const kept = subtractDecimals(amount, flow.outward)
  return kept.digits >= 0n && compareDecimals(kept, mostKept(transfer).less) <= 0
}
