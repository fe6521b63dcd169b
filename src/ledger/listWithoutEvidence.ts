import type { UnixMs } from '../lib/clock.ts'
import type { Steps } from '../lib/steps.ts'
import type { Database } from '../store/database.ts'
import { hash } from '../store/hash.ts'
import { columns, instant, int, type Read } from '../store/table.ts'
import { listUnanswered } from './evidence.ts'
import { isOpenRow } from './transferRows.ts'

/** Looked at in one step: some milliseconds. */
const rowsPerStep = 500

// One that cannot be read must not hold back the others.
const failures = columns({ key: int, originAt: instant, zoneHash: hash.orElse('') })

/**
 * Zone hashes of failed transfers whose value left since a time that nothing was said of, and that were not asked of since
 * `askedSince`, the oldest first, at most `limit`. All that failed may have to be looked through for them.
 */
export function* listWithoutEvidence(
  db: Database,
  of: { readonly since: UnixMs; readonly askedSince: UnixMs; readonly limit: number },
): Steps<string[]> {
  const sql = `SELECT key, origin_at, zone_hash FROM transfers INDEXED BY transfers_open
    WHERE ${isOpenRow} AND state = 'failed' AND origin_at >= ?1 AND (origin_at > ?1 OR key > ?2) AND zone_hash IS NOT NULL
    ORDER BY origin_at, key LIMIT ?3`
  const found = new Set<string>()
  let last: Pick<Read<typeof failures>, 'key' | 'originAt'> | undefined = { key: -1, originAt: of.since }
  while (last !== undefined && found.size < of.limit) {
    const rows: Read<typeof failures>[] = failures.all(db, sql, last.originAt, last.key, rowsPerStep)
    const hashes = [...new Set(rows.flatMap(({ zoneHash }) => (zoneHash === '' ? [] : zoneHash)))]
    for (const one of listUnanswered(db, hashes, of.askedSince)) found.add(one)
    last = rows.length < rowsPerStep ? undefined : rows.at(-1)
    yield
  }
  return [...found].slice(0, of.limit)
}
