import type { Lesson } from '../../meaning/openLessons.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { columns, int, jsonOf, text } from '../../store/table.ts'

const waiting = columns({ lesson: text, meaning: jsonOf<Lesson>('about', 'direction', 'of').from('lesson') })
const crowds = columns({ lesson: text, count: int })

/** Of one lesson the newest that wait for it. */
const maxWaiting = 5_000

/** Which of these transfers wait for a lesson. */
export function listWaiting(db: Database, keys: readonly string[]): Set<string> {
  const sql =
    'SELECT DISTINCT transfer_key FROM open_lessons WHERE transfer_key IN (SELECT value FROM json_each(?))'
  return new Set(text.all(db, sql, JSON.stringify(keys)))
}

/** Keeps what a transfer's judgement waits for, and nothing else of it: `isWaiting` says whether there is anything so far. */
export function saveOpenLessons(
  db: Database,
  { key, isWaiting }: { readonly key: string; readonly isWaiting: boolean },
  lessons: readonly Lesson[],
  now: UnixMs,
): void {
  if (isWaiting) db.prepare('DELETE FROM open_lessons WHERE transfer_key = ?').run(key)
  for (const lesson of lessons)
    db.prepare('INSERT OR IGNORE INTO open_lessons VALUES (?, ?, ?)').run(JSON.stringify(lesson), key, now)
}

/** Has the transfers judged again that waited for what is known by now. */
export function releaseLessons(db: Database, isLearned: (lesson: Lesson) => boolean, now: UnixMs): void {
  for (const { lesson, meaning } of waiting.all(db, 'SELECT DISTINCT lesson FROM open_lessons')) {
    if (!isLearned(meaning)) continue
    db.prepare(
      'INSERT OR IGNORE INTO held_judgements SELECT transfer_key, ? FROM open_lessons WHERE lesson = ?',
    ).run(now, lesson)
    db.prepare('DELETE FROM open_lessons WHERE lesson = ?').run(lesson)
  }
}

/** Forgets who began to wait before, and the oldest of more than are judged again. */
export function purgeOpenLessons(db: Database, before: UnixMs): void {
  db.prepare('DELETE FROM open_lessons WHERE at < ?').run(before)
  const sql = 'SELECT lesson, count(*) AS count FROM open_lessons GROUP BY lesson HAVING count > ?'
  for (const { lesson, count } of crowds.all(db, sql, maxWaiting))
    db.prepare(
      'DELETE FROM open_lessons WHERE lesson = ?1 AND transfer_key IN (SELECT transfer_key FROM open_lessons WHERE lesson = ?1 ORDER BY at LIMIT ?2)',
    ).run(lesson, count - maxWaiting)
}
