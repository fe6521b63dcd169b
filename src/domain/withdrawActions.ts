/** What was seen of one type of zone action. */
export interface ActionCounts {
  /** Zone transactions of withdrawals that records tell of. */
  readonly withdrawals: number
  /** The same of deposits. */
  readonly deposits: number
  /** Seen in their block, beside a withdrawal of the ledger or without one. */
  readonly matched: number
  readonly unmatched: number
}

/** So many withdrawals have to be of a type before it is believed to mean one. */
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
