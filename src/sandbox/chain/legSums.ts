import { nth } from '../../lib/nth.ts'
import { firstAbove, type SortedIndex } from '../sortedIndex.ts'
import type { Token } from '../tokens.ts'
import type { LegSums } from '../world.ts'

/** What the escrow held of a token, and the zone owed to its users, when the world began. */
export function baselineOf({ usual, decimals }: Token): bigint {
  return BigInt(Math.ceil(usual * 100_000)) * 10n ** BigInt(decimals)
}

/** What the legs up to a height changed, token by token; the running sums are brought to that place, forwards or back. */
export function sumLegs(
  sums: LegSums,
  legs: SortedIndex,
  height: number,
  changeOf: (number: number) => { readonly token: string; readonly change: bigint },
): ReadonlyMap<string, bigint> {
  const target = firstAbove(legs, height)
  const add = (place: number, sign: bigint) => {
    const { token, change } = changeOf(nth(legs.values, place))
    sums.byToken.set(token, (sums.byToken.get(token) ?? 0n) + sign * change)
  }
  while (sums.legs < target) add(sums.legs++, 1n)
  while (sums.legs > target) add(--sums.legs, -1n)
  return sums.byToken
}
