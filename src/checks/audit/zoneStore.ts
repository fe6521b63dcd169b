import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { columns, int } from '../../store/table.ts'

const hourMs = 3_600_000

/** Zone blocks that were there between two heights, of which so many were looked into. */
export function noteZoneBlocks(
  db: Database,
  at: UnixMs,
  blocks: { readonly read: number; readonly first: number; readonly last: number },
): void {
  db.prepare(
    `INSERT INTO zone_audit_hours (hour, read, first_height, last_height) VALUES (?, ?, ?, ?)
     ON CONFLICT (hour) DO UPDATE SET read = read + excluded.read, first_height = min(first_height, excluded.first_height),
       last_height = max(last_height, excluded.last_height)`,
  ).run(Math.floor(at / hourMs) * hourMs, blocks.read, blocks.first, blocks.last)
}

/** Which share of the zone's blocks was looked into, by hours of their block time; null when none was. */
export function readZoneShare(db: Database, from: UnixMs, until: UnixMs): number | null {
  const sql = `SELECT sum(read) AS read, min(first_height) AS first, max(last_height) AS last FROM zone_audit_hours
    WHERE hour >= ? AND hour < ? HAVING count(*) > 0`
  const span = spans.get(db, sql, Math.floor(from / hourMs) * hourMs, until)
  return span && Math.min(1, span.read / (span.last - span.first + 1))
}

const spans = columns({ read: int, first: int, last: int })

export function purgeZoneAudit(db: Database, before: UnixMs): void {
  db.prepare('DELETE FROM zone_audit_hours WHERE hour < ?').run(before)
}
