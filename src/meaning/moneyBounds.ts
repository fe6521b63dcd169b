import { parseDecimal } from '../bridge/amount.ts'
import { type Fee, findFee } from './findFee.ts'
import { movedToken, toCanonicalId } from '../bridge/movedToken.ts'
import type { TokenMove, Transfer } from '../bridge/transfer.ts'

/** What the comparison rests on beside records and movements. */
export interface MoneySettings {
  readonly fees: readonly Fee[]
  /** The same as it was learned, of a claim in any unit: what the configuration says nothing of. */
  readonly keptOf?: (transfer: Transfer, claimed: bigint) => Bounds
  /** What was kept of a transfer by the movements of its main transaction, in base units; null where they do not show it. */
  readonly keptHere?: (transfer: Transfer) => bigint | null
  /** Where deposits of a token go; empty when that is not known. */
  vaultsOf(token: string): readonly string[]
}

/** What may be kept of a transfer, and what may come beside it. */
export interface Bounds {
  readonly less: bigint
  readonly more: bigint
}

export interface Coin {
  readonly move: TokenMove
  readonly raw: bigint
}

export const exactly: Bounds = { less: 0n, more: 0n }

export function isWithin(moved: bigint, claimed: bigint, { less, more }: Bounds): boolean {
  return moved <= claimed + more && moved >= claimed - less
}

/** The movements of a transfer's token in base units; null when one of them is not known exactly. */
export function toCoins(moves: readonly TokenMove[], transfer: Transfer): Coin[] | null {
  const coins: Coin[] = []
  for (const move of moves) {
    if (move.token !== movedToken(transfer.token)) continue
    const isOtherUnit = move.amountRaw !== null && scaleOf(transfer) !== transfer.token.decimals
    const raw = isOtherUnit ? null : toRaw(move, scaleOf(transfer))
    if (raw === null) return null
    coins.push({ move, raw })
  }
  return coins
}

/** Far more digits than any token has: records without base units are compared in token units. */
const anyScale = 36

/** The decimals that amounts are compared with; null when the record has base units of unknown size. */
export function scaleOf({ token, amountRaw, amount }: Transfer): number | null {
  return token.decimals ?? (amountRaw === null && amount !== null ? anyScale : null)
}

/** What a record says in the units of the comparison; null when it says nothing. */
export function claimOf(transfer: Transfer): bigint | null {
  const { amountRaw, amount } = transfer
  return amountRaw ?? toRaw({ amountRaw, amount }, scaleOf(transfer))
}

/** A movement's amount in base units; null when the token's decimals are unknown or do not hold it. */
export function toRaw(move: Pick<TokenMove, 'amountRaw' | 'amount'>, decimals: number | null): bigint | null {
  if (move.amountRaw !== null) return move.amountRaw
  const decimal = parseDecimal(move.amount ?? '')
  if (decimal === null || decimals === null) return null
  if (decimal.scale <= decimals) return decimal.digits * 10n ** BigInt(decimals - decimal.scale)
  const cut = 10n ** BigInt(decimal.scale - decimals)
  return decimal.digits % cut === 0n ? decimal.digits / cut : null
}

/**
 * What may be kept of a transfer, in the units of the comparison: by the configuration, else by what was learned. A
 * payout may be less by it, never more; of a deposit the record may name what came or what is credited. A fee that may
 * be more than the whole is no reason for nothing to come: what is paid to somebody else would look like one.
 */
export function boundsOf(transfer: Transfer, settings: Pick<MoneySettings, 'fees' | 'keptOf'>): Bounds {
  const { less, more } = keptBounds(transfer, settings)
  const claimed = claimOf(transfer) ?? 0n
  return { less: claimed > 0n && less >= claimed ? claimed - 1n : less, more }
}

function keptBounds(transfer: Transfer, settings: Pick<MoneySettings, 'fees' | 'keptOf'>): Bounds {
  const isPayout = transfer.direction === 'ZoneToMain'
  const fee = findFee(settings.fees, transfer)
  if (!fee) {
    const learned = settings.keptOf?.(transfer, claimOf(transfer) ?? 0n) ?? exactly
    return isPayout ? { ...learned, more: 0n } : learned
  }
  const [decimals, max] = [scaleOf(transfer), parseDecimal(fee.max)]
  if (decimals === null || max === null) return exactly
  const most = (max.digits * 10n ** BigInt(decimals)) / 10n ** BigInt(max.scale)
  return { less: most, more: isPayout ? 0n : most }
}

export function recipientOf({ direction, targetAddress, token }: Transfer, settings: MoneySettings) {
  const vaults = direction === 'ZoneToMain' ? [] : settings.vaultsOf(token.address)
  return ({ to }: TokenMove): boolean => {
    if (direction === 'ZoneToMain') return targetAddress === '' || to === targetAddress
    // Bridges that mint on the other side may burn what is deposited.
    return vaults.length === 0 || vaults.includes(to) || /^0x0*$/.test(to)
  }
}

export function isSameId(transfer: Transfer, move: TokenMove): boolean {
  const { id } = transfer.token
  return (
    id === '' || move.tokenId === '' || isBatch(transfer) || toCanonicalId(id) === toCanonicalId(move.tokenId)
  )
}

export function isBatch(transfer: Transfer): boolean {
  return transfer.crossType === 'BatchWithdraw' || transfer.batchDetail !== null
}
