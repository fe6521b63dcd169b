import type { UnixMs } from '../lib/clock.ts'
import type { Severity } from '../rules/types.ts'
import { hasGrown, joinMoney, type MoneyByToken } from './money.ts'
import type { CaseRow } from './store/caseRows.ts'

/** How long after it opened a case that nobody took yet opens again for more money, ms: a storm is no alarm clock. */
const sameTurnMs = 60_000
const mostDoublings = 6

/** Before then an open case does not ring anew: each time that it did doubles that. */
export function endOfTurn({ turn, turnAt }: Pick<CaseRow, 'turn' | 'turnAt'>): UnixMs {
  return turnAt + sameTurnMs * 2 ** Math.min(turn - 1, mostDoublings)
}

/** What joined a case, or changed in it. */
export interface CaseNews {
  readonly severity: Severity
  /** A finding that the case did not have, or that began anew. */
  readonly isNew: boolean
  /** It holds now. */
  readonly holds: boolean
  /** It is one more of many with an error text that somebody has taken. */
  readonly isOfStorm: boolean
  /** A case that nobody had taken and that turned out to be this one; null too where it was but one more of a storm. */
  readonly untaken: number | null
  /** Somebody had taken, or handled, a case that turned out to be this one. */
  readonly wasTaken: boolean
}

/**
 * Why a case opens again, in words; null when it goes on as it is. It never swallows: what is critical and new opens
 * one that was acknowledged, handled or closed, and so does money that grew by a tenth, whatever brought it.
 */
export function judgeReopening(row: CaseRow, news: CaseNews, now: UnixMs): string | null {
  const hasMore = hasGrown(row.turnMoney, row.money)
  if (row.state === 'open') {
    if (hasMore && now >= endOfTurn(row)) return moreMoney
    // As it would have opened the other one.
    return news.wasTaken && news.isNew && news.severity === 'critical' && !news.isOfStorm
      ? criticalJoined
      : null
  }
  if (hasMore) return moreMoney
  if (news.untaken !== null) return `c${news.untaken}, which nobody had taken, turned out to be the same`
  if (row.state === 'closed' && news.holds) return 'something of the same cause holds'
  if (!news.isNew) return null
  const isMoreOfSame = news.isOfStorm && row.state === 'acknowledged'
  return news.severity === 'critical' && !isMoreOfSame ? criticalJoined : null
}

export const moreMoney = 'more money is at risk'
const criticalJoined = 'something critical joined'

/** The same case, opened anew. */
export function openAgain(row: CaseRow, now: UnixMs): CaseRow {
  return {
    ...row,
    state: 'open',
    turn: row.turn + 1,
    turnAt: now,
    turnMoney: row.money,
    closedAt: null,
    recheckAt: null,
    changedAt: now,
  }
}

/** How long what is handled is shown so at least, ms: meanwhile it can be opened again by hand. */
const handledMs = 24 * 3_600_000

/**
 * When a case is over whose last finding ends at `end`.
 * @param end null while something holds
 */
export function endOfCase(
  { state, byAt }: Pick<CaseRow, 'state' | 'byAt'>,
  end: UnixMs | null,
): UnixMs | null {
  return end === null || state !== 'handled' ? end : Math.max(end, (byAt ?? 0) + handledMs)
}

const urgency = ['acknowledged', 'handled', 'closed', 'merged', 'open'] as const

/**
 * Two cases turned out to be one: the older goes on, as the one of both that somebody is at. That it has to open again
 * where the other was open is judged with what joined them, so that everybody is told.
 */
export function joinCases(
  older: CaseRow,
  other: CaseRow,
  of: {
    /** Of both together. */
    readonly money: MoneyByToken
    readonly isWorse: (alertId: number, than: number) => boolean
    readonly now: UnixMs
  },
): CaseRow {
  const isOtherAt = older.state !== 'open' && urgency.indexOf(other.state) < urgency.indexOf(older.state)
  const { state, by, byAt, reason, closedAt } = isOtherAt ? other : older
  // Who took one of them has not heard of what the other put at risk.
  const heard = [older, other].filter((one) => state === 'open' || one.state !== 'open')
  // Of an open one the turn goes on that it has.
  const turns = [older, other].filter((one) => state !== 'open' || one.state === 'open')
  return {
    ...older,
    state,
    by,
    byAt,
    reason,
    closedAt,
    severity: worseOf(older.severity, other.severity),
    worstAlert: of.isWorse(other.worstAlert, older.worstAlert) ? other.worstAlert : older.worstAlert,
    turn: Math.max(older.turn, other.turn),
    turnAt: Math.max(...turns.map(({ turnAt }) => turnAt)),
    openedAt: Math.min(older.openedAt, other.openedAt),
    members: older.members + other.members,
    money: of.money,
    turnMoney: joinMoney(
      heard.map(({ turnMoney }) => turnMoney),
      of.money,
    ),
    assignee: older.assignee ?? other.assignee,
    changedAt: of.now,
  }
}

const weights: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 }

export function worseOf(a: Severity, b: Severity): Severity {
  return weights[a] <= weights[b] ? a : b
}
