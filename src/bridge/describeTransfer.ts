import { canonicalToken } from './movedToken.ts'
import { groupDigits } from '../lib/groupDigits.ts'
import { inBrackets } from '../lib/text.ts'
import type { FindingLabels } from './finding.ts'
import type { Transfer } from './transfer.ts'

/**
 * A transfer in full, for people: what it is and both hashes, unshortened. A hash that is not known is said to be so.
 * @example describeTransfer(transfer) // 'Withdraw, zone 0x…, main not seen'
 */
export function describeTransfer(transfer: Transfer): string {
  const what = transfer.crossType || (transfer.direction === 'MainToZone' ? 'Deposit' : 'Withdraw')
  const legs = [`zone ${transfer.zone?.hash ?? 'not seen'}`, `main ${transfer.main?.hash ?? 'not seen'}`]
  return [what, ...(transfer.direction === 'MainToZone' ? legs.reverse() : legs)].join(', ')
}

/** @example nameTransfer(transfer) // 'Withdrawal of 1,250,000.5 USDC' */
export function nameTransfer(transfer: Transfer): string {
  return `${transfer.direction === 'MainToZone' ? 'Deposit' : 'Withdrawal'} of ${amountOf(transfer)}`
}

/** Exact, with the token: its symbol where the configuration lists it, else the untrusted name in brackets. */
export function amountOf(transfer: Transfer): string {
  const { amount, amountRaw } = transfer
  const token = tokenOf(transfer)
  if (amount !== null) return `${groupDigits(amount)} ${token}`
  return amountRaw === null
    ? `an unknown amount of ${token}`
    : `${groupDigits(amountRaw.toString())} base units of ${token}`
}

export function tokenOf({ token }: Pick<Transfer, 'token'>): string {
  const name = token.symbol ?? (token.name === '' ? nameOf(token) : inBrackets(token.name))
  return token.id === '' ? name : `${name} #${token.id}`
}

/** Of one that no record gives a name. */
function nameOf({ address, isUnknown, type }: Transfer['token']): string {
  if (canonicalToken(address) !== '') return address
  return isUnknown || type !== '' ? inBrackets('') : 'native currency'
}

export function labelTransfer(transfer: Transfer): FindingLabels {
  return {
    direction: transfer.direction,
    ...(transfer.token.address !== '' && { token: transfer.token.address }),
    ...(transfer.token.symbol !== null && { symbol: transfer.token.symbol }),
  }
}
