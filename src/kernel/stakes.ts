import type { Decimal } from '../bridge/decimal.ts'

/** How much is at stake: what the escrows hold of each token, and what their lists show that moved. */
export interface Stakes {
  /** What the escrows hold of a token, base units; null while that is not known. */
  reserveOf(token: string): bigint | null
  /** An amount in token units as a share of that, about, for ordering many; 0 where nothing is known. */
  riskOf(token: string, amount: Decimal): number
  /** In − out of a token by a main transaction, token units, by the escrow whose list shows it; null while no list is read. */
  netOf(hash: string, token: string): ReadonlyMap<string, Decimal> | null
}

/** Knows nothing until somebody who does is followed. */
export interface FollowedStakes extends Stakes {
  follow(stakes: Stakes): void
}

export function createStakes(): FollowedStakes {
  let followed: Stakes = { reserveOf: () => null, riskOf: () => 0, netOf: () => null }
  return {
    reserveOf: (token) => followed.reserveOf(token),
    riskOf: (token, amount) => followed.riskOf(token, amount),
    netOf: (hash, token) => followed.netOf(hash, token),
    follow(stakes) {
      followed = stakes
    },
  }
}
