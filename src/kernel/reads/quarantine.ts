import { createHash } from 'node:crypto'
import { outsideFilter } from '../../clients/explorer/fits.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { columns, flag, instant, int, type Read, text } from '../../store/table.ts'

export interface QuarantinedRecord {
  readonly endpoint: string
  readonly problem: string
  /** The record as it came, cut at 4,000 characters. */
  readonly raw: string
}

const summaries = columns({
  endpoint: text,
  count: int,
  firstAt: instant,
  lastAt: instant,
  problem: text,
  /** Whether they are more than rows that a filter should have left out. */
  isOfList: flag,
})
export type QuarantineSummary = Read<typeof summaries>

/** Kept of one endpoint; a source that sends nothing but rubbish must not fill the disk. */
const maxPerEndpoint = 1_000

export function recordQuarantine(db: Database, records: readonly QuarantinedRecord[], now: UnixMs): void {
  for (const record of records) {
    const digest = createHash('sha256').update(record.raw).digest('hex').slice(0, 32)
    db.prepare(
      `INSERT INTO quarantine (endpoint, digest, problem, raw, first_at, last_at, seen) VALUES (?, ?, ?, ?, ?, ?, 1)
       ON CONFLICT (endpoint, digest) DO UPDATE SET last_at = excluded.last_at, seen = seen + 1, problem = excluded.problem`,
    ).run(record.endpoint, digest, record.problem, record.raw, now, now)
  }
  for (const endpoint of new Set(records.map((record) => record.endpoint))) {
    db.prepare(
      `DELETE FROM quarantine WHERE endpoint = ? AND id NOT IN
       (SELECT id FROM quarantine WHERE endpoint = ? ORDER BY last_at DESC LIMIT ?)`,
    ).run(endpoint, endpoint, maxPerEndpoint)
  }
}

/** Per endpoint: how many distinct bad records were seen since `since`, and the newest problem. */
export function summarizeQuarantine(db: Database, since: UnixMs): QuarantineSummary[] {
  const sql = `SELECT endpoint, count(*) AS count, min(first_at) AS first_at, max(last_at) AS last_at, problem,
      max(instr(problem, ?) <> 1) AS is_of_list
    FROM quarantine WHERE last_at >= ? GROUP BY endpoint ORDER BY endpoint`
  return summaries.all(db, sql, outsideFilter, since)
}

const unread = columns({ endpoint: text, problem: text, at: instant })
export type UnreadRow = Read<typeof unread>

/** Rows that could not be read and were first seen from a time on, the newest first: what was seen before is of what was before. */
export function listUnreadRows(db: Database, since: UnixMs, limit: number): UnreadRow[] {
  const sql = `SELECT endpoint, problem, last_at AS at FROM quarantine WHERE last_at >= ?1 AND first_at >= ?1
    AND instr(problem, ?2) <> 1 ORDER BY last_at DESC LIMIT ?3`
  return unread.all(db, sql, since, outsideFilter, limit)
}

const raws = columns({ raw: text, firstAt: instant })

/** The rows of an endpoint that could not be read, as they came: of those that are kept the newest. */
export function listUnreadRaws(db: Database, endpoint: string, limit = maxPerEndpoint): Read<typeof raws>[] {
  const sql = `SELECT raw, first_at FROM quarantine WHERE endpoint = ? AND instr(problem, ?) <> 1
    ORDER BY first_at DESC LIMIT ?`
  return raws.all(db, sql, endpoint, outsideFilter, limit)
}
