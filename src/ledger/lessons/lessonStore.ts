import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { hash, isHash, toHashCell } from '../../store/hash.ts'
import { columns, instant, int, oneOf, type Read, table, text } from '../../store/table.ts'

const lessonTable = table('lessons', {
  id: int,
  kind: oneOf('token', 'vault', 'elsewhere', 'zone', 'action', 'fee'),
  name: text,
  value: text,
})
const teachers = table('teachers', { hash, party: hash, at: instant })
const agedTeachers = table('teachers', { id: int, at: instant })
const { id: _, ...lesson } = lessonTable.shape
const lessonRows = columns({
  ...lesson,
  kind: oneOf('token', 'vault', 'elsewhere', 'zone', 'action', 'fee', 'dissent'),
  hash,
  party: hash,
  at: instant,
})

/** One sample of what zone transactions mean or of how money moves, or one word on a meaning that is in doubt. */
export type LessonRow = Read<typeof lessonRows>
export type Lesson = Pick<Read<typeof lessonTable>, 'kind' | 'name' | 'value'>
type Sample = Pick<LessonRow, 'hash' | 'party' | 'at'>

const taughtLessons = columns(lesson)
const partyCounts = columns({ value: text, party: hash, count: int })

/** How many samples of each value each party gave, by values in order. */
export function countParties(db: Database, kind: string, name: string): Read<typeof partyCounts>[] {
  const sql = `SELECT l.value, t.party, count(*) AS count FROM lessons l JOIN learned_samples s ON s.lesson = l.id
    JOIN teachers t ON t.id = s.teacher WHERE l.kind = ? AND l.name = ? GROUP BY l.value, t.party ORDER BY l.value`
  return partyCounts.all(db, sql, kind, name)
}

/** Lessons that a transaction is a sample of: of each it is one only. */
export type Taught = Set<string>

/** Which of these lessons a transaction taught. */
export function listTaught(db: Database, hash: string, lessons: readonly Lesson[]): Taught {
  // In this order: a transaction is hardly ever several teachers, and taught nothing yet most of the time.
  const sql = `SELECT l.kind, l.name, l.value FROM teachers t CROSS JOIN json_each(?2) one
    CROSS JOIN lessons l ON l.kind = one.value ->> 0 AND l.name = one.value ->> 1 AND l.value = one.value ->> 2
    CROSS JOIN learned_samples s ON s.lesson = l.id AND s.teacher = t.id WHERE ${isHash('t.hash', '?1')}`
  const given = JSON.stringify(lessons.map(({ kind, name, value }) => [kind, name, value]))
  return new Set(taughtLessons.all(db, sql, hash, given).map(toText))
}

/** @returns whether it is new */
export function addTaught(taught: Taught, lesson: Lesson): boolean {
  const text = toText(lesson)
  if (taught.has(text)) return false
  taught.add(text)
  return true
}

function toText({ kind, name, value }: Lesson): string {
  return JSON.stringify([kind, name, value])
}

/** One that its transaction is no sample of yet. */
export function insertSample(db: Database, { kind, name, value }: Lesson, sample: Sample): void {
  const find = 'SELECT id FROM lessons WHERE kind = ? AND name = ? AND value = ?'
  const lesson = int.get(db, find, kind, name, value) ?? insertLesson(db, { kind, name, value })
  db.prepare('INSERT INTO learned_samples VALUES (?, ?)').run(lesson, teacherOf(db, sample))
}

/** One transaction has several where it acts for several parties, or teaches again later. */
function teacherOf(db: Database, sample: Sample): number {
  const sql = `SELECT id FROM teachers WHERE ${isHash('hash', '?1')} AND party = ?2 AND at = ?3`
  const known = int.get(db, sql, sample.hash, toHashCell(sample.party), sample.at)
  return (
    known ?? Number(db.prepare(`INSERT ${teachers.into}`).run(...teachers.values(sample)).lastInsertRowid)
  )
}

function insertLesson(db: Database, { kind, name, value }: Lesson): number {
  const sql = 'INSERT INTO lessons (kind, name, value) VALUES (?, ?, ?)'
  return Number(db.prepare(sql).run(kind, name, value).lastInsertRowid)
}

/** Forgets what a transaction taught. @returns the names of the lessons concerned */
export function forgetSamples(db: Database, hash: string): Pick<Lesson, 'kind' | 'name'>[] {
  const own = int.all(db, `SELECT id FROM teachers WHERE ${isHash('hash', '?1')}`, hash)
  // What went elsewhere is kept, and what those kept that were told for it: enough of it is no accident.
  const isTold = "name GLOB 'told *' OR name GLOB 'flat told *' OR name GLOB 'size told *'"
  const kept = `kind = 'elsewhere' OR kind = 'fee' AND (${isTold})`
  const ids = own.flatMap((teacher) => dropSamples(db, teacher, `NOT (${kept})`))
  const concerned = ids.flatMap((id) => lessonTable.get(db, 'SELECT * FROM lessons WHERE id = ?', id) ?? [])
  dropEmpty(db, ids)
  db.prepare('DELETE FROM dissent WHERE hash = ?').run(hash)
  return concerned
}

/** Forgets whole lessons, named by a condition on `lessons`. */
export function dropLessons(db: Database, where: string, value: string): void {
  db.prepare(`DELETE FROM learned_samples WHERE lesson IN (SELECT id FROM lessons WHERE ${where})`).run(value)
  db.prepare(`DELETE FROM lessons WHERE ${where}`).run(value)
}

/** @returns the lessons of these that a teacher taught: there are few of them, and many samples of some. */
function dropSamples(db: Database, teacher: number, lessons: string): number[] {
  const sql = `DELETE FROM learned_samples WHERE lesson IN (SELECT id FROM lessons WHERE ${lessons}) AND teacher = ? RETURNING lesson`
  return int.all(db, sql, teacher)
}

/** Forgets what was learned before, of at most `limit` transactions. */
export function purgeSamples(db: Database, before: UnixMs, limit: number): void {
  // Numbered as they came, but for those of a clock that was ahead for a while.
  const first = agedTeachers.all(db, `SELECT ${agedTeachers.list()} FROM teachers ORDER BY id LIMIT ?`, limit)
  const old = first.filter(({ at }) => at < before)
  dropEmpty(
    db,
    old.flatMap(({ id }) => dropSamples(db, id, 'true')),
  )
  for (const { id } of old) db.prepare('DELETE FROM teachers WHERE id = ?').run(id)
  db.prepare(
    'DELETE FROM dissent WHERE (name, value, hash) IN (SELECT name, value, hash FROM dissent WHERE at < ? LIMIT ?)',
  ).run(before, limit)
}

/** Of whom nobody teaches any more. */
function dropEmpty(db: Database, ids: readonly number[]): void {
  const sql =
    'DELETE FROM lessons WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM learned_samples WHERE lesson = ?1)'
  for (const id of new Set(ids)) db.prepare(sql).run(id)
}

/** All that was learned, the newest first. */
export function listLessonRows(db: Database): LessonRow[] {
  const sql = `SELECT l.kind, l.name, l.value, t.hash, t.party, t.at FROM learned_samples s JOIN lessons l ON l.id = s.lesson
    JOIN teachers t ON t.id = s.teacher
    UNION ALL SELECT 'dissent', name, value, hash, party, at FROM dissent ORDER BY 1 DESC, 2 DESC, 3 DESC`
  const rows = lessonRows.all(db, sql)
  return rows.sort((a, b) => b.at - a.at || (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0))
}

/** Names of lessons of a kind. */
export function listLessonNames(db: Database, kind: Lesson['kind'], limit: number): string[] {
  return text.all(db, 'SELECT DISTINCT name FROM lessons WHERE kind = ? LIMIT ?', kind, limit)
}
