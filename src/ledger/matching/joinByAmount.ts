import { destinationLeg, originLeg, type Transfer } from '../../bridge/transfer.ts'

/** Two chains' clocks may differ by so much. */
const allowanceMs = 2_000

/**
 * The other half of a transfer that has one leg only, found by direction, token, amount and recipient alone. It must be the
 * only one that fits, and this the only one that fits it, in the order of time. Nothing is proven by it: it is found anew
 * at every look and never kept, because the next record may show that it was another's.
 * @param others transfers to the same recipient; all of them, or uniqueness means nothing
 */
export function joinByAmount(transfer: Transfer, others: readonly Transfer[]): Transfer | null {
  if (transfer.amountRaw === null || transfer.targetAddress === '' || half(transfer) === null) return null
  const equal = others.filter((other) => other.key !== transfer.key && hasEqualContent(transfer, other))
  const rivals = equal.filter((other) => half(other) === half(transfer))
  const partners = equal.filter((other) => half(other) !== null && half(other) !== half(transfer))
  const [partner] = partners
  if (!partner || partners.length > 1 || rivals.length > 0) return null
  return isInOrder(transfer, partner) ? partner : null
}

function half(transfer: Transfer): 'origin' | 'destination' | null {
  const hasOrigin = originLeg(transfer) !== null
  const hasDestination = destinationLeg(transfer) !== null
  return hasOrigin === hasDestination ? null : hasOrigin ? 'origin' : 'destination'
}

function hasEqualContent(a: Transfer, b: Transfer): boolean {
  return (
    a.direction === b.direction &&
    a.token.address === b.token.address &&
    a.token.id === b.token.id &&
    a.amountRaw === b.amountRaw &&
    a.targetAddress === b.targetAddress &&
    (a.id === null || b.id === null || a.id === b.id)
  )
}

function isInOrder(a: Transfer, b: Transfer): boolean {
  const [left, right] = half(a) === 'origin' ? [a, b] : [b, a]
  const leftAt = originLeg(left)?.time ?? null
  const rightAt = destinationLeg(right)?.time ?? null
  return leftAt !== null && rightAt !== null && leftAt <= rightAt + allowanceMs
}
