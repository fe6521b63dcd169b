import type { UnixMs } from '../lib/clock.ts'
import type { EscrowLine } from './views/readEscrows.ts'

export const escrowPeriods = ['hour', 'day', 'week', 'month'] as const
export type EscrowPeriod = (typeof escrowPeriods)[number]

/** What is asked of one token's escrows. */
export interface EscrowQuery {
  /** An address in lower case; '' is the native currency. */
  readonly token: string
  readonly period: EscrowPeriod
  /** Only movements that no transfer explains, the newest first. */
  readonly isUnexplained: boolean
}

/** Of each token what all its escrows hold and owe. */
export interface EscrowOverview {
  readonly escrows: readonly EscrowLine[]
  /** Whether a node is configured that says what addresses hold: without one nothing is compared. */
  readonly hasNode: boolean
}

/** One token's escrows. Amounts are decimal strings in token units, null where they are not known. */
export interface EscrowStory extends EscrowLine {
  /** What was owed when counting began; null before. `isAssumed`: no configuration says it, so it is what was held then. */
  readonly baseline: {
    readonly amount: string | null
    readonly isAssumed: boolean
    /** What existed on the zone chain then could be claimed in full. */
    readonly isProven: boolean
    readonly since: UnixMs
  } | null
  /** What there is of the token on the zone chain, at the newest comparison; null where none was made. */
  readonly supply: {
    readonly there: string
    readonly claims: string
    /** So much exists that was not locked; '0' for none. */
    readonly excess: string
    /** The zone block, its time, and when it was first compared. */
    readonly height: number
    readonly at: UnixMs
    readonly since: UnixMs
  } | null
  /** Each escrow by its newest balance that its movements account for: what is owed is known of all together only. */
  readonly places: readonly {
    readonly address: string
    readonly holds: string | null
    readonly height: number
    readonly at: UnixMs
  }[]
  /** Oldest first; each step by its moment with the least to spare. Steps in which nothing was compared are left out. */
  readonly course: {
    readonly period: EscrowPeriod
    readonly from: UnixMs
    readonly stepMs: number
    readonly points: readonly CoursePointView[]
  }
  readonly movements: {
    readonly isUnexplained: boolean
    /** From when on all of them are known, where that is later than the period begins; else null. */
    readonly knownSince: UnixMs | null
    /** In the period, explained or not. */
    readonly count: number
    /** More than are looked through: the largest of the newest. */
    readonly isCut: boolean
    readonly out: readonly EscrowMovement[]
    readonly in: readonly EscrowMovement[]
  }
}

export interface CoursePointView {
  /** When the step began. */
  readonly at: UnixMs
  readonly holds: string | null
  readonly owes: string | null
  readonly inTransit: string | null
}

export interface EscrowMovement {
  readonly escrow: string
  /** Null for a change of the balance that no listed movement makes, above `fromHeight`. */
  readonly hash: string | null
  readonly fromHeight: number | null
  readonly height: number
  readonly at: UnixMs
  /** What the balance changed by, or of it what is not explained. */
  readonly amount: string
  /** The other side; '' where it is not known. */
  readonly party: string
  /**
   * `open`: not judged yet; `refund`: it gives failed deposits back; `unjudged`: its transfer does not say how much it is
   * of, or the list begins later.
   */
  readonly verdict: 'open' | 'explained' | 'refund' | 'unexplained' | 'unjudged'
  /** Why, in the words of the judgement; '' for what is explained by transfers. */
  readonly reason: string
  /** Keys of transfers of the same transaction, at most three. */
  readonly transfers: readonly string[]
  /** The case that tells of it. */
  readonly caseId: string | null
}
