import { parseDecimal } from './amount.ts'
import { movedToken } from './movedToken.ts'
import type { TokenMove, Transfer, TransferToken } from './transfer.ts'

/** A move's amount in base units; null when it is not known exactly. */
export function toRawAmount(move: TokenMove, decimals: number | null): bigint | null {
  if (move.amountRaw !== null) return move.amountRaw
  const amount = move.amount === null ? null : parseDecimal(move.amount)
  if (amount === null || decimals === null || amount.scale > decimals) return null
  return amount.digits * 10n ** BigInt(decimals - amount.scale)
}

/**
 * How much of a transfer's token came to rest with somebody in a transaction, base units: what routers only pass on is
 * counted once. Null when nothing of that token moved, or when an amount is not known.
 */
export function sumArrivals(moves: readonly TokenMove[], { token }: Transfer): bigint | null {
  const balances = new Map<string, bigint>()
  const add = (address: string, amount: bigint) =>
    balances.set(address, (balances.get(address) ?? 0n) + amount)
  const own = moves.filter((move) => isOwn(move, token))
  if (own.length === 0) return null
  for (const move of own) {
    const amount = toRawAmount(move, token.decimals)
    if (amount === null) return null
    add(move.to, amount)
    add(move.from, -amount)
  }
  return [...balances.values()].reduce((sum, balance) => (balance > 0n ? sum + balance : sum), 0n)
}

/** The most of a transfer's token that any one address sent in a transaction, base units; null as above. */
export function mostSent(moves: readonly TokenMove[], { token }: Transfer): bigint | null {
  const sent = new Map<string, bigint>()
  for (const move of moves.filter((one) => isOwn(one, token))) {
    const amount = toRawAmount(move, token.decimals)
    if (amount === null) return null
    sent.set(move.from, (sent.get(move.from) ?? 0n) + amount)
  }
  return sent.size === 0 ? null : [...sent.values()].reduce((most, one) => (one > most ? one : most), 0n)
}

function isOwn(move: TokenMove, token: TransferToken): boolean {
  return move.token === movedToken(token) && isSameId(move.tokenId, token.id)
}

/** Not every source names the token id. */
function isSameId(a: string, b: string): boolean {
  return a === '' || b === '' || a === b
}
