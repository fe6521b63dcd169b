import { movedToken } from '../bridge/movedToken.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { Ledger } from './ledger.ts'

/** Of one sender so many are looked at, the newest. */
const mostDeposits = 500

/**
 * Deposits of one sender that failed and that nothing shows to be credited, by the token that moves on the main chain: what
 * was locked for them may be given back.
 */
export function listFailedDeposits(
  ledger: Pick<Ledger, 'listTransfers'>,
  { sender, token }: { readonly sender: string; readonly token: string },
): Transfer[] {
  // One that never reached the zone is pending: nobody else can say that it failed.
  return (['failed', 'pending'] as const)
    .flatMap((state) => ledger.listTransfers({ state, direction: 'MainToZone', sender, limit: mostDeposits }))
    .filter(({ main, status }) => main !== null && status === 'failed')
    .filter((one) => !one.token.isUnknown && movedToken(one.token) === token && !isCredited(one))
}

/** The zone itself shows it, whatever the record says. */
function isCredited({ evidence, zone }: Transfer): boolean {
  return evidence.some((one) => one.chain === 'zone' && one.hash === zone?.hash && one.status === 'success')
}
