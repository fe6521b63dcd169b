import type { Finding } from '../../bridge/finding.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { decodeFinding } from '../../alerts/findingJson.ts'
import type { Database } from '../../store/database.ts'
import { instant, int, table, text } from '../../store/table.ts'

/** A preconfirmed transaction that was told to be dropped, with what was told of it. */
export interface DroppedPreconf {
  readonly hash: string
  readonly toldAt: UnixMs
  readonly finding: Finding
}

/** Kept in all: a chain that drops more than this is another story. */
const maxKept = 2_000

export function keepDroppedPreconf(
  db: Database,
  finding: Finding,
  at: { now: UnixMs; nextAt: UnixMs },
): void {
  db.prepare('INSERT OR REPLACE INTO preconf_dropped VALUES (?, ?, ?, ?)').run(
    finding.subject,
    at.now,
    at.nextAt,
    JSON.stringify(finding),
  )
  const count = int.get(db, 'SELECT count(*) FROM preconf_dropped') ?? 0
  if (count <= maxKept) return
  db.prepare(
    'DELETE FROM preconf_dropped WHERE hash IN (SELECT hash FROM preconf_dropped ORDER BY told_at LIMIT ?)',
  ).run(count - maxKept)
}

export function listDueDroppedPreconf(db: Database, now: UnixMs, limit: number): DroppedPreconf[] {
  const sql = 'SELECT hash, told_at, finding FROM preconf_dropped WHERE next_at <= ? ORDER BY next_at LIMIT ?'
  return told.all(db, sql, now, limit).map((row) => ({ ...row, finding: decodeFinding(row.finding) }))
}

const told = table('preconf_dropped', { hash: text, toldAt: instant, finding: text })

export function postponeDroppedPreconf(db: Database, hash: string, nextAt: UnixMs): void {
  db.prepare('UPDATE preconf_dropped SET next_at = ? WHERE hash = ?').run(nextAt, hash)
}

export function forgetDroppedPreconf(db: Database, hash: string): void {
  db.prepare('DELETE FROM preconf_dropped WHERE hash = ?').run(hash)
}
