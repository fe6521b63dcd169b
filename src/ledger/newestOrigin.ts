import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'

/** When value last left either chain; null before the first transfer. */
export function readNewestOrigin(db: Database): UnixMs | null {
  const at = db.prepare('SELECT max(origin_at) AS at FROM transfers').get()?.['at'] ?? null
  return at === null ? null : Number(at)
}

/** The main hash of a recent transfer: a question whose answer is known. */
export function readRecentMainHash(db: Database): string | null {
  const sql =
    'SELECT main_hash FROM transfers WHERE main_hash IS NOT NULL AND state = ? ORDER BY origin_at DESC LIMIT 1'
  const hash = db.prepare(sql).get('completed')?.['main_hash'] ?? null
  return hash === null ? null : String(hash)
}
