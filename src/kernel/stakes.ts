import type { Decimal } from '../bridge/decimal.ts'

/** How much is at stake: what the escrows hold of each token. */
export interface Stakes {
  /** What the escrows hold of a token, base units; null while that is not known. */
  reserveOf(token: string): bigint | null
  /** An amount in token units as a share of that, about, for ordering many; 0 where nothing is known. */
  riskOf(token: string, amount: Decimal): number
}

/** Knows nothing until somebody who does is followed. */
export interface FollowedStakes extends Stakes {
  follow(stakes: Stakes): void
}

export function createStakes(): FollowedStakes {
  let followed: Stakes = { reserveOf: () => null, riskOf: () => 0 }
  return {
    reserveOf: (token) => followed.reserveOf(token),
    riskOf: (token, amount) => followed.riskOf(token, amount),
    follow(stakes) {
      followed = stakes
    },
  }
}
