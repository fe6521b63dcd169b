import type { Direction } from '../../bridge/observation.ts'
import { ofSender } from '../../ledger/sightings/parties.ts'
import { formatKey } from '../../ledger/transfers/transferRows.ts'
import type { AppConfig } from '../../kernel/settings.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { readMetaNumber, saveMeta } from '../../store/meta.ts'
import { columns, instant, int, text } from '../../store/table.ts'
import type { ProbeFact } from './facts.ts'

export type Prober = Pick<ProbeFact, 'address' | 'direction' | 'everyMs'>
type Address = Pick<Prober, 'address' | 'direction'>

export function toProbers({ probes }: AppConfig['bridge']): Prober[] {
  return probes.map((probe) => ({ ...probe, address: probe.address.toLowerCase() }))
}

/** What is known of a prober's transfers; of the past, what had happened before a time. */
export function readProbe(db: Database, prober: Prober, since: UnixMs, before?: UnixMs): ProbeFact {
  const last = readLastThrough(db, prober, before)
  return { ...prober, since, last, open: readOpen(db, prober, last?.leftAt ?? since, before) }
}

const arrived = columns({ key: int, leftAt: instant, arrivedAt: instant })
const counted = columns({
  count: int,
  failed: int.orNull(),
  oldestAt: instant.orNull(),
  newestAt: instant.orNull(),
})

/** A time that does not come: all there is. */
const never: UnixMs = Number.MAX_SAFE_INTEGER

/** The newest of a prober's transfers that came through, or had before a time. */
export function readLastThrough(
  db: Database,
  { address, direction }: Address,
  before = never,
): ProbeFact['last'] {
  const newest = ofSender(
    (rows) => `SELECT * FROM (SELECT key, origin_at AS left_at, destination_at AS arrived_at ${rows}
      AND direction = ?2 AND state = 'completed' AND destination_at < ?3 AND origin_at < ?3 ORDER BY origin_at DESC LIMIT 1)`,
  )
  const sql = `${newest} ORDER BY left_at DESC LIMIT 1`
  const row = arrived.get(db, sql, address, direction, before)
  return row && { ...row, key: formatKey(row.key) }
}

/** What of it left after a time and has not come through, or had not before another. */
export function readOpen(
  db: Database,
  { address, direction }: Address,
  after: UnixMs,
  before = never,
): ProbeFact['open'] {
  const open = ofSender(
    (rows) => `SELECT state, origin_at ${rows}
      AND direction = ?2 AND origin_at > ?3 AND origin_at < ?4 AND (state <> 'completed' OR destination_at >= ?4)`,
  )
  const sql = `SELECT count(*) AS count, sum(state = 'failed') AS failed, min(origin_at) AS oldest_at, max(origin_at) AS newest_at
    FROM (${open})`
  const row = counted.get(db, sql, address, direction, after, before)
  if (row === null || row.oldestAt === null || row.newestAt === null) return null
  return { count: row.count, failed: row.failed ?? 0, oldestAt: row.oldestAt, newestAt: row.newestAt }
}

/** How long those took that left since a time and came through, ms, rising. */
export function listLatencies(db: Database, { address, direction }: Address, since: UnixMs): number[] {
  const sql = ofSender(
    (rows) => `SELECT destination_at - origin_at ${rows}
      AND direction = ?2 AND origin_at >= ?3 AND state = 'completed' AND destination_at IS NOT NULL`,
  )
  return int.all(db, sql, address, direction, since).sort((a, b) => a - b)
}

const prefix = 'probe_since:'
const nameOf = (address: string, direction: Direction) => `${prefix}${address}:${direction}`

/** Since when a prober is looked for; null before that was noted. */
export function readSince(db: Database, { address, direction }: Address): UnixMs | null {
  return readMetaNumber(db, nameOf(address, direction))
}

/**
 * Notes since when each of these is looked for, once, and forgets the others: who is looked for anew is waited for anew. A
 * time that has not come, by a clock that was ahead, is now.
 */
export function noteSince(db: Database, probers: readonly Address[], now: UnixMs): void {
  const names = new Set(probers.map(({ address, direction }) => nameOf(address, direction)))
  const known = text.all(db, 'SELECT name FROM meta WHERE name >= ? AND name < ?', prefix, `${prefix}~`)
  for (const name of known) if (!names.has(name)) db.prepare('DELETE FROM meta WHERE name = ?').run(name)
  for (const name of names) {
    const since = readMetaNumber(db, name)
    if (since === null || since > now) saveMeta(db, name, String(now))
  }
}
