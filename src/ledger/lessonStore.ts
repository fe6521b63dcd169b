import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { hash, isHash } from '../store/hash.ts'
import { columns, instant, int, oneOf, type Read, table, text } from '../store/table.ts'

const lessonTable = table('lessons', {
  id: int,
  kind: oneOf('token', 'vault', 'elsewhere', 'zone', 'action', 'fee'),
  name: text,
  value: text,
})
const samples = table('learned_samples', { lesson: int, hash, party: hash, at: instant })
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
  const sql = `SELECT l.value, s.party, count(*) AS count FROM lessons l JOIN learned_samples s ON s.lesson = l.id
    WHERE l.kind = ? AND l.name = ? GROUP BY l.value, s.party ORDER BY l.value`
  return partyCounts.all(db, sql, kind, name)
}

/** The lessons that a transaction is a sample of: of each it is one only. */
export type Taught = Set<string>

export function listTaught(db: Database, hash: string): Taught {
  const sql = `SELECT l.kind, l.name, l.value FROM learned_samples s JOIN lessons l ON l.id = s.lesson
    WHERE ${isHash('s.hash', '?1')}`
  return new Set(taughtLessons.all(db, sql, hash).map(toText))
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
  db.prepare(`INSERT ${samples.into}`).run(...samples.values({ lesson, ...sample }))
}

function insertLesson(db: Database, { kind, name, value }: Lesson): number {
  const sql = 'INSERT INTO lessons (kind, name, value) VALUES (?, ?, ?)'
  return Number(db.prepare(sql).run(kind, name, value).lastInsertRowid)
}

/** Forgets what a transaction taught. @returns the names of the lessons concerned */
export function forgetSamples(db: Database, hash: string): Pick<Lesson, 'kind' | 'name'>[] {
  // What went elsewhere is kept: enough of it is no accident.
  const sql = `DELETE FROM learned_samples WHERE ${isHash('hash', '?1')}
    AND lesson NOT IN (SELECT id FROM lessons WHERE kind = 'elsewhere') RETURNING lesson`
  const ids = int.all(db, sql, hash)
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

/** Forgets what was learned before, at most `limit` samples. */
export function purgeSamples(db: Database, before: UnixMs, limit: number): void {
  const sql = `DELETE FROM learned_samples WHERE id IN (SELECT id FROM learned_samples WHERE at < ? LIMIT ?) RETURNING lesson`
  dropEmpty(db, int.all(db, sql, before, limit))
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
  const sql = `SELECT l.kind, l.name, l.value, s.hash, s.party, s.at FROM learned_samples s JOIN lessons l ON l.id = s.lesson
    UNION ALL SELECT 'dissent', name, value, hash, party, at FROM dissent ORDER BY 1 DESC, 2 DESC, 3 DESC`
  const rows = lessonRows.all(db, sql)
  return rows.sort((a, b) => b.at - a.at || (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0))
}

/** Names of lessons of a kind. */
export function listLessonNames(db: Database, kind: Lesson['kind'], limit: number): string[] {
  return text.all(db, 'SELECT DISTINCT name FROM lessons WHERE kind = ? LIMIT ?', kind, limit)
}
