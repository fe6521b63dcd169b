import { keptFinding } from '../../alerts/findingJson.ts'
import type { Finding } from '../../bridge/finding.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { instant, int, table, text } from '../../store/table.ts'
import type { CanonicalSource } from './canonicalSource.ts'
import { preconfDropped } from './dropped.ts'
import type { Found } from './receipt.ts'

export interface DroppedWatch extends Pick<Kernel, 'clock' | 'commit' | 'db'> {
  readonly source: Pick<CanonicalSource, 'name' | 'find'>
}

/** What was not mined by then stays dropped. */
const watchedMs = 48 * 3_600_000

const firstMs = 30_000

const longestMs = 3_600_000

const batchSize = 20

/** A preconfirmed transaction that was reported as dropped, with the finding. */
interface DroppedPreconf {
  readonly hash: string
  readonly toldAt: UnixMs
  readonly finding: Finding
}

/** Kept in all: a chain that drops more than this is another story. */
const maxKept = 2_000

const told = table('preconf_dropped', { hash: text, toldAt: instant, finding: text })

/** Remembers what was reported as dropped; inside the commit that reports it. */
export function watchDropped(db: Database, findings: readonly Finding[], now: UnixMs): void {
  for (const finding of findings) {
    if (finding.kind === preconfDropped.kind) keepDroppedPreconf(db, finding, { now, nextAt: now + firstMs })
  }
}

/**
 * Looks again, ever more rarely, for transactions that were reported as dropped: one that is mined after all, out of
 * a pool where it lay, corrects what was sent.
 */
export async function pollDropped(of: DroppedWatch, signal: AbortSignal): Promise<void> {
  const due = listDueDroppedPreconf(of.db, of.clock.now(), batchSize)
  if (due.length === 0) return
  const hashes = due.map(({ hash }) => hash)
  const found = await of.source.find(hashes, signal)
  of.commit({
    apply: (now) => due.flatMap((one) => settle(of, one, found.get(one.hash) ?? { at: 'unknown' }, now)),
  })
}

function settle({ db, source }: DroppedWatch, one: DroppedPreconf, found: Found, now: UnixMs): Finding[] {
  const age = now - one.toldAt
  if (found.at === 'block') {
    forgetDroppedPreconf(db, one.hash)
    const status = found.transaction.status ?? 'status not said'
    const says = `in block ${found.height} after all: ${status}`
    const note = { source: source.name === 'canonical' ? 'canonical RPC' : 'E7', at: now, says }
    return [{ ...one.finding, evidence: [...one.finding.evidence, note], isOver: true }]
  }
  if (age > watchedMs) forgetDroppedPreconf(db, one.hash)
  else {
    const wait = found.at === 'unknown' ? firstMs : Math.min(Math.max(age, firstMs), longestMs)
    postponeDroppedPreconf(db, one.hash, now + wait)
  }
  return []
}

function keepDroppedPreconf(db: Database, finding: Finding, at: { now: UnixMs; nextAt: UnixMs }): void {
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

function listDueDroppedPreconf(db: Database, now: UnixMs, limit: number): DroppedPreconf[] {
  const sql = 'SELECT hash, told_at, finding FROM preconf_dropped WHERE next_at <= ? ORDER BY next_at LIMIT ?'
  return told.all(db, sql, now, limit).map(({ hash, toldAt, finding }) => {
    const { kind } = preconfDropped
    return { hash, toldAt, finding: keptFinding({ finding, kind, subject: hash, activeAt: toldAt }) }
  })
}

function postponeDroppedPreconf(db: Database, hash: string, nextAt: UnixMs): void {
  db.prepare('UPDATE preconf_dropped SET next_at = ? WHERE hash = ?').run(nextAt, hash)
}

function forgetDroppedPreconf(db: Database, hash: string): void {
  db.prepare('DELETE FROM preconf_dropped WHERE hash = ?').run(hash)
}
