import type { Database } from '../store/database.ts'
import { instant, oneOf, type Read, table, text } from '../store/table.ts'

const lessons = table('learned_samples', {
  kind: oneOf('token', 'vault', 'elsewhere', 'zone', 'action', 'fee', 'dissent'),
  name: text,
  value: text,
  hash: text,
  party: text,
  at: instant,
})
/** One sample of what zone transactions mean or of how money moves, or one word on a meaning that is in doubt. */
export type LessonRow = Read<typeof lessons>

/** All that was learned, the newest first. */
export function listLessonRows(db: Database): LessonRow[] {
  return lessons.all(db, 'SELECT * FROM learned_samples ORDER BY at DESC, hash')
}
