import { isBatch, type Transfer } from '../bridge/transfer.ts'
import { ofCrowd } from '../lib/ofCrowd.ts'
import { mayBeSeveral, readAction } from './zoneAction.ts'

/**
 * Withdrawals of one token that name one zone transaction of which nothing says that it does several things: the amount
 * that the zone gives it was taken once, whatever the records call themselves. Empty where that is not so.
 * @param sharing all transfers of the zone transaction
 */
export const listTakenOnce = ofCrowd((sharing: readonly Transfer[]): readonly Transfer[] => {
  const withdrawals = sharing.filter(({ direction }) => direction === 'ZoneToMain')
  const [first] = withdrawals
  const isOne = withdrawals.every(
    ({ token }) => token.address === first?.token.address && token.id === first.token.id,
  )
  return withdrawals.length > 1 && isOne && isTakenOnce(withdrawals) ? withdrawals : []
})

/** Whether the zone gives the transaction an amount, and its action lists no several things that could be one each. */
export const isTakenOnce = ofCrowd((sharing: readonly Transfer[]): boolean => {
  if (sharing.some(isBatch)) return false
  let hasAmount = false
  for (const { zone, evidence } of sharing)
    for (const { chain, hash, status, amountRaw, action } of evidence) {
      if (chain !== 'zone' || hash !== zone?.hash || status !== 'success') continue
      if (action !== undefined && listsSeveral(action)) return false
      hasAmount ||= (amountRaw ?? 0n) > 0n
    }
  return hasAmount
})

function listsSeveral(action: string): boolean {
  return (
    mayBeSeveral(action) &&
    readAction(action)
      .slice(0, -1)
      .some((items) => items.length > 1)
  )
}
