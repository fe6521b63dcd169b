import { type Decimal, noAmount } from '../bridge/decimal.ts'
import type { UnixMs } from '../lib/clock.ts'

/** How much is at stake: what the escrows hold of each token, and what their lists show that moved. */
export interface Stakes {
  /** What the escrows hold of a token, base units; null while that is not known. */
  reserveOf(token: string): bigint | null
  /** From when on that is known; left out, of all times. */
  reserveSince?(token: string): UnixMs | null
  /** An amount in token units as a share of that, about, for ordering many; 0 where nothing is known. */
  riskOf(token: string, amount: Decimal): number
  /** What the lists of escrows show that a main transaction moved of a token; null while they show nothing of it at all. */
  netOf(hash: string, token: string): EscrowNets | null
  /** What deposits that failed locked and nothing else than this main transaction gave back, token units. */
  lockedOf(of: LockedBy): Decimal
}

export interface LockedBy {
  readonly sender: string
  /** As it moves on the main chain. */
  readonly token: string
  readonly mainHash: string
}

export interface EscrowNets {
  /** The block time of the oldest movement of the token: nothing is known of before. */
  readonly since: UnixMs
  /** In − out, token units, by the escrow whose list shows it. */
  readonly nets: ReadonlyMap<string, Decimal>
}

/** Knows nothing until somebody who does is followed. */
export interface FollowedStakes extends Stakes {
  follow(stakes: Stakes): void
}

export function createStakes(): FollowedStakes {
  let followed: Stakes = {
    reserveOf: () => null,
    riskOf: () => 0,
    netOf: () => null,
    lockedOf: () => noAmount,
  }
  return {
    reserveOf: (token) => followed.reserveOf(token),
    reserveSince: (token) => followed.reserveSince?.(token) ?? null,
    riskOf: (token, amount) => followed.riskOf(token, amount),
    netOf: (hash, token) => followed.netOf(hash, token),
    lockedOf: (of) => followed.lockedOf(of),
    follow(stakes) {
      followed = stakes
    },
  }
}
