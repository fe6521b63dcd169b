import type { Lesson } from '../meaning/openLessons.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'

/** Of one lesson the newest that wait for it. */
const maxWaiting = 5_000

/** Keeps what a transfer's judgement waits for, and nothing else of it. */
export function saveOpenLessons(db: Database, key: string, lessons: readonly Lesson[], now: UnixMs): void {
  db.prepare('DELETE FROM open_lessons WHERE transfer_key = ?').run(key)
  for (const lesson of lessons)
    db.prepare('INSERT OR IGNORE INTO open_lessons VALUES (?, ?, ?)').run(JSON.stringify(lesson), key, now)
}

/** Has the transfers judged again that waited for what is known by now. */
export function releaseLessons(db: Database, isLearned: (lesson: Lesson) => boolean, now: UnixMs): void {
  for (const row of db.prepare('SELECT DISTINCT lesson FROM open_lessons').all()) {
    const lesson = String(row['lesson'])
    // Written by saveOpenLessons.
    if (!isLearned(JSON.parse(lesson) as Lesson)) continue
    db.prepare(
      'INSERT OR IGNORE INTO held_judgements SELECT transfer_key, ? FROM open_lessons WHERE lesson = ?',
    ).run(now, lesson)
    db.prepare('DELETE FROM open_lessons WHERE lesson = ?').run(lesson)
  }
}

/** Forgets who began to wait before, and the oldest of more than are judged again. */
export function purgeOpenLessons(db: Database, before: UnixMs): void {
  db.prepare('DELETE FROM open_lessons WHERE at < ?').run(before)
  const crowded = db
    .prepare('SELECT lesson, count(*) AS n FROM open_lessons GROUP BY lesson HAVING n > ?')
    .all(maxWaiting)
  for (const { lesson, n } of crowded)
    db.prepare(
      'DELETE FROM open_lessons WHERE lesson = ?1 AND transfer_key IN (SELECT transfer_key FROM open_lessons WHERE lesson = ?1 ORDER BY at LIMIT ?2)',
    ).run(lesson ?? '', Number(n) - maxWaiting)
}
