import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { instant, int, type Read, table, text } from '../../store/table.ts'

const escalations = table('case_escalations', {
  caseId: int,
  route: text,
  /** Its place in the route's list. */
  step: int,
  /** The turn of the case that it belongs to: one that opens again begins anew. */
  turn: int,
  /** How long after the turn began. */
  afterMs: int,
  /** Null once it was done. */
  dueAt: instant.orNull(),
})
/** A step of a route that waits for its time, unless somebody takes the case before. */
export type Escalation = Read<typeof escalations>

export function getEscalation(
  db: Database,
  of: Pick<Escalation, 'caseId' | 'route' | 'step'>,
): Escalation | null {
  const sql = 'SELECT * FROM case_escalations WHERE case_id = ? AND route = ? AND step = ?'
  return escalations.get(db, sql, of.caseId, of.route, of.step)
}

export function saveEscalation(db: Database, row: Escalation): void {
  db.prepare(`INSERT OR REPLACE ${escalations.into}`).run(...escalations.values(row))
}

/** It belongs to a route that is no more. */
export function dropEscalation(db: Database, of: Pick<Escalation, 'caseId' | 'route' | 'step'>): void {
  const sql = 'DELETE FROM case_escalations WHERE case_id = ? AND route = ? AND step = ?'
  db.prepare(sql).run(of.caseId, of.route, of.step)
}

/** Those of a case that still wait, the next one first. */
export function listWaitingEscalations(db: Database, caseId: number): Escalation[] {
  const sql =
    'SELECT * FROM case_escalations WHERE case_id = ? AND due_at IS NOT NULL ORDER BY due_at, step LIMIT 100'
  return escalations.all(db, sql, caseId)
}

export function listDueEscalations(db: Database, now: UnixMs): Escalation[] {
  const sql = 'SELECT * FROM case_escalations WHERE due_at <= ? ORDER BY due_at, case_id, step LIMIT 1000'
  return escalations.all(db, sql, now)
}

export function nextEscalation(db: Database): UnixMs | null {
  return instant.orNull().get(db, 'SELECT MIN(due_at) FROM case_escalations WHERE due_at IS NOT NULL')
}

/** A case opened again: every step has its time before it anew, but for one that waits since nobody took the case before. */
export function beginEscalations(db: Database, caseId: number, turn: number, now: UnixMs): void {
  db.prepare(
    `UPDATE case_escalations SET turn = ?2, due_at = MIN(COALESCE(due_at, ?3 + after_ms), ?3 + after_ms)
      WHERE case_id = ?1`,
  ).run(caseId, turn, now)
}

/** Somebody took the case. */
export function endEscalations(db: Database, caseId: number): void {
  db.prepare('UPDATE case_escalations SET due_at = NULL WHERE case_id = ?').run(caseId)
}
