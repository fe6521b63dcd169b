import { encodeFinding, keptFinding } from '../alerts/findingJson.ts'
import type { Finding } from '../bridge/finding.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { columns, instant, int, type Read, table, text } from '../store/table.ts'

/** What was told of transactions that were preconfirmed, until it is known what became of them. */
const early = table('early_findings', {
  kind: text,
  subject: text,
  hash: text,
  toldAt: instant,
  nextAt: instant.orNull(),
  misses: int,
  finding: text,
})
const due = columns({ hash: text, misses: int })

/** A block is settled within this; what is not, as after a restart, is looked for by its hash. */
const settledMs = 120_000

/**
 * Remembers what is told of a transaction; inside the commit that tells it.
 * @returns what was not told before: after a restart the same block is read again
 */
export function keepEarly(
  db: Database,
  hash: string,
  findings: readonly Finding[],
  now: UnixMs,
): readonly Finding[] {
  return findings.filter((finding) => {
    const { kind, subject } = finding
    const row = { kind, subject, hash, toldAt: now, nextAt: now + settledMs, misses: 0 }
    const { changes } = db
      .prepare(`INSERT OR IGNORE ${early.into}`)
      .run(...early.values({ ...row, finding: encodeFinding(finding) }))
    return changes === 1
  })
}

/** What was told of this subject before its block; null when nothing was, or it was withdrawn. */
export function findEarly(db: Database, kind: string, subject: string): Finding | null {
  const row = early.get(db, 'SELECT * FROM early_findings WHERE kind = ? AND subject = ?', kind, subject)
  return row && keptFinding({ ...row, activeAt: row.toldAt })
}

/** The block that a transaction was preconfirmed for, as what was told of it says; null where that does not. */
export function heightOfEarly(db: Database, hash: string): number | null {
  const rows = early.all(db, 'SELECT * FROM early_findings WHERE hash = ?', hash)
  const heights = rows.map((row) => keptFinding({ ...row, activeAt: row.toldAt }).facts['height'])
  return heights.find((height) => typeof height === 'number') ?? null
}

/** The transactions that are not known to be in a block, of which something was told. */
export function listOpenEarly(db: Database): ReadonlySet<string> {
  const sql = 'SELECT DISTINCT hash FROM early_findings WHERE next_at IS NOT NULL'
  return new Set(text.all(db, sql))
}

/** The transaction is in a block: what was told of it stands. */
export function confirmEarly(db: Database, hash: string): void {
  db.prepare('UPDATE early_findings SET next_at = NULL WHERE hash = ?').run(hash)
}

/** Why what was told of a transaction holds no more, and whose word that is. */
interface Withdrawal {
  readonly source: string
  readonly says: string
  /** Left out, all that was told of the transaction. */
  readonly kind?: string
}

/** Takes back what was told of a transaction. @returns the corrections */
export function withdrawEarly(
  db: Database,
  hash: string,
  { source, says, kind }: Withdrawal,
  now: UnixMs,
): Finding[] {
  const rows = early
    .all(db, 'SELECT * FROM early_findings WHERE hash = ?', hash)
    .filter((row) => kind === undefined || row.kind === kind)
  return rows.map((row) => {
    db.prepare('DELETE FROM early_findings WHERE kind = ? AND subject = ?').run(row.kind, row.subject)
    const told = keptFinding({ ...row, activeAt: row.toldAt })
    const evidence = [...told.evidence, { source, at: now, says }]
    return { ...told, title: `${told.title}: ${says}`, evidence, isOver: true }
  })
}

/** Transactions that are to be looked for by hash, and how often they were missed. */
export function listDueEarly(db: Database, now: UnixMs, limit: number): Read<typeof due>[] {
  const sql = `SELECT hash, max(misses) AS misses FROM early_findings WHERE next_at <= ?
    GROUP BY hash ORDER BY min(next_at) LIMIT ?`
  return due.all(db, sql, now, limit)
}

export function postponeEarly(
  db: Database,
  hash: string,
  { nextAt, misses }: { readonly nextAt: UnixMs; readonly misses: number },
): void {
  db.prepare('UPDATE early_findings SET next_at = ?, misses = ? WHERE hash = ?').run(nextAt, misses, hash)
}

/** What was told so long ago is settled by what was told since. */
export function purgeEarly(db: Database, before: UnixMs): void {
  db.prepare('DELETE FROM early_findings WHERE told_at < ?').run(before)
}
