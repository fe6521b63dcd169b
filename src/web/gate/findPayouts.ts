import { compareDecimals, type Decimal, toDecimal } from '../../bridge/decimal.ts'
import { shortHash } from '../../lib/shortHash.ts'
import { movedToken } from '../../bridge/movedToken.ts'
import { destinationLeg, isBatch, originLeg, paidBefore, type Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { PossiblePayout, Rival } from './gateFacts.ts'

/** Money that left an escrow, and that no transfer explains. */
interface Leaving {
  readonly hash: string
  readonly at: UnixMs
  /** Who got it; '' where that is not known. */
  readonly party: string
  /** Token units. */
  readonly outward: Decimal
}

/** What the ledger holds around a transfer. */
export interface Around {
  /** Where any record of it ever said that it arrived, oldest first. */
  readonly named: readonly { readonly hash: string; readonly source: string; readonly at: UnixMs }[]
  /** Transfers that bear its origin's hash, itself included. */
  readonly sharing: readonly Transfer[]
  /** What arrived for its recipient and is of no origin yet. */
  readonly strays: readonly Transfer[]
  readonly leaving: readonly Leaving[]
}

/** Everything that is its payout, or may be. */
export function findPayouts(transfer: Transfer, around: Around): PossiblePayout[] {
  return [
    ...listNamed(transfer, around),
    ...listEarlier(transfer),
    ...listOfOrigin(transfer, around.sharing),
    ...around.strays.filter((stray) => isStray(stray, transfer)).map((stray) => toPossible(stray)),
    ...around.leaving.filter((move) => mayPay(move, transfer)).map(toLeft),
  ]
}

/** What a record named and a second source does not have, or knows to have failed, paid nothing. */
function listNamed(transfer: Transfer, { named }: Around): PossiblePayout[] {
  const own = destinationLeg(transfer)
  const all = own === null ? named : [...named, { hash: own.hash, source: 'E3', at: transfer.readAt }]
  const byHash = new Map(all.map((one) => [one.hash, one]))
  return [...byHash.values()].flatMap(({ hash, source, at }) => {
    const said = transfer.evidence.filter(
      (one) => one.hash === hash && one.chain !== originLeg(transfer)?.chain,
    )
    const isThere = said.some(({ status }) => status === 'success')
    const isOwn = own?.hash === hash
    if (!isOwn && !isThere && said.length > 0) return []
    const says = isOwn
      ? `its record names ${hash} as the payout`
      : `a record named ${hash} as the payout, and ${isThere ? 'the chain has it' : 'nobody knows what became of it'}`
    return [{ hash, source, at, says, isCertain: isOwn || isThere }]
  })
}

/** A transaction of before the ledger paid this origin. */
function listEarlier(transfer: Transfer): PossiblePayout[] {
  const origin = originLeg(transfer)
  return transfer.evidence.flatMap((one) => {
    const paidIn = one.hash === origin?.hash ? paidBefore(transfer, one) : null
    if (paidIn === null) return []
    const says = `${paidIn} names this origin and paid it`
    return [{ hash: paidIn, source: 'E19', at: one.at, says, isCertain: true }]
  })
}

/** Payouts that name this very origin: of another item of it they are another's, of what nobody can tell apart they may be this one's. */
function listOfOrigin(transfer: Transfer, sharing: readonly Transfer[]): PossiblePayout[] {
  return listOfSame(transfer, sharing).flatMap((other) => {
    const paid = destinationLeg(other)
    if (paid === null) return []
    const isClaimed = other.claim !== undefined && other.claim.hash === originLeg(transfer)?.hash
    const says = isClaimed
      ? `${paid.hash} paid, and its own event names this origin`
      : `${other.key} has the same origin, and was paid in ${paid.hash}`
    return [
      {
        hash: paid.hash,
        source: 'E3',
        at: other.readAt,
        says,
        isCertain: isClaimed || isSameItem(transfer, other),
      },
    ]
  })
}

/** Others that are not paid and not known to be other items of its origin. */
export function findRivals(transfer: Transfer, sharing: readonly Transfer[]): Rival[] {
  return listOfSame(transfer, sharing)
    .filter((other) => destinationLeg(other) === null)
    .map((other) => ({ key: other.key, isSame: isSameItem(transfer, other) }))
}

function listOfSame(transfer: Transfer, sharing: readonly Transfer[]): Transfer[] {
  return sharing.filter(
    (other) =>
      other.key !== transfer.key && other.direction === transfer.direction && !isOtherItem(transfer, other),
  )
}

/** One origin transaction may hold several withdrawals, each with an index of its own; a batch, several rows under one. */
function isOtherItem(a: Transfer, b: Transfer): boolean {
  if (a.id !== null && a.id === b.id) return false
  if (a.zoneEventIndex !== null && b.zoneEventIndex !== null && a.zoneEventIndex !== b.zoneEventIndex)
    return true
  return isBatch(a) && isBatch(b) && a.zoneEventIndex === b.zoneEventIndex && !isEqual(a, b)
}

function isSameItem(a: Transfer, b: Transfer): boolean {
  if (a.id !== null && a.id === b.id) return true
  return a.zoneEventIndex !== null && a.zoneEventIndex === b.zoneEventIndex
}

function isEqual(a: Transfer, b: Transfer): boolean {
  return (
    a.token.address === b.token.address &&
    a.token.id === b.token.id &&
    a.amountRaw === b.amountRaw &&
    a.targetAddress === b.targetAddress
  )
}

/** A payout without an origin, to the same recipient, of the same token, after value left. */
function isStray(stray: Transfer, transfer: Transfer): boolean {
  const paid = destinationLeg(stray)
  if (stray.key === transfer.key || stray.direction !== transfer.direction) return false
  if (paid === null || originLeg(stray) !== null || (paid.time ?? Infinity) < transfer.originAt) return false
  return stray.token.isUnknown === true || movedToken(stray.token) === movedToken(transfer.token)
}

function toPossible(stray: Transfer): PossiblePayout {
  const hash = destinationLeg(stray)?.hash ?? null
  const says = `${hash ?? stray.key} paid the same token to the same recipient, and of which origin is not known yet`
  return { hash, source: 'E3', at: stray.readAt, says, isCertain: false }
}

/** Out of an escrow, to its recipient or to nobody known, or just as much. */
function mayPay({ at, party, outward }: Leaving, { originAt, targetAddress, amount }: Transfer): boolean {
  if (at < originAt) return false
  const own = toDecimal(amount ?? '')
  if (party === '' || party.toLowerCase() === targetAddress.toLowerCase() || own === null) return true
  return compareDecimals(outward, own) === 0
}

function toLeft({ hash, at }: Leaving): PossiblePayout {
  const isTransaction = hash.startsWith('0x')
  const what = isTransaction ? shortHash(hash) : 'a change of its balance'
  const says = `money left the escrow by ${what}, and no transfer explains it yet`
  return { hash: isTransaction ? hash : null, source: 'E6, E8', at, says, isCertain: false }
}
