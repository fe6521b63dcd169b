import type { Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'

/** Where a withdrawal stands by the rules of its bridge. */
export interface Standing {
  /** `left`: nothing of it was proposed yet. */
  readonly stage: string
  readonly since: UnixMs
  /** When the stage is over by its duration; null where it has none. */
  readonly until: UnixMs | null
  /** It was proven, and what it was proven by was taken back. */
  readonly isAgain: boolean
}

interface Stages {
  /** Null where the bridge has no stages, or nothing is known of this transfer's. */
  standingOf(transfer: Transfer, now: UnixMs): Standing | null
}

/** Knows nothing until somebody who does is followed. */
export interface FollowedStages extends Stages {
  follow(stages: Stages): void
}

export function createStages(): FollowedStages {
  let followed: Stages = { standingOf: () => null }
  return {
    standingOf: (transfer, now) => followed.standingOf(transfer, now),
    follow(stages) {
      followed = stages
    },
  }
}

/** The challenge status of main transactions, as whoever reads it says. */
interface ChallengeWords {
  statusOf(hash: string): { readonly status: string; readonly since: UnixMs } | null
}

export interface FollowedWords extends ChallengeWords {
  follow(words: ChallengeWords): void
}

export function createChallengeWords(): FollowedWords {
  let followed: ChallengeWords = { statusOf: () => null }
  return {
    statusOf: (hash) => followed.statusOf(hash),
    follow(words) {
      followed = words
    },
  }
}
