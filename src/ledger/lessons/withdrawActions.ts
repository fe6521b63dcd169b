import { kindsName } from '../../meaning/doubtOrigin.ts'
import type { LearnedActions } from '../../meaning/learnedActions.ts'
import type { Direction } from '../../bridge/observation.ts'

/** Zone actions of one type that were seen in their block, beside a withdrawal of the ledger or without one. */
export interface SeenActions {
  readonly matched: number
  readonly unmatched: number
}

/** What was seen of one type of zone action. */
export interface ActionCounts extends SeenActions {
  /** What withdrawals taught whose records agree with what is known of them. */
  readonly withdrawals: number
  /** The same of deposits. */
  readonly deposits: number
}

/** How many withdrawals have to be of a type before it is believed to mean one. */
const neededWithdrawals = 3
/** A type of which more than this share has no withdrawal means something else as well, once so many were seen. */
const maxUnmatchedShare = 0.25
const neededSeen = 8

/** Whether an action of a type means a withdrawal, by what those of known withdrawals are. */
export function meansWithdrawal({ withdrawals, deposits, matched, unmatched }: ActionCounts): boolean {
  if (withdrawals < neededWithdrawals || deposits > 0) return false
  const seen = matched + unmatched
  return seen < neededSeen || unmatched <= seen * maxUnmatchedShare
}

/** How many deposits have to be of a type, and of what was seen of it in blocks so many times as many as had none. */
const neededDeposits = 20
const creditsToStray = 100

/**
 * Whether an action of a type means the credit of a deposit: nearly nothing else was ever seen of it, for one without a
 * deposit is told as a theft.
 * @param counts of `matched` and `unmatched` those beside a deposit, and without one
 */
export function meansCredit({ withdrawals, deposits, matched, unmatched }: ActionCounts): boolean {
  if (deposits < neededDeposits || withdrawals > 0) return false
  return matched >= creditsToStray && unmatched * creditsToStray <= matched
}

/** How many transfers taught that actions of a type are theirs, single ones and batches. */
export function countTaught(
  learned: Pick<LearnedActions, 'actionsOf'>,
  type: string,
): Pick<ActionCounts, 'withdrawals' | 'deposits'> {
  const of = (direction: Direction) =>
    [direction, `${direction} batch`].reduce(
      (sum, topic) => sum + (learned.actionsOf(kindsName(topic)).get(type) ?? 0),
      0,
    )
  return { withdrawals: of('ZoneToMain'), deposits: of('MainToZone') }
}
