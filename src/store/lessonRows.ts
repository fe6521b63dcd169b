import type { UnixMs } from '../lib/clock.ts'
import type { Database } from './database.ts'

/** One sample of what zone transactions mean, or one word on a meaning that is in doubt. */
export interface LessonRow {
  readonly kind: 'zone' | 'action' | 'dissent'
  readonly name: string
  readonly value: string
  readonly hash: string
  readonly party: string
  readonly at: UnixMs
}

/** All that was learned of zone transactions, the newest first. */
export function listLessonRows(db: Database): LessonRow[] {
  return db
    .prepare(
      "SELECT kind, name, value, hash, party, at FROM learned_samples WHERE kind IN ('zone', 'action', 'dissent') ORDER BY at DESC, hash",
    )
    .all()
    .map((row) => ({
      // The query asks for no others.
      kind: String(row['kind']) as LessonRow['kind'],
      name: String(row['name']),
      value: String(row['value']),
      hash: String(row['hash']),
      party: String(row['party']),
      at: Number(row['at']),
    }))
}
