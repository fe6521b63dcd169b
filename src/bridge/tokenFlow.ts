import { parseDecimal } from './amount.ts'
import { movedToken } from './movedToken.ts'
import type { TokenMove, Transfer } from './transfer.ts'

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
  const own = moves.filter((move) => move.token === movedToken(token) && isSameId(move.tokenId, token.id))
  if (own.length === 0) return null
  for (const move of own) {
    const amount = toRawAmount(move, token.decimals)
    if (amount === null) return null
    add(move.to, amount)
    add(move.from, -amount)
  }
  return [...balances.values()].reduce((sum, balance) => (balance > 0n ? sum + balance : sum), 0n)
}

/** Not every source names the token id. */
function isSameId(a: string, b: string): boolean {
  return a === '' || b === '' || a === b
}
