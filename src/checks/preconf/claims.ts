import { floorBaseUnits, toBaseUnits, toDecimal } from '../../bridge/decimal.ts'
import { canonicalToken, heldAs, movedToken, nativeDecimals, toCanonicalId } from '../../bridge/movedToken.ts'
import { isBatch, type Transfer } from '../../bridge/transfer.ts'
import { mostOfTransaction } from '../../ledger/transfers/transferRows.ts'
import { readDecimals } from '../../ledger/lessons/tokenBook.ts'
import type { Claim } from './fitPayout.ts'
import type { Payout } from './payout.ts'
import type { PayoutWatch, Waiting } from './payoutWatch.ts'

/** What the ledger knows of a payout. */
export interface KnownClaims {
  /** What its event names, and what is proven to be paid by it. */
  readonly named: readonly Transfer[]
  readonly pending: readonly Transfer[]
}

/** Anybody can send many withdrawals to a recipient, or with another one: what is paid may be any of them. */
const mostShared = mostOfTransaction
const mostOfRecipient = 5_000

/** What a payout's events name and no withdrawal bears that was known before, and what records of the payout itself name. */
export function listUnknownNames(of: PayoutWatch, waiting: Waiting): string[] {
  const { ledger } = of
  const { hash, names } = waiting
  const unknown = names.filter(
    (name) =>
      !ledger
        .listSharing('zone', name, mostShared)
        .some((transfer) => transfer.zone?.hash === name && isKnownBefore(transfer, waiting)),
  )
  const own = ledger
    .listTransfers({ hash, direction: 'ZoneToMain', limit: mostShared })
    .filter((transfer) => transfer.main?.hash === hash && !isKnownBefore(transfer, waiting))
  return [...new Set([...unknown, ...own.flatMap(({ zone }) => zone?.hash ?? [])])]
}

/** The record of this very payout says what it pays; only proof of that is word of another. */
function isKnownBefore({ main, firstSeenAt, originProof }: Transfer, { hash, seenAt }: Waiting): boolean {
  return main?.hash !== hash || firstSeenAt < seenAt || originProof === 'proven'
}

/**
 * Withdrawals that this transaction may pay.
 * @param pays whether another preconfirmed transaction, by its hash, pays what it was set beside
 */
export function listClaims(of: PayoutWatch, waiting: Waiting, pays: (hash: string) => boolean): KnownClaims {
  const { ledger, used } = of
  const isFree = (transfer: Transfer) => {
    if (!isPayable(transfer, waiting)) return false
    // Its record may have named another one first, whose block was replaced; whether that one stands is asked elsewhere.
    if (transfer.main?.hash === waiting.hash) return true
    const by = used.get(transfer.key)
    return by === undefined || by === waiting.hash || !pays(by)
  }
  const bearing = [
    ...waiting.names.flatMap((name) => ledger.listSharing('zone', name, mostShared)),
    ...ledger.listTransfers({ hash: waiting.hash, limit: mostShared }),
  ]
  const named = unique(bearing.filter(isFree))
  const recipients = [...new Set(waiting.payouts.flatMap(({ outs }) => outs.map(({ to }) => to)))]
  const own = recipients.flatMap((address) =>
    ledger.listTransfers({ address, direction: 'ZoneToMain', state: 'pending', limit: mostOfRecipient }),
  )
  const open = waiting.payouts.some(({ outs }) => outs.length > 1)
    ? ledger.listPending({ direction: 'ZoneToMain', originAtOrBefore: of.clock.now() })
    : []
  const pending = unique([...own, ...[...open].filter(isBatch)]).filter(
    (transfer) =>
      transfer.main === null && isFree(transfer) && !named.some(({ key }) => key === transfer.key),
  )
  return { named, pending }
}

function isPayable(transfer: Transfer, waiting: Waiting): boolean {
  const { direction, main, state, zone } = transfer
  if (direction !== 'ZoneToMain' || zone === null || state === 'failed') return false
  return (main === null || main.hash === waiting.hash) && isKnownBefore(transfer, waiting)
}

function unique(transfers: readonly Transfer[]): Transfer[] {
  return [...new Map(transfers.map((transfer) => [transfer.key, transfer])).values()]
}

/** Withdrawals as what may be paid of this payout's token and id. */
export function toClaims(of: PayoutWatch, payout: Payout, transfers: readonly Transfer[]): Claim[] {
  const decimals = decimalsOf(of, payout.token)
  return transfers.flatMap((transfer): Claim[] => {
    if (!isOfToken(of, transfer, payout)) return []
    const { amount, amountRaw, key, targetAddress } = transfer
    const units = toDecimal(amount ?? '')
    const exact = units !== null && decimals !== null ? toBaseUnits(units, decimals) : null
    const less = of.mostKept(transfer).less
    return [
      {
        key,
        recipient: targetAddress,
        // One that does not say how much may bring all of it.
        raw: exact ?? amountRaw ?? payout.net,
        less: decimals === null ? 0n : floorBaseUnits(less, decimals),
        isBatch: isBatch(transfer),
      },
    ]
  })
}

/**
 * Until it is learned what a record's token moves as on the main chain it may be any: an accusation before the block
 * waits for that, since the checks that read blocks do not.
 */
function isOfToken({ config, stakes }: PayoutWatch, transfer: Transfer, { token, tokenId }: Payout): boolean {
  const { token: own } = transfer
  const isOpen = own.movedAs === undefined && stakes.reserveOf(canonicalToken(own.address)) === null
  const held = heldAs(movedToken(own), config.bridge)
  if (own.isUnknown !== true && held !== token && !isOpen) return false
  return tokenId === '' || own.id === '' || isBatch(transfer) || toCanonicalId(own.id) === tokenId
}

export function decimalsOf({ config, db }: Pick<PayoutWatch, 'config' | 'db'>, token: string): number | null {
  if (token === '' || token === config.bridge.wrappedNative) return nativeDecimals
  return settingOf({ config }, token)?.decimals ?? readDecimals(db, token)
}

/** What the configuration says of a token; undefined where it names none such. */
export function settingOf({ config }: Pick<PayoutWatch, 'config'>, token: string) {
  return config.bridge.tokens.find(({ address }) => canonicalToken(address) === token)
}
