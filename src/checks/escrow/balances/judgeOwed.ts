import { toBaseUnits } from '../../../bridge/decimal.ts'
import type { UnixMs } from '../../../lib/clock.ts'
import type { Database } from '../../../store/database.ts'
import { type Accounts, readAccounts, unexplainedOf } from '../accounts/readAccounts.ts'
import { sumAccounts } from '../accounts/accountStore.ts'
import { paidForGas } from '../accounts/account.ts'
import { noteCourse } from '../owed/courseStore.ts'
import { listFlowsOf } from '../flows/flowRow.ts'
import { sumOpen } from '../flows/flowSums.ts'
import { type EscrowToken, readEscrowToken, saveOwedJudgement } from '../owed/owedStore.ts'
import { readOwed } from '../owed/owedLegs.ts'
import type { EscrowReading } from '../flows/readingStore.ts'
import type { BalanceReads, Holding } from '../../../kernel/reads/balanceReads.ts'
import { listGivenBack } from '../flows/refundStore.ts'
import { settleMs } from '../flows/rereadFlow.ts'
import { decimalsOf, type EscrowWatch } from '../watched/watch.ts'

/** Balances are compared with what is owed, and with what moved. */
export interface Comparing {
  readonly db: Database
  readonly watch: EscrowWatch
  readonly balances: BalanceReads
  readonly shorts: Shorts
}

/** How many readings in a row have to lack what nothing accounts for. */
export const neededMisses = 3

/**
 * What is owed at the reading's block against what is held; null when it cannot be said. A withdrawal on its way is
 * still owed, but whether it was paid is known by records and lists that may lag: what is missing only with them is
 * reported when several readings in a row agree.
 */
export async function judgeOwed(
  { balances, db, shorts, watch }: Comparing,
  { reading, places }: { readonly reading: EscrowReading; readonly places: readonly Holding[] },
  signal: AbortSignal,
) {
  const { token, low, high, readAt } = reading
  const decimals = decimalsOf(watch, token)
  const refunded = decimals === null ? 0n : givenBackOfBaseline(db, token, { high, decimals })
  // What an escrow paid for its own transactions is owed to nobody, and is told by itself where it is more than gas.
  const back = refunded + paidForGas(sumAccounts(db, token, { height: high, time: reading.newestAt }))
  const least = leastOwed(db, reading, false, back)
  const open = sumOpen(db, token, high)
  const openOut = decimals === null ? (open.digits === 0n ? 0n : null) : toBaseUnits(open, decimals)
  if (least === null || openOut === null) return null
  let holdings = sumOf(reading.balances)
  const whole = leastOwed(db, reading, true, back) ?? least
  if (holdings + openOut < whole && low === high) {
    // Before it is said the node is asked once more about the same block.
    const again = await Promise.all(places.map((place) => balances.readAt(place, high, signal)))
    if (again.every((balance) => balance !== null))
      holdings = again.reduce<bigint>((a, b) => a + (b ?? 0n), 0n)
  }
  const isLacking = noteShort(shorts, token, holdings + openOut < whole, readAt)
  if (!isLacking) return { owed: least, holdings, openOut, height: high, at: readAt }
  const onItsWay = whole - least
  // What left and may have paid a withdrawal on its way is missed neither as owed nor as gone.
  const paying = openOut < onItsWay ? openOut : onItsWay
  return { owed: whole - paying, holdings, openOut: openOut - paying, height: high, at: readAt }
}

/** The least that was owed at any of the blocks that the reading may be of. */
function leastOwed(
  db: Database,
  reading: EscrowReading,
  isOwedUntilPaid: boolean,
  givenBack: bigint,
): bigint | null {
  const { token, low, high, newestAt } = reading
  const heights = Array.from({ length: high - low + 1 }, (_, index) => low + index)
  const owed = heights.map((height) => readOwed(db, token, { height, time: newestAt }, isOwedUntilPaid))
  const known = owed.filter((amount) => amount !== null)
  if (known.length < owed.length) return null
  const least = known.reduce((a, b) => (a < b ? a : b)) - givenBack
  return least < 0n ? 0n : least
}

/**
 * What was held when counting began is taken for owed, and with it what had come in by deposits that the zone refused: of
 * those that were given back since nothing is owed.
 */
function givenBackOfBaseline(
  db: Database,
  token: string,
  { high, decimals }: { readonly high: number; readonly decimals: number },
): bigint {
  const { start = null, isAssumed = false } = readEscrowToken(db, token) ?? {}
  const height = start?.height ?? null
  if (height === null || !isAssumed) return 0n
  const ofBaseline = listGivenBack(db, token, { from: height, to: high }).filter(({ deposit }) =>
    listFlowsOf(db, deposit, token).some((flow) => flow.height <= height),
  )
  return ofBaseline.reduce((sum, { amount }) => sum + (toBaseUnits(amount, decimals) ?? 0n), 0n)
}

/** By token: since when readings fall short of what is owed with withdrawals on their way, and how many. */
export type Shorts = Map<string, { readonly since: UnixMs; readonly count: number }>

/** @returns whether enough readings in a row say so */
function noteShort(shorts: Shorts, token: string, isShort: boolean, at: UnixMs): boolean {
  if (!isShort) shorts.delete(token)
  const before = shorts.get(token)
  if (!isShort) return false
  const now = { since: before?.since ?? at, count: (before?.count ?? 0) + 1 }
  shorts.set(token, now)
  return now.count >= neededMisses && at - now.since >= settleMs
}

export type OwedJudgement = NonNullable<EscrowToken['judged']>

/** A judgement with what is held account by account. */
export interface ExactJudgement extends OwedJudgement {
  readonly accounts: Accounts | null
}

export function toExact(
  db: Database,
  { token, newestAt }: EscrowReading,
  judged: OwedJudgement,
): ExactJudgement {
  const { holdings, height } = judged
  const { baseline = null, isHeld = true } = readEscrowToken(db, token) ?? {}
  const at = { height, holdings, time: newestAt }
  const accounts = baseline === null ? null : readAccounts(db, { token, baseline }, at)
  const owed = accounts ? mostOwed(judged, accounts) : judged.owed
  // What only passes through is owed by whoever holds it then.
  return { ...judged, owed: isHeld ? owed : 0n, accounts }
}

/** Whether less is held than is owed, whatever of what left a moment ago was paid. */
export function isShort({ holdings, openOut, owed }: OwedJudgement): boolean {
  return holdings + openOut < owed
}

/** Belongs inside a commit. */
export function saveJudgement(db: Database, token: string, { accounts, ...judged }: ExactJudgement): void {
  saveOwedJudgement(db, token, judged, accounts)
  noteCourse(db, token, judged)
}

/** What nothing explains is missing to the last digit, where fees that may have been kept would hide it. */
function mostOwed({ holdings, openOut, owed }: OwedJudgement, accounts: Accounts): bigint {
  const by = holdings + openOut - unexplainedOf(accounts)
  return unexplainedOf(accounts) < 0n && by > owed ? by : owed
}

export function sumOf(balances: Readonly<Record<string, bigint>>): bigint {
  return Object.values(balances).reduce((sum, balance) => sum + balance, 0n)
}
