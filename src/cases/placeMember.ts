import type { UnixMs } from '../lib/clock.ts'
import type { Severity } from '../rules/types.ts'
import type { Database } from '../store/database.ts'
import {
  type CaseNews,
  endOfCase,
  endOfTurn,
  joinCases,
  judgeReopening,
  openAgain,
  worseOf,
} from './judgeCase.ts'
import { findNear } from './findNear.ts'
import { type CaseKey, isErrorKey } from './listKeys.ts'
import { rankAmount } from '../bridge/amount.ts'
import { changePlace, hasGrown, type MoneyByToken, type RiskUnit, setLacking, sumPlace } from './money.ts'
import { compareDecimals, noAmount, toDecimal } from '../bridge/decimal.ts'
import {
  type CaseContent,
  type CaseRow,
  addCaseLog,
  findCase,
  insertCase,
  saveCase,
} from './store/caseRows.ts'
import { moveChannels } from './store/caseChannels.ts'
import * as rows from './store/caseMembers.ts'

/** One episode of an alert, as far as its case is concerned. */
export interface NewMember {
  readonly alertId: number
  readonly episode: number
  readonly severity: Severity
  readonly keys: readonly CaseKey[]
  /** When what it says happened, or began. */
  readonly from: UnixMs
  /** When it was over; null for a condition that holds, `from` for an event. */
  readonly until: UnixMs | null
  /** Until when it keeps its case open; null without an end that is known. */
  readonly openUntil: UnixMs | null
  readonly isLoss: boolean
  readonly risk: RiskUnit | null
  /** In words, for the timeline. */
  readonly title: string
  /** Whether one alert says more than another; either may be this one. */
  isWorse(alertId: number, than: number): boolean
}

/** What became of a case by what was put into it. */
export interface Placed {
  readonly row: CaseRow
  /** This episode was not in a case before. */
  readonly isNew: boolean
  /** The case began with it. */
  readonly isFirst: boolean
  /** Why it opened again; null when it did not. */
  readonly reopened: string | null
  /** Nothing of it held any more. */
  readonly wasOver: boolean
  /** It is more severe than it was. */
  readonly isGraver: boolean
  /** Other cases that turned out to be this one, as they were. */
  readonly merged: readonly CaseRow[]
}

/**
 * Puts an alert's episode into its case: the one that has a key of it at that time, or a new one. Where several have,
 * they are one case from now on, the oldest; nothing ever leaves a case. The same may be put again with more keys, an
 * end, or other money. Belongs inside a transaction.
 */
export function placeMember(db: Database, member: NewMember, now: UnixMs): Placed | null {
  const known = rows.getMember(db, member.alertId, member.episode)
  const list = JSON.stringify(member.keys.map(({ key }) => key))
  const keys = rows.digestKeys(list)
  const rank = `${weights[member.severity]}${rankAmount(member.risk?.amount ?? null)}`
  const risk = rows.getRisk(db, member.alertId)
  const isSamePlace =
    (known?.keys === keys || known?.keys === list) &&
    known.untilAt === member.openUntil &&
    known.isLoss === member.isLoss &&
    known.rank === rank
  if (isSamePlace && isSameRisk(risk, member.risk)) return null
  const { found, others, isFirst, isOfStorm } = findPlace(db, { member, known }, now)
  let row = found
  for (const other of others) row = merge(db, row, other, { member, now })
  rows.saveMember(db, {
    alertId: member.alertId,
    episode: member.episode,
    caseId: row.id,
    fromAt: Math.min(member.from, known?.fromAt ?? member.from),
    untilAt: member.openUntil,
    isLoss: member.isLoss,
    addedAt: known?.addedAt ?? now,
    keys,
    rank,
  })
  const held = member.until === null ? member.keys.map(({ key }) => key) : []
  // Of a first episode that is new nothing is open yet.
  if (held.length > 0 || known !== null || member.episode > 1)
    rows.setOpenKeys(db, { alertId: member.alertId, episode: member.episode, keys: held })
  // A merge may have moved it.
  const before = others.length === 0 ? risk : rows.getRisk(db, member.alertId)
  row = { ...row, money: moveRisk(db, row, { alertId: member.alertId, risk: member.risk, before }) }
  const isNew = known === null
  const settled = settle(db, row, { member, stored: found, isNew, isFirst, isOfStorm, merged: others }, now)
  const isGraver = worseOf(found.severity, settled.row.severity) !== found.severity
  return { ...settled, isNew, isFirst, wasOver: row.state === 'closed', isGraver, merged: others }
}

const weights: Readonly<Record<Severity, number>> = { critical: 2, warning: 1, info: 0 }

function isSameRisk(a: rows.CaseRisk | null, b: RiskUnit | null): boolean {
  if (a === null || b === null) return a === b
  return a.token === b.token && a.place === b.place && a.unit === b.unit && a.amount === b.amount
}

/** The case that a member belongs to, and those that turn out to be the same one. */
function findPlace(
  db: Database,
  { member, known }: { readonly member: NewMember; readonly known: rows.CaseMember | null },
  now: UnixMs,
): { found: CaseRow; others: CaseRow[]; isFirst: boolean; isOfStorm: boolean } {
  const from = Math.min(member.from, known?.fromAt ?? member.from)
  const own = { from, until: Math.max(member.until ?? from, from) }
  const near = member.keys.map((key) => findNear(db, key, { ...own, alertId: member.alertId }))
  const ids = new Set(near.flatMap(({ touched }) => touched.map(({ caseId }) => caseId)))
  if (known) ids.add(known.caseId)
  const found = [...ids].flatMap((id) => findCase(db, id) ?? []).toSorted((a, b) => a.id - b.id)
  const [oldest, ...others] = [...new Map(found.map((one) => [one.id, one])).values()]
  const row = oldest ?? openCase(db, member, now)
  for (const { keep } of near) keep(row.id)
  const taken = new Set(found.flatMap(({ id, state }) => (state === 'acknowledged' ? [id] : [])))
  // Of one whose text is not known yet, that it is one more of many says as much.
  const texts = near.filter(({ key }) => isErrorKey(key))
  const ofStorm = texts.length > 0 ? texts : near.filter(({ key }) => key.least !== undefined)
  const isOfStorm = ofStorm.some(({ touched }) => touched.some(({ caseId }) => taken.has(caseId)))
  return { found: row, others, isFirst: oldest === undefined, isOfStorm }
}

function openCase(db: Database, member: NewMember, now: UnixMs): CaseRow {
  const content: CaseContent = {
    state: 'open',
    mergedInto: null,
    turn: 1,
    turnAt: now,
    openedAt: member.from,
    closedAt: null,
    closeAt: null,
    recheckAt: null,
    severity: member.severity,
    worstAlert: member.alertId,
    members: 0,
    money: {},
    turnMoney: {},
    by: null,
    byAt: null,
    reason: null,
    assignee: null,
    changedAt: now,
  }
  return { id: insertCase(db, content), ...content }
}

function merge(
  db: Database,
  older: CaseRow,
  other: CaseRow,
  { member, now }: { readonly member: NewMember; readonly now: UnixMs },
): CaseRow {
  const risks = rows.listRisks(db, other.id)
  moveChannels(db, other.id, older.id)
  rows.moveCase(db, other.id, older.id)
  saveCase(db, { ...other, state: 'merged', mergedInto: older.id, changedAt: now })
  let { money } = older
  for (const { alertId, ...risk } of risks) {
    const before = rows.getRisk(db, alertId)
    money = moveRisk(db, { ...older, money }, { alertId, risk, before })
  }
  const row = joinCases(older, other, { money, isWorse: (one, than) => member.isWorse(one, than), now })
  const text = `c${other.id} turned out to be the same, by ${member.title}`
  addCaseLog(db, { caseId: row.id, at: now, what: 'merged', by: null, text })
  return row
}

/** Sets what one alert puts at risk within a case, and gives the money of the case as it is then. */
function moveRisk(
  db: Database,
  { id, money }: Pick<CaseRow, 'id' | 'money'>,
  {
    alertId,
    risk,
    before,
  }: {
    readonly alertId: number
    readonly risk: RiskUnit | null
    /** As it is kept of this alert. */
    readonly before: rows.CaseRisk | null
  },
): MoneyByToken {
  let sum = money
  if (before !== null) {
    const mine = before.caseId === id
    if (mine) sum = changeAt(db, { id, money: sum }, before, { alertId, added: null })
    rows.deleteRisk(db, alertId)
  }
  if (risk === null) return sum
  const added = { caseId: id, alertId, ...plain(risk) }
  sum = changeAt(db, { id, money: sum }, risk, { alertId, added })
  rows.saveRisk(db, added)
  return sum
}

function plain({ token, place, unit, amount }: RiskUnit): RiskUnit {
  return { token, place, unit, amount }
}

/** The money of a case once an alert puts `added` at risk at a place, in place of what it did. */
function changeAt(
  db: Database,
  { id, money }: { readonly id: number; readonly money: MoneyByToken },
  at: Pick<RiskUnit, 'token' | 'place'>,
  { alertId, added }: { readonly alertId: number; readonly added: rows.CaseRisk | null },
): MoneyByToken {
  const known = rows.listRisksAt(db, id, at)
  const units = [...known.filter((one) => one.alertId !== alertId), ...(added === null ? [] : [added])]
  if (at.place !== '')
    return changePlace(money, at.token, { before: sumPlace(known), after: sumPlace(units) })
  const most = units.map(({ amount }) => toDecimal(amount) ?? noAmount)
  return setLacking(
    money,
    at.token,
    most.reduce((a, b) => (compareDecimals(a, b) >= 0 ? a : b), noAmount),
  )
}

/** How many of its findings the timeline names: a storm is no story. */
const longestLog = 200

/** What the case is with its new member, and whether it opens again. */
function settle(
  db: Database,
  before: CaseRow,
  of: {
    readonly member: NewMember
    readonly stored: CaseRow
    readonly isNew: boolean
    readonly isFirst: boolean
    readonly isOfStorm: boolean
    readonly merged: readonly CaseRow[]
  },
  now: UnixMs,
): Pick<Placed, 'row' | 'reopened'> {
  const { member, isNew, isFirst, isOfStorm, merged } = of
  const isWorse = before.worstAlert !== member.alertId && member.isWorse(member.alertId, before.worstAlert)
  let row: CaseRow = {
    ...before,
    members: before.members + (isNew ? 1 : 0),
    openedAt: Math.min(before.openedAt, member.from),
    severity: worseOf(before.severity, member.severity),
    worstAlert: isWorse ? member.alertId : before.worstAlert,
    changedAt: isNew || merged.length > 0 ? now : before.changedAt,
  }
  if (isFirst) row = { ...row, turnMoney: row.money }
  const news: CaseNews = {
    severity: member.severity,
    isNew,
    holds: member.openUntil === null || member.openUntil > now,
    isOfStorm,
    // One more of a storm was a case of its own until its text was learned.
    untaken: merged.find((one) => one.state === 'open' && !(isOfStorm && one.members === 1))?.id ?? null,
    wasTaken: [of.stored, ...merged].some(({ state }) => state === 'acknowledged' || state === 'handled'),
  }
  const reopened = isFirst ? null : judgeReopening(row, news, now)
  if (reopened !== null) row = openAgain(row, now)
  else if (row.state === 'open' && hasGrown(row.turnMoney, row.money))
    row = { ...row, recheckAt: endOfTurn(row) }
  row = { ...row, closeAt: readCaseEnd(db, row) }
  saveCase(db, row, of.stored)
  if (isNew && row.members <= longestLog)
    addCaseLog(db, {
      caseId: row.id,
      at: now,
      what: isFirst ? 'opened' : 'joined',
      by: null,
      text: member.title,
    })
  if (reopened !== null)
    addCaseLog(db, { caseId: row.id, at: now, what: 'opened again', by: null, text: reopened })
  return { row, reopened }
}

/** An alert that goes on as another one keeps no case open and puts nothing at risk any more. */
export function retireMember(db: Database, alertId: number, now: UnixMs): void {
  const row = findCaseOfAlert(db, alertId)
  if (row === null) return
  rows.endMembers(db, alertId, now)
  const money = moveRisk(db, row, { alertId, risk: null, before: rows.getRisk(db, alertId) })
  saveCase(db, { ...row, money, closeAt: readCaseEnd(db, row) })
}

/** When a case is over as far as its findings say, which are saved; null while something holds. */
export function readCaseEnd(db: Database, row: Pick<CaseRow, 'id' | 'state' | 'byAt'>): UnixMs | null {
  return endOfCase(row, rows.readMembersEnd(db, row.id, { isHandled: row.state === 'handled' }))
}

/** The case of an alert, as it goes on. */
export function findCaseOfAlert(db: Database, alertId: number): CaseRow | null {
  const id = rows.findCaseOf(db, alertId)
  return id === null ? null : findCase(db, id)
}
