import type { UnixMs } from '../lib/clock.ts'
import type { Database } from './database.ts'

export interface Interval {
  readonly from: UnixMs
  readonly until: UnixMs
}

export interface Coverage {
  /** Of the asked time, from 0 to 1. */
  readonly share: number
  /** What was not observed, rising. */
  readonly gaps: readonly Interval[]
}

/**
 * Notes a successful reading of a source (a poller's name). Readings at most `maxGapMs` apart are one interval; a
 * reading older than the newest one says nothing new.
 */
export function noteCoverage(db: Database, source: string, at: UnixMs, maxGapMs: number): void {
  const last = db
    .prepare('SELECT from_at, until_at FROM coverage WHERE source = ? ORDER BY from_at DESC LIMIT 1')
    .get(source)
  if (last && at <= Number(last['until_at'])) return
  if (last && at - Number(last['until_at']) <= maxGapMs) {
    db.prepare('UPDATE coverage SET until_at = ? WHERE source = ? AND from_at = ?').run(
      at,
      source,
      Number(last['from_at']),
    )
  } else db.prepare('INSERT INTO coverage VALUES (?, ?, ?)').run(source, at, at)
}

/** The intervals of a source that touch a time, rising. */
export function listCovered(db: Database, source: string, { from, until }: Interval): Interval[] {
  return db
    .prepare(
      'SELECT from_at, until_at FROM coverage WHERE source = ? AND from_at <= ? AND until_at >= ? ORDER BY from_at',
    )
    .all(source, until, from)
    .map((row) => ({ from: Number(row['from_at']), until: Number(row['until_at']) }))
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
  return db
    .prepare('SELECT DISTINCT source FROM coverage ORDER BY source')
    .all()
    .map((row) => String(row['source']))
}

/** When a source was first observed; null when it never was. */
export function observedSince(db: Database, source: string): UnixMs | null {
  const row = db.prepare('SELECT min(from_at) AS first FROM coverage WHERE source = ?').get(source)
  return row?.['first'] == null ? null : Number(row['first'])
}

export function purgeCoverage(db: Database, before: UnixMs): void {
  db.prepare('DELETE FROM coverage WHERE until_at < ?').run(before)
}
