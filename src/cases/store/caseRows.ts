import { z } from 'zod'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { columns, instant, int, json, oneOf, type Read, table, text } from '../../store/table.ts'

const moneyByToken = json(z.record(z.string(), z.object({ places: z.string(), lacking: z.string() }))).orElse(
  {},
)

/** `merged` goes on as another case. */
const caseState = oneOf('open', 'acknowledged', 'handled', 'closed', 'merged').orElse('open')
export type CaseState = Read<typeof caseState>

/** What the table has indexes over. */
const indexed = {
  state: caseState,
  /** When the last of what keeps it open ends; null while something holds. */
  closeAt: instant.orNull(),
  /** When to look whether more money is at risk than when it opened; null where nothing was added since. */
  recheckAt: instant.orNull(),
  changedAt: instant,
}
const unindexed = {
  mergedInto: int.orNull(),
  /** How often it opened: pagers know it by its id and this. */
  turn: int,
  /** When this turn began, by our clock. */
  turnAt: instant,
  /** When the first thing that it gathers happened. */
  openedAt: instant,
  closedAt: instant.orNull(),
  severity: oneOf('critical', 'warning', 'info').orElse('critical'),
  /** The alert that says the most. */
  worstAlert: int,
  members: int,
  money: moneyByToken,
  /** As it was when people last heard that it opened, or took it. */
  turnMoney: moneyByToken,
  /** Who acknowledged or handled it last, when and why. */
  by: text.orNull(),
  byAt: instant.orNull(),
  reason: text.orNull(),
  assignee: text.orNull(),
}
const content = { ...indexed, ...unindexed }
const newCases = table('cases', content)
const restOfCases = table('cases', unindexed)
const cases = table('cases', { id: int, ...content })
export type CaseRow = Read<typeof cases>
export type CaseContent = Read<typeof newCases>

export function insertCase(db: Database, row: CaseContent): number {
  return Number(db.prepare(`INSERT ${newCases.into}`).run(...newCases.values(row)).lastInsertRowid)
}

/** @param stored as it stands in the ledger, where that is known */
export function saveCase(db: Database, row: CaseRow, stored: CaseRow | null = null): void {
  // Every index over a column that is set is written anew, whether its value is another one or not.
  if (stored !== null && isIndexedSame(stored, row))
    db.prepare(`UPDATE cases SET ${restOfCases.set} WHERE id = ?`).run(...restOfCases.values(row), row.id)
  else db.prepare(`UPDATE cases SET ${newCases.set} WHERE id = ?`).run(...newCases.values(row), row.id)
}

function isIndexedSame(a: CaseRow, b: CaseRow): boolean {
  return (
    a.state === b.state &&
    a.closeAt === b.closeAt &&
    a.recheckAt === b.recheckAt &&
    a.changedAt === b.changedAt
  )
}

/** By its number; one that was merged is the case that it goes on as. */
export function findCase(db: Database, id: number): CaseRow | null {
  let row = cases.get(db, 'SELECT * FROM cases WHERE id = ?', id)
  // Each goes on as an older one.
  while (row?.state === 'merged' && row.mergedInto !== null && row.mergedInto < row.id)
    row = cases.get(db, 'SELECT * FROM cases WHERE id = ?', row.mergedInto)
  return row
}

/** Just this one, also when it goes on as another. */
export function getCase(db: Database, id: number): CaseRow | null {
  return cases.get(db, 'SELECT * FROM cases WHERE id = ?', id)
}

/** Those of which nothing holds any more. */
export function listEndedCases(db: Database, now: UnixMs): CaseRow[] {
  const sql = `SELECT * FROM cases WHERE state IN ('open', 'acknowledged', 'handled') AND close_at <= ? ORDER BY id LIMIT 500`
  return cases.all(db, sql, now)
}

/** Those to which money was added soon after they opened. */
export function listRechecks(db: Database, now: UnixMs): CaseRow[] {
  return cases.all(db, 'SELECT * FROM cases WHERE recheck_at <= ? ORDER BY id LIMIT 500', now)
}

export function nextRecheck(db: Database): UnixMs | null {
  return instant.orNull().get(db, 'SELECT MIN(recheck_at) FROM cases WHERE recheck_at IS NOT NULL')
}

export function nextCaseEnd(db: Database): UnixMs | null {
  const sql = `SELECT MIN(close_at) FROM cases WHERE state IN ('open', 'acknowledged', 'handled') AND close_at IS NOT NULL`
  return instant.orNull().get(db, sql)
}

/**
 * At start: the wall clock may have been ahead, and what was written by it would keep a case from ringing anew, and open, until
 * that time. Nothing ends later than `longestMs` from now unless its end is not known.
 */
export function clampCases(db: Database, now: UnixMs, longestMs: number): void {
  db.prepare('UPDATE cases SET turn_at = ?1, recheck_at = MIN(recheck_at, ?1) WHERE turn_at > ?1').run(now)
  db.prepare('UPDATE cases SET close_at = ?1 WHERE close_at > ?1').run(now + longestMs)
  db.prepare('UPDATE case_members SET until_at = ?1 WHERE until_at > ?1').run(now + longestMs)
}

/** Newest change first. */
export function listCases(
  db: Database,
  query: { readonly states: readonly CaseState[]; readonly limit: number },
): CaseRow[] {
  const sql = `SELECT * FROM cases WHERE state IN (SELECT value FROM json_each(?)) ORDER BY changed_at DESC, id DESC LIMIT ?`
  return cases.all(db, sql, JSON.stringify(query.states), query.limit)
}

/** As the index of those that are not over says it, so that no query walks through all that ever were. */
const isLive = "state IN ('open', 'acknowledged', 'handled')"

/** Those that are not over: open ones first, the most severe of each state first, then the newest. */
export function listLiveCases(
  db: Database,
  query: { readonly states: readonly CaseState[]; readonly limit: number },
): CaseRow[] {
  const sql = `SELECT * FROM cases WHERE ${isLive} AND state IN (SELECT value FROM json_each(?))
    ORDER BY CASE state WHEN 'open' THEN 0 WHEN 'acknowledged' THEN 1 ELSE 2 END,
      CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, turn_at DESC, id DESC LIMIT ?`
  return cases.all(db, sql, JSON.stringify(query.states), query.limit)
}

const counts = columns({ state: caseState, severity: content.severity, count: int })
export type CaseCount = Read<typeof counts>

/** How many are not over, by state and severity. */
export function countCases(db: Database): CaseCount[] {
  const sql = `SELECT state, severity, COUNT(*) AS count FROM cases WHERE ${isLive} GROUP BY state, severity`
  return counts.all(db, sql)
}

export const caseLog = table('case_log', { caseId: int, at: instant, what: text, by: text.orNull(), text })
export type CaseLogEntry = Read<typeof caseLog>

export function addCaseLog(db: Database, entry: CaseLogEntry): void {
  db.prepare(`INSERT ${caseLog.into}`).run(...caseLog.values(entry))
}

/** How often it opened again since a time. */
export function countReopened(db: Database, caseId: number, since: UnixMs): number {
  const sql = "SELECT COUNT(*) FROM case_log WHERE case_id = ? AND what = 'opened again' AND at >= ?"
  return int.get(db, sql, caseId, since) ?? 0
}

/** The newest entries, and of older ones the newest so many that are more than that a finding joined; oldest first. */
export function listCaseLog(db: Database, caseId: number, limit: number): CaseLogEntry[] {
  const sql = `SELECT * FROM case_log WHERE id IN (SELECT id FROM case_log WHERE case_id = ?1 ORDER BY id DESC LIMIT ?2)
    OR id IN (SELECT id FROM case_log WHERE case_id = ?1 AND what <> 'joined' ORDER BY id DESC LIMIT ?2) ORDER BY id`
  return caseLog.all(db, sql, caseId, limit)
}

/** A page of the timeline, newest first. */
export function listCaseLogPage(
  db: Database,
  caseId: number,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): CaseLogEntry[] {
  const sql = 'SELECT * FROM case_log WHERE case_id = ? ORDER BY id DESC LIMIT ? OFFSET ?'
  return caseLog.all(db, sql, caseId, limit, offset)
}

/** Cases that were over before a time, with all that belongs to them, some at a time. Returns how many. */
export function purgeCases(db: Database, before: UnixMs, limit: number): number {
  const ids = int.all(
    db,
    "SELECT id FROM cases WHERE state IN ('closed', 'merged') AND changed_at < ? ORDER BY changed_at LIMIT ?",
    before,
    limit,
  )
  for (const id of ids) {
    const ofCrowds =
      'DELETE FROM case_crowds WHERE alert_id IN (SELECT alert_id FROM case_members WHERE case_id = ?)'
    db.prepare(ofCrowds).run(id)
    for (const name of [
      'case_members',
      'case_spans',
      'case_risks',
      'case_channels',
      'case_log',
      'case_escalations',
    ])
      db.prepare(`DELETE FROM ${name} WHERE case_id = ?`).run(id)
    db.prepare('DELETE FROM cases WHERE id = ?').run(id)
  }
  return ids.length
}
