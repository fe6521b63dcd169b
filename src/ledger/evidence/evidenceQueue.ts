import { valueFirst } from '../sightings/valueFirst.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { hash, toHashCell } from '../../store/hash.ts'
import { flag, instant, int, oneOf, type Read, real, table } from '../../store/table.ts'

/**
 * Which question a leg waits for: E9, E13, E15, a receipt by the node of its chain; `record` asks the list whether a payout has a record, `past`
 * what was there of an origin before the ledger.
 */
const ask = oneOf('zone', 'main', 'native', 'receipt', 'zoneReceipt', 'record', 'past')
export type Ask = Read<typeof ask>

const progress = table('evidence_queue', {
  readyAt: instant,
  dueAt: instant,
  /** How often a second answer about its movements was asked for in vain; apart from the answers without it. */
  tries: int,
  reads: int,
  firstAt: instant.orNull(),
  lastAt: instant.orNull(),
  controlAt: instant.orNull(),
  rests: int,
})
const queue = table('evidence_queue', {
  ask,
  hash,
  addedAt: instant,
  height: int.orNull(),
  time: instant,
  ...progress.shape,
  /** Long over when it was first seen. */
  isLate: flag.from('late'),
  risk: real,
})
/** A leg that is to be asked of one source. Times are ours but `time`, which is the chain's. */
export type QueuedLeg = Omit<Read<typeof queue>, 'risk'>

/** A leg that waits already is asked at the earlier of both times. */
export function queueLeg(
  db: Database,
  leg: Pick<QueuedLeg, 'ask' | 'hash' | 'height' | 'time' | 'dueAt' | 'isLate'> & { readonly risk: number },
  now: UnixMs,
): void {
  db.prepare(
    `INSERT INTO evidence_queue (ask, hash, added_at, ready_at, due_at, height, time, late, risk) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (hash, ask) DO UPDATE SET due_at = min(due_at, excluded.due_at), ready_at = min(ready_at, excluded.ready_at),
       late = min(late, excluded.late), risk = max(risk, excluded.risk)`,
  ).run(
    leg.ask,
    toHashCell(leg.hash),
    now,
    now,
    leg.dueAt,
    leg.height,
    leg.time,
    leg.isLate ? 1 : 0,
    leg.risk,
  )
}

/** The same; a leg that waits already keeps its time. */
export function queueUnlessQueued(
  db: Database,
  { ask, hash, height, time, isLate }: Pick<QueuedLeg, 'ask' | 'hash' | 'height' | 'time' | 'isLate'>,
  now: UnixMs,
): void {
  db.prepare(
    'INSERT OR IGNORE INTO evidence_queue (ask, hash, added_at, ready_at, due_at, height, time, late) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  ).run(ask, toHashCell(hash), now, now, now, height, time, isLate ? 1 : 0)
}

/**
 * The legs that may be asked: of those that have to be by now the ones of most value first, and each tenth the one that
 * has waited longest; then those that could wait.
 * @param before turns that were taken already, where there are few at a time
 */
export function listQueued(
  db: Database,
  ask: Ask,
  isLate: boolean,
  now: UnixMs,
  limit: number,
  before = 0,
): QueuedLeg[] {
  const find = (order: string) =>
    queue.all(
      db,
      `SELECT ${queue.list()} FROM evidence_queue WHERE ask = ? AND late = ${isLate ? 1 : 0} AND ready_at <= ? ORDER BY ${order} LIMIT ?`,
      ask,
      now,
      limit,
    )
  // What is long over has no hurry.
  if (isLate) return find('due_at').map(withoutRisk)
  const legs = [...new Map([...find('risk DESC'), ...find('due_at')].map((leg) => [leg.hash, leg])).values()]
  const order = (some: typeof legs) =>
    valueFirst(some, ({ dueAt, risk }) => ({ share: risk, since: dueAt, counts: true }), limit, before)
  const [due, early] = [legs.filter(({ dueAt }) => dueAt <= now), legs.filter(({ dueAt }) => dueAt > now)]
  return [...order(due), ...order(early)].slice(0, limit).map(withoutRisk)
}

function withoutRisk(row: Read<typeof queue>): QueuedLeg {
  const { risk: _, ...leg } = row
  return leg
}

/** Which questions a leg waits for. */
export function listQuestions(db: Database, hash: string): Ask[] {
  const sql = 'SELECT ask FROM evidence_queue WHERE ask IN (SELECT value FROM json_each(?)) AND hash = ?'
  return ask.all(db, sql, JSON.stringify(['zone', 'main', 'native', 'receipt']), toHashCell(hash))
}

/** Whether fewer than so many legs of what was long over could be asked now. */
export function isShortOfHistory(db: Database, asks: readonly Ask[], now: UnixMs, least: number): boolean {
  const sql = 'SELECT 1 FROM evidence_queue WHERE ask = ? AND late = 1 AND due_at <= ? LIMIT ?'
  const due = asks.map((ask) => db.prepare(sql).all(ask, now, least).length)
  return due.reduce((sum, count) => sum + count, 0) < least
}

/** When the next leg has to be asked; null when none waits. */
export function nextDueAt(db: Database, asks: readonly Ask[], isLate: boolean): UnixMs | null {
  const sql = 'SELECT min(due_at) FROM evidence_queue WHERE ask = ? AND late = ?'
  const times = asks.flatMap((ask) => instant.orNull().get(db, sql, ask, isLate ? 1 : 0) ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

/** The explorer's word on a transaction is wanted now: another source does not know it. */
export function hurryLeg(db: Database, hash: string, now: UnixMs): void {
  for (const ask of ['zone', 'main', 'native'] as const) {
    db.prepare('UPDATE evidence_queue SET due_at = min(due_at, ?) WHERE ask = ? AND hash = ?').run(
      now,
      ask,
      toHashCell(hash),
    )
  }
}

export function saveQueued(db: Database, leg: QueuedLeg): void {
  db.prepare(`UPDATE evidence_queue SET ${progress.set} WHERE ask = ? AND hash = ?`).run(
    ...progress.values(leg),
    leg.ask,
    toHashCell(leg.hash),
  )
}

export function dropQueued(db: Database, ask: Ask, hash: string): void {
  db.prepare('DELETE FROM evidence_queue WHERE ask = ? AND hash = ?').run(ask, toHashCell(hash))
}

/** Forgets the questions about a hash that no transfer names any more. */
export function dropQueuedHash(db: Database, hash: string): void {
  db.prepare('DELETE FROM evidence_queue WHERE hash = ?').run(toHashCell(hash))
}
