import { isLoss } from '../../alerts/joining.ts'
import { alertTable } from '../../alerts/store/alertRows.ts'
import type { CaseRow, CaseState } from '../../cases/store/caseRows.ts'
import { type Decimal, noAmount, toDecimal } from '../../bridge/decimal.ts'
import { kinds } from '../../checks/index.ts'
import { listMoney, type TokenFacts } from '../../delivery/describeCase.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Severity } from '../../rules/types.ts'
import type { Database } from '../../store/database.ts'
import { columns, instant, type Read } from '../../store/table.ts'
import type { AlertViewSource } from './toAlertView.ts'

/** Of so many it is judged how much they count; the others, the oldest of the least severe, follow as they were read. */
const mostJudged = 500

export interface CaseOrderSource extends Pick<AlertViewSource, 'store' | 'now'> {
  readonly db: Database
  readonly tokens: TokenFacts
  /** An amount in token units as a share of what the escrows hold; 0 where that is not known. */
  readonly riskOf: (token: string, amount: Decimal) => number
}

export interface OrderedCase {
  readonly row: CaseRow
  /** The most severe of it that counts. */
  readonly counts: Severity | null
}

/**
 * Cases that nobody has handled, what counts the most first; of as much what is open, then losses, then the most money,
 * then the newest. However few are asked for, as many are judged, so that these are the first of the whole order.
 */
export function listInOrder(source: CaseOrderSource, states: readonly CaseState[]): OrderedCase[] {
  const { store, db } = source
  const judged = store
    .listLiveCases({ states, limit: mostJudged })
    .map((row) => ({ row, ...findCounting(db, row, source.now), money: weighMoney(source, row) }))
  // Prices compare with shares in no way: one or the other orders all.
  const orders = judged.every(({ money }) => money.isPriced) ? byPrice : byShare
  return judged.sort(
    (a, b) =>
      weightOf(b.counts) - weightOf(a.counts) ||
      Number(b.row.state === 'open') - Number(a.row.state === 'open') ||
      Number(b.isLoss) - Number(a.isLoss) ||
      orders(a.money, b.money),
  )
}

interface CaseMoney {
  readonly isPriced: boolean
  /** US dollars, of what has a price. */
  readonly usd: number
  readonly share: number
}

/** About, for ordering. */
function weighMoney({ tokens, riskOf }: CaseOrderSource, row: CaseRow): CaseMoney {
  const money = listMoney(tokens, row)
  return {
    isPriced: money.every(({ usd }) => usd !== null),
    usd: money.reduce((sum, { usd }) => sum + Number(usd ?? 0), 0),
    share: money.reduce((sum, { token, amount }) => sum + riskOf(token, toDecimal(amount) ?? noAmount), 0),
  }
}

function byPrice(a: CaseMoney, b: CaseMoney): number {
  return b.usd - a.usd
}

/** What no escrow tells of goes by its price. */
function byShare(a: CaseMoney, b: CaseMoney): number {
  return b.share - a.share || byPrice(a, b)
}

const weights: Readonly<Record<Severity, number>> = { critical: 3, warning: 2, info: 1 }

function weightOf(counts: Severity | null): number {
  return counts === null ? 0 : weights[counts]
}

const { severity, nature, state, kind } = alertTable.shape
const standing = columns({
  severity,
  nature,
  state,
  kind,
  untilAt: instant.orNull(),
})
type Standing = Read<typeof standing>

const standingColumns = 'a.severity, a.nature, a.state, a.kind, m.until_at'

/** Of a case whose worst is over, so many of those that stand are looked at. */
const mostStanding = 500

interface Counting {
  readonly counts: Severity | null
  /** Something of that severity is a loss. */
  readonly isLoss: boolean
}

/** The most severe of a case that counts. Mostly its worst alert does, so that nothing else is read. */
function findCounting(db: Database, row: CaseRow, now: UnixMs): Counting {
  const worst = standing.get(
    db,
    `SELECT ${standingColumns} FROM alerts a JOIN case_members m ON m.alert_id = a.id AND m.episode = a.episode
      WHERE a.id = ? AND m.case_id = ?`,
    row.worstAlert,
    row.id,
  )
  if (worst?.severity === row.severity && isCounting(worst, now)) return countOne(worst)
  const of = 'SELECT alert_id, episode, until_at FROM case_members WHERE case_id = ?1 AND'
  const sql = `SELECT ${standingColumns} FROM (SELECT * FROM (${of} until_at IS NULL LIMIT ?3)
      UNION ALL SELECT * FROM (${of} until_at > ?2 LIMIT ?3)) m JOIN alerts a ON a.id = m.alert_id AND a.episode = m.episode`
  const rows = standing.all(db, sql, row.id, now, mostStanding)
  // Too many to look through: it is said to be as bad as it ever was.
  if (rows.length >= mostStanding) return { counts: row.severity, isLoss: worst !== null && isLossOf(worst) }
  const [first = null] = rows
    .filter((one) => isCounting(one, now))
    .toSorted(
      (a, b) => weights[b.severity] - weights[a.severity] || Number(isLossOf(b)) - Number(isLossOf(a)),
    )
  return first === null ? { counts: null, isLoss: false } : countOne(first)
}

function countOne(one: Standing): Counting {
  return { counts: one.severity, isLoss: isLossOf(one) }
}

function isLossOf({ kind: name }: Standing): boolean {
  return isLoss(kinds.find(name))
}

/** A condition that holds; an event as long as it keeps its case open, whenever it happened: a page is never green above an open case. */
function isCounting({ nature, state, untilAt }: Standing, now: UnixMs): boolean {
  if (nature === 'condition') return state === 'firing' || state === 'recovering'
  return untilAt === null || untilAt > now
}
