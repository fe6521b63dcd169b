import { movedToken } from '../bridge/movedToken.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { Ledger } from './ledger.ts'

/** Of one sender so many are looked at, the newest. */
const mostDeposits = 100

/** Deposits of one sender that failed, by the token that moves on the main chain: what was locked for them may be given back. */
export function listFailedDeposits(
  ledger: Pick<Ledger, 'listTransfers'>,
  { sender, token }: { readonly sender: string; readonly token: string },
): Transfer[] {
  return ledger
    .listTransfers({ state: 'failed', direction: 'MainToZone', address: sender, limit: mostDeposits })
    .filter((one) => one.main !== null && one.sourceAddress === sender)
    .filter((one) => !one.token.isUnknown && movedToken(one.token) === token)
}
