import { type Decimal, sumDecimals, toDecimal } from '../bridge/decimal.ts'
import { movedToken } from '../bridge/movedToken.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { Ledger } from './ledger.ts'

/** Of one sender so many are looked at, the newest. */
const mostDeposits = 500

/**
 * Deposits of one sender that failed and that nothing shows to be credited, by the token that moves on the main chain, the
 * newest first: what was locked for them may be given back.
 */
export function listFailedDeposits(
  ledger: Pick<Ledger, 'pageTransfers'>,
  { sender, token }: { readonly sender: string; readonly token: string },
): Transfer[] {
  if (sender === '') return []
  const page = { direction: 'MainToZone', sender, limit: mostDeposits, after: null } as const
  // One that never reached the zone is pending: nobody else can say that it failed.
  return (['failed', 'pending'] as const)
    .flatMap((state) => ledger.pageTransfers({ ...page, state }).transfers)
    .filter((one) => one.main !== null && isFailedDeposit(one))
    .filter((one) => !one.token.isUnknown && movedToken(one.token) === token)
    .toSorted((a, b) => (b.main?.height ?? 0) - (a.main?.height ?? 0))
}

/** Of a token so many are looked at, the newest. */
const mostOfToken = 200

/** What deposits of a token that failed locked, whoever made them; null where that is not known of all of them. */
export function sumFailedDeposits(ledger: Pick<Ledger, 'pageTransfers'>, token: string): Decimal | null {
  const page = { direction: 'MainToZone', limit: mostOfToken, after: null } as const
  const pages = (['failed', 'pending'] as const).map((state) => ledger.pageTransfers({ ...page, state }))
  if (pages.some(({ next }) => next !== null)) return null
  const amounts = pages
    .flatMap(({ transfers }) => transfers)
    .filter((one) => one.main !== null && isFailedDeposit(one) && !one.token.isUnknown)
    .filter((one) => movedToken(one.token) === token)
    .map(({ amount }) => toDecimal(amount ?? ''))
  const known = amounts.filter((amount) => amount !== null)
  return known.length < amounts.length ? null : sumDecimals(known)
}

export function isFailedDeposit(transfer: Transfer): boolean {
  const { direction, status } = transfer
  return direction === 'MainToZone' && status === 'failed' && !isCredited(transfer)
}

/** Whether the zone itself shows it, whatever the record says. */
function isCredited({ evidence }: Transfer): boolean {
  return evidence.some(({ chain, status }) => chain === 'zone' && status === 'success')
}
