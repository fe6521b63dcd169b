import { claimOf, toCoins } from './coverMoney.ts'
import type { TokenMove, Transfer } from '../bridge/transfer.ts'

/**
 * Where a deposit came to rest: who got more than half of it and did not pass it on. Null where nobody did, or several
 * that cannot be told apart: whoever deposits may send anything to anybody beside it.
 * @param vaults where deposits of this token are known to go: what went there says nothing of others
 */
export function findRestingPlace(
  transfer: Transfer,
  moves: readonly TokenMove[],
  vaults: readonly string[],
): string | null {
  const coins = toCoins(moves, transfer) ?? []
  const senders = new Set(coins.map(({ move }) => move.from))
  const got = new Map<string, bigint>()
  for (const { move, raw } of coins) got.set(move.to, (got.get(move.to) ?? 0n) + raw)
  const main = [...got].flatMap(([to, raw]) =>
    to !== '' && !senders.has(to) && raw * 2n > (claimOf(transfer) ?? 0n) ? [to] : [],
  )
  const known = main.filter((to) => vaults.includes(to))
  const [only, ...others] = known.length > 0 ? known : main
  return only === undefined || others.length > 0 ? null : only
}
