import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { instant, type Read, table, text } from '../../store/table.ts'
import type { PollerStatus } from './runner.ts'

const intervals = table('coverage', { from: instant.from('from_at'), until: instant.from('until_at') })

export type Interval = Read<typeof intervals>

export interface Coverage {
  /** Of the asked time, from 0 to 1. */
  readonly share: number
  /** What was not observed, rising. */
  readonly gaps: readonly Interval[]
}

/** Distances between readings up to so many intervals are no gap. */
const gapIntervals = 3

/** Nor is a shorter one: a slow answer is not blindness. */
const minGapMs = 10_000

/** These read no source: a pause of theirs hides nothing. Some were noted by versions before. */
const ownChores: ReadonlySet<string> = new Set([
  'upkeep',
  'heartbeat',
  'report',
  'reportWeek',
  'reportMonth',
  'canary',
  'checkpoint',
  'repack',
  'backups',
  'heldJudgements',
  'preconfPayouts',
])

/**
 * Notes a successful reading of a source (a poller's name). Readings at most `maxGapMs` apart are one interval; a
 * reading older than the newest one says nothing new.
 */
export function noteCoverage(db: Database, source: string, at: UnixMs, maxGapMs: number): void {
  const newest = 'from_at = (SELECT max(from_at) FROM coverage WHERE source = ?1)'
  const sql = `UPDATE coverage SET until_at = max(until_at, ?2) WHERE source = ?1 AND ${newest} AND until_at >= ?2 - ?3`
  if (db.prepare(sql).run(source, at, maxGapMs).changes === 0)
    db.prepare('INSERT INTO coverage VALUES (?, ?, ?)').run(source, at, at)
}

/** When the ledger says that a source was last read; null when it never was. */
export function lastCovered(db: Database, source: string): UnixMs | null {
  return instant.get(
    db,
    'SELECT until_at FROM coverage WHERE source = ? ORDER BY from_at DESC LIMIT 1',
    source,
  )
}

/** Whether a poller is one of those that are noted. */
export function readsSource({ poller, asksNobody }: Pick<PollerStatus, 'poller' | 'asksNobody'>): boolean {
  return asksNobody !== true && !ownChores.has(poller)
}

/** The intervals of a source that touch a time, rising. */
export function listCovered(db: Database, source: string, { from, until }: Interval): Interval[] {
  // Intervals do not overlap: of those that began before, only the last one can reach into it.
  const sql = `SELECT from_at, until_at FROM coverage WHERE source = ?1 AND from_at <= ?2 AND until_at >= ?3
    AND from_at >= coalesce((SELECT max(from_at) FROM coverage WHERE source = ?1 AND from_at <= ?3), ?3) ORDER BY from_at`
  return intervals.all(db, sql, source, until, from)
}

/** Which part of a time was observed, and what was not, given intervals that rise and do not overlap. */
export function coverageOf(covered: readonly Interval[], { from, until }: Interval): Coverage {
  const gaps: Interval[] = []
  let at = from
  for (const interval of covered) {
    if (interval.until < at || interval.from > until) continue
    if (interval.from > at) gaps.push({ from: at, until: interval.from })
    at = Math.max(at, Math.min(interval.until, until))
  }
  if (at < until) gaps.push({ from: at, until })
  const missing = gaps.reduce((sum, gap) => sum + gap.until - gap.from, 0)
  return { share: until > from ? 1 - missing / (until - from) : 1, gaps }
}

/** Every source that was ever noted and is still kept. */
export function listCoveredSources(db: Database): string[] {
  // From one source's name to the next: a look-up each, however many intervals are kept.
  const sql = `WITH RECURSIVE names(source) AS (
      SELECT min(source) FROM coverage
      UNION ALL SELECT (SELECT min(c.source) FROM coverage c WHERE c.source > names.source) FROM names
      WHERE names.source IS NOT NULL)
    SELECT source FROM names WHERE source IS NOT NULL`
  return text.all(db, sql)
}

/** When a source was first observed; null when it never was. */
export function observedSince(db: Database, source: string): UnixMs | null {
  return instant.orNull().get(db, 'SELECT min(from_at) FROM coverage WHERE source = ?', source)
}

/** Forgets intervals that ended before a time, at most `limit` of each source. */
export function purgeCoverage(db: Database, before: UnixMs, limit: number): void {
  const old =
    'SELECT from_at FROM coverage WHERE source = ? AND from_at < ? AND until_at < ? ORDER BY from_at LIMIT ?'
  for (const source of listCoveredSources(db)) {
    for (const from of instant.all(db, old, source, before, before, limit)) {
      db.prepare('DELETE FROM coverage WHERE source = ? AND from_at = ?').run(source, from)
    }
  }
}

/** The clock that the newest intervals were noted by was set back by so much before this start. */
export function setCoverageBack(db: Database, byMs: number, now: UnixMs): void {
  db.prepare(
    'UPDATE OR REPLACE coverage SET from_at = from_at - ?1, until_at = until_at - ?1 WHERE until_at > ?2',
  ).run(byMs, now)
}

/** Notes, inside a transaction, when each poller last read its source. Costs nothing where nothing was read since. */
export function createCoverageNotes(
  db: Database,
  pollers: () => readonly Pick<PollerStatus, 'poller' | 'intervalMs' | 'asksNobody' | 'lastSuccessAt'>[],
): () => void {
  const noted = new Map<string, UnixMs>()
  return () => {
    for (const status of pollers()) {
      const { poller, intervalMs, lastSuccessAt } = status
      if (!readsSource(status) || lastSuccessAt === null || noted.get(poller) === lastSuccessAt) continue
      noteCoverage(db, poller, lastSuccessAt, Math.max(gapIntervals * intervalMs, minGapMs))
      noted.set(poller, lastSuccessAt)
    }
  }
}
