import type { UnixMs } from '../../lib/clock.ts'
import type { Steps } from '../../lib/steps.ts'
import type { Database } from '../../store/database.ts'
import { hash } from '../../store/hash.ts'
import { columns, instant, int, type Read } from '../../store/table.ts'
import { listUnanswered } from '../evidence/evidence.ts'
import { isOpenRow } from './transferRows.ts'

/** Looked at in one step: some milliseconds. */
const rowsPerStep = 500

// One that cannot be read must not hold back the others.
const failures = columns({ key: int, originAt: instant, zoneHash: hash.orElse('') })

/** Looked at before others that wait have their turn: where a storm left more, the next look goes on behind them. */
const rowsPerLook = 2_000

interface WithoutEvidence {
  readonly hashes: readonly string[]
  /** Where the next look goes on; null where it begins anew. */
  readonly next: FailurePlace | null
}

/** A row of the failed, by when its value left. */
export type FailurePlace = Pick<Read<typeof failures>, 'key' | 'originAt'>

/**
 * Zone hashes of failed transfers whose value left since a time that nothing was said of, and that were not asked of since
 * `askedSince`, the oldest first, at most `limit`.
 * @param after where the look before this one stopped; null begins with the oldest
 */
export function* listWithoutEvidence(
  db: Database,
  of: {
    readonly since: UnixMs
    readonly askedSince: UnixMs
    readonly after: FailurePlace | null
    readonly limit: number
  },
): Steps<WithoutEvidence> {
  const sql = `SELECT key, origin_at, zone_hash FROM transfers INDEXED BY transfers_open
    WHERE ${isOpenRow} AND state = 'failed' AND origin_at >= ?1 AND (origin_at > ?1 OR key > ?2) AND zone_hash IS NOT NULL
    ORDER BY origin_at, key LIMIT ?3`
  const found = new Set<string>()
  const oldest = { key: -1, originAt: of.since }
  let place: FailurePlace = of.after !== null && of.after.originAt >= of.since ? of.after : oldest
  for (let looked = 0; looked < rowsPerLook; looked += rowsPerStep) {
    const rows = failures.all(db, sql, place.originAt, place.key, rowsPerStep)
    const hashes = [...new Set(rows.flatMap(({ zoneHash }) => (zoneHash === '' ? [] : zoneHash)))]
    for (const one of listUnanswered(db, hashes, of.askedSince)) found.add(one)
    yield
    // What is beyond the limit is found again from here.
    if (found.size > of.limit) return { hashes: [...found].slice(0, of.limit), next: place }
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsPerStep) return { hashes: [...found], next: null }
    place = { key: last.key, originAt: last.originAt }
  }
  return { hashes: [...found], next: place }
}
