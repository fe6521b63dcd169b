import type { Finding } from '../../bridge/finding.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'

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
  const { n } = db.prepare('SELECT count(*) AS n FROM preconf_dropped').get() ?? {}
  if (Number(n) <= maxKept) return
  db.prepare(
    'DELETE FROM preconf_dropped WHERE hash IN (SELECT hash FROM preconf_dropped ORDER BY told_at LIMIT ?)',
  ).run(Number(n) - maxKept)
}

export function listDueDroppedPreconf(db: Database, now: UnixMs, limit: number): DroppedPreconf[] {
  return db
    .prepare('SELECT * FROM preconf_dropped WHERE next_at <= ? ORDER BY next_at LIMIT ?')
    .all(now, limit)
    .map((row) => ({
      hash: String(row['hash']),
      toldAt: Number(row['told_at']),
      // Written above; such a finding has no transfer, and so no amounts beyond what JSON holds.
      finding: JSON.parse(String(row['finding'])) as Finding,
    }))
}

export function postponeDroppedPreconf(db: Database, hash: string, nextAt: UnixMs): void {
  db.prepare('UPDATE preconf_dropped SET next_at = ? WHERE hash = ?').run(nextAt, hash)
}

export function forgetDroppedPreconf(db: Database, hash: string): void {
  db.prepare('DELETE FROM preconf_dropped WHERE hash = ?').run(hash)
}
