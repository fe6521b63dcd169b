import { createHash } from 'node:crypto'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { columns, flag, instant, int, type Read, table, text } from '../../store/table.ts'
import type { RiskUnit } from '../money.ts'
import type { Span } from '../spans.ts'

const members = table('case_members', {
  alertId: int,
  episode: int,
  caseId: int,
  fromAt: instant,
  /** Null while it holds. */
  untilAt: instant.orNull(),
  /** It keeps its case open until somebody handles that. */
  isLoss: flag.from('loss').orElse(true),
  addedAt: instant,
  /** A digest of them as they were when it was last put into its case: what is new among them joins it to more. */
  keys: text,
  /** How much it says: the severity, then how much it puts at risk. Sorts as text. */
  rank: text,
})
export type CaseMember = Read<typeof members>

export function getMember(db: Database, alertId: number, episode: number): CaseMember | null {
  const sql = 'SELECT * FROM case_members WHERE alert_id = ? AND episode = ?'
  return members.get(db, sql, alertId, episode)
}

export function saveMember(db: Database, member: CaseMember): void {
  db.prepare(`INSERT OR REPLACE ${members.into}`).run(...members.values(member))
}

export function endMembers(db: Database, alertId: number, at: UnixMs): void {
  db.prepare('UPDATE case_members SET until_at = ? WHERE alert_id = ? AND until_at IS NULL').run(at, alertId)
  db.prepare('DELETE FROM case_open_keys WHERE alert_id = ?').run(alertId)
  db.prepare('DELETE FROM case_crowds WHERE alert_id = ?').run(alertId)
}

/** Whatever its episode: the case that an alert was put into last. */
export function findCaseOf(db: Database, alertId: number): number | null {
  const sql = 'SELECT case_id FROM case_members WHERE alert_id = ? ORDER BY episode DESC LIMIT 1'
  return int.get(db, sql, alertId)
}

/** Oldest first. */
export function listCaseMembers(db: Database, caseId: number, limit: number): CaseMember[] {
  const sql = 'SELECT * FROM case_members WHERE case_id = ? ORDER BY from_at, alert_id LIMIT ?'
  return members.all(db, sql, caseId, limit)
}

/** When the last of what keeps a case open ends: null while something holds, 0 for one without members. */
export function readMembersEnd(
  db: Database,
  caseId: number,
  of: { readonly isHandled: boolean },
): UnixMs | null {
  const holds = 'SELECT 1 FROM case_members WHERE case_id = ? AND until_at IS NULL AND loss <= ? LIMIT 1'
  if (db.prepare(holds).get(caseId, of.isHandled ? 0 : 1) !== undefined) return null
  return instant.orNull().get(db, 'SELECT MAX(until_at) FROM case_members WHERE case_id = ?', caseId) ?? 0
}

const spans = table('case_spans', {
  from: instant.from('from_at'),
  until: instant.from('until_at'),
  caseId: int,
})

/** Rows of before have the list itself. */
export function digestKeys(list: string): string {
  return createHash('sha256').update(list).digest('hex').slice(0, 16)
}

const oldKeys = columns({ alertId: int, episode: int, keys: text })

/** Of alerts behind one number and up to another: a digest in place of the list that rows of before have. */
export function digestOldKeys(
  db: Database,
  { after, until }: { readonly after: number; readonly until: number },
): void {
  const sql =
    "SELECT alert_id, episode, keys FROM case_members WHERE alert_id > ? AND alert_id <= ? AND substr(keys, 1, 1) = '['"
  const update = db.prepare('UPDATE case_members SET keys = ? WHERE alert_id = ? AND episode = ?')
  for (const { alertId, episode, keys } of oldKeys.all(db, sql, after, until))
    update.run(digestKeys(keys), alertId, episode)
}

/** In SQL: a key as its spans have it. A transaction's is the bytes of its hash. */
export const spanKey = (key: string) => `iif(${key} GLOB 'tx:0x*', unhex(substr(${key}, 6)), ${key})`

/** Those of a key that reach into a stretch of time; of a gap without end, all of them. */
export function listSpans(db: Database, key: string, reach: { from: UnixMs; until: UnixMs } | null): Span[] {
  if (reach === null) return spans.all(db, `SELECT * FROM case_spans WHERE key = ${spanKey('?1')}`, key)
  const sql = `SELECT * FROM case_spans WHERE key = ${spanKey('?1')} AND from_at <= ?2 AND until_at >= ?3`
  return spans.all(db, sql, key, reach.until, reach.from)
}

export function replaceSpans(db: Database, key: string, touched: readonly Span[], span: Span): void {
  const same = touched.some(
    ({ from, until, caseId }) => from === span.from && until === span.until && caseId === span.caseId,
  )
  if (same && touched.length === 1) return
  for (const { from } of touched)
    db.prepare(`DELETE FROM case_spans WHERE key = ${spanKey('?1')} AND from_at = ?2`).run(key, from)
  db.prepare(
    `INSERT OR REPLACE INTO case_spans (key, from_at, until_at, case_id) VALUES (${spanKey('?1')}, ?2, ?3, ?4)`,
  ).run(key, span.from, span.until, span.caseId)
}

/** Since when a key has held without an end; null when nothing of it does. */
export function findOpenSince(db: Database, key: string): UnixMs | null {
  const sql = `SELECT MIN(m.from_at) FROM case_open_keys k JOIN case_members m ON m.alert_id = k.alert_id AND m.episode = k.episode
    JOIN alerts a ON a.id = k.alert_id AND a.episode = k.episode AND a.state IN ('firing', 'recovering')
    WHERE k.key = ? AND m.until_at IS NULL`
  return instant.orNull().get(db, sql, key)
}

export function setOpenKeys(
  db: Database,
  of: { readonly alertId: number; readonly episode: number; readonly keys: readonly string[] },
): void {
  db.prepare('DELETE FROM case_open_keys WHERE alert_id = ?').run(of.alertId)
  for (const key of of.keys)
    db.prepare('INSERT INTO case_open_keys (key, alert_id, episode) VALUES (?, ?, ?)').run(
      key,
      of.alertId,
      of.episode,
    )
}

const crowd = columns({ from: instant.from('from_at'), caseId: int.orNull() })

const near = `SELECT from_at, (SELECT m.case_id FROM case_members m WHERE m.alert_id = c.alert_id ORDER BY m.episode DESC LIMIT 1) AS case_id
  FROM case_crowds c WHERE key = ?1 AND alert_id <> ?2 AND from_at`
const nearCrowd = `SELECT * FROM (${near} <= ?3 ORDER BY from_at DESC LIMIT ?4)
  UNION ALL SELECT * FROM (${near} > ?3 ORDER BY from_at LIMIT ?4)`

/** Of a key, as many alerts as `count` that began no later than one, and as many that began after it, with their cases. */
export function listCrowd(
  db: Database,
  key: string,
  of: { readonly alertId: number; readonly from: UnixMs; readonly count: number },
): { readonly from: UnixMs; readonly caseId: number }[] {
  return crowd
    .all(db, nearCrowd, key, of.alertId, of.from, of.count)
    .flatMap(({ from, caseId }) => (caseId === null ? [] : { from, caseId }))
}

export function saveCrowd(
  db: Database,
  of: { readonly alertId: number; readonly key: string; readonly from: UnixMs },
): void {
  db.prepare('INSERT OR REPLACE INTO case_crowds (alert_id, key, from_at) VALUES (?, ?, ?)').run(
    of.alertId,
    of.key,
    of.from,
  )
}

/** All that belongs to one case belongs to another now. */
export function moveCase(db: Database, from: number, to: number): void {
  db.prepare('UPDATE case_members SET case_id = ?2 WHERE case_id = ?1').run(from, to)
  db.prepare('UPDATE case_spans SET case_id = ?2 WHERE case_id = ?1').run(from, to)
  // A case opens once: that this one did is told by what merged them.
  const log =
    "UPDATE case_log SET case_id = ?2, what = iif(what = 'opened', 'joined', what) WHERE case_id = ?1"
  db.prepare(log).run(from, to)
  db.prepare('UPDATE outbox SET case_id = ?2 WHERE case_id = ?1').run(from, to)
  db.prepare('UPDATE deliveries SET case_id = ?2 WHERE case_id = ?1').run(from, to)
  // A step that one of them waits for is waited for, though the other is past it.
  db.prepare(
    `INSERT INTO case_escalations (case_id, route, step, turn, after_ms, due_at)
      SELECT ?2, route, step, turn, after_ms, due_at FROM case_escalations WHERE case_id = ?1
      ON CONFLICT DO UPDATE SET turn = max(turn, excluded.turn),
        due_at = coalesce(min(due_at, excluded.due_at), due_at, excluded.due_at)`,
  ).run(from, to)
  db.prepare('DELETE FROM case_escalations WHERE case_id = ?').run(from)
}

const risks = table('case_risks', {
  caseId: int,
  token: text,
  place: text,
  unit: text,
  alertId: int,
  amount: text,
})
export type CaseRisk = Read<typeof risks>

export function getRisk(db: Database, alertId: number): CaseRisk | null {
  return risks.get(db, 'SELECT * FROM case_risks WHERE alert_id = ?', alertId)
}

export function saveRisk(db: Database, risk: CaseRisk): void {
  db.prepare(`INSERT OR REPLACE ${risks.into}`).run(...risks.values(risk))
}

export function deleteRisk(db: Database, alertId: number): void {
  db.prepare('DELETE FROM case_risks WHERE alert_id = ?').run(alertId)
}

export function listRisks(db: Database, caseId: number): CaseRisk[] {
  return risks.all(db, 'SELECT * FROM case_risks WHERE case_id = ?', caseId)
}

export function listRisksAt(db: Database, caseId: number, of: Pick<RiskUnit, 'token' | 'place'>): CaseRisk[] {
  const sql = 'SELECT * FROM case_risks WHERE case_id = ? AND token = ? AND place = ?'
  return risks.all(db, sql, caseId, of.token, of.place)
}
