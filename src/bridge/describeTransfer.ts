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

export function labelTransfer(transfer: Transfer): FindingLabels {
  return {
    direction: transfer.direction,
    ...(transfer.token.address !== '' && { token: transfer.token.address }),
    ...(transfer.token.symbol !== null && { symbol: transfer.token.symbol }),
  }
}
