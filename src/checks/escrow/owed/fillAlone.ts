import type { Transfer } from '../../../bridge/transfer.ts'
import { fillFromZone } from '../../../ledger/deriving/fillFromZone.ts'
import { listKeysSharing } from '../../../ledger/transfers/named.ts'
import type { LearnedMoney } from '../../../meaning/learnedMoney.ts'
import type { Database } from '../../../store/database.ts'

/**
 * A transfer with the amount that its zone transaction says, where its record says none and no other transfer bears that
 * transaction: what it says is of all of them together.
 */
export function fillAlone(
  { db, learned }: { readonly db: Database; readonly learned: LearnedMoney },
  transfer: Transfer,
): Transfer {
  const { amount, amountRaw, zone } = transfer
  if (amount !== null || amountRaw !== null || zone === null) return transfer
  const sharing = listKeysSharing(db, 'zone', [zone.hash])?.get(zone.hash)
  return sharing?.length === 1 ? fillFromZone(transfer, learned) : transfer
}
