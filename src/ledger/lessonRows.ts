import type { MoneySample } from '../meaning/learnedActions.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'

/** One sample of what zone transactions mean or of how money moves, or one word on a meaning that is in doubt. */
export interface LessonRow {
  readonly kind: MoneySample['kind']
  readonly name: string
  readonly value: string
  readonly hash: string
  readonly party: string
  readonly at: UnixMs
}

/** All that was learned, the newest first. */
export function listLessonRows(db: Database): LessonRow[] {
  return db
    .prepare('SELECT kind, name, value, hash, party, at FROM learned_samples ORDER BY at DESC, hash')
    .all()
    .map((row) => ({
      // Written by learned.ts and dissent.ts.
      kind: String(row['kind']) as LessonRow['kind'],
      name: String(row['name']),
      value: String(row['value']),
      hash: String(row['hash']),
      party: String(row['party']),
      at: Number(row['at']),
    }))
}
