import type { UnixMs } from '../../../lib/clock.ts'
import type { Database } from '../../../store/database.ts'
import { bigintText, instant, int, type Read, table, text } from '../../../store/table.ts'
import type { EscrowToken } from './owedStore.ts'

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** How finely the course of what escrows hold and owe is kept, and the retention of each. */
export const courseSteps = {
  minute: { stepMs: minuteMs, keptMs: 3 * hourMs },
  quarter: { stepMs: 15 * minuteMs, keptMs: 2 * dayMs },
  sixHours: { stepMs: 6 * hourMs, keptMs: 92 * dayMs },
} as const

export type CourseStep = keyof typeof courseSteps

const course = table('escrow_course', {
  token: text,
  step: int,
  /** When the step began. */
  at: instant,
  holdings: bigintText,
  owed: bigintText,
  openOut: bigintText,
})

/** The judgement of a step that had the least to spare: what lacked for a moment must not vanish in what followed. */
export type CoursePoint = Omit<Read<typeof course>, 'token' | 'step'>

type Judged = NonNullable<EscrowToken['judged']>

/** Belongs inside the commit that saves a judgement. */
export function noteCourse(db: Database, token: string, { holdings, owed, openOut, at }: Judged): void {
  for (const { stepMs: step } of Object.values(courseSteps)) {
    const row = { token, step, at: Math.floor(at / step) * step, holdings, owed, openOut }
    const sql = 'SELECT * FROM escrow_course WHERE token = ? AND step = ? AND at = ?'
    const before = course.get(db, sql, token, step, row.at)
    if (before !== null && spareOf(before) <= spareOf(row)) continue
    db.prepare(`INSERT OR REPLACE ${course.into}`).run(...course.values(row))
  }
}

/** What would be left once all that is owed was paid; below 0 it lacks. */
export function spareOf({
  holdings,
  owed,
  openOut,
}: Pick<CoursePoint, 'holdings' | 'owed' | 'openOut'>): bigint {
  return holdings + openOut - owed
}

/** The course of a token since a time, oldest first; steps in which nothing was judged are left out. */
export function listCourse(db: Database, token: string, step: CourseStep, since: UnixMs): CoursePoint[] {
  const sql = 'SELECT * FROM escrow_course WHERE token = ? AND step = ? AND at >= ? ORDER BY at'
  return course
    .all(db, sql, token, courseSteps[step].stepMs, since)
    .map(({ at, holdings, owed, openOut }) => ({ at, holdings, owed, openOut }))
}

/** Forgets steps of which each had its time, a few at once. */
export function purgeCourse(db: Database, now: UnixMs, limit: number): void {
  const sql = `DELETE FROM escrow_course WHERE (token, step, at) IN
    (SELECT token, step, at FROM escrow_course WHERE step = ? AND at < ? LIMIT ?)`
  for (const { stepMs, keptMs } of Object.values(courseSteps))
    db.prepare(sql).run(stepMs, now - keptMs, limit)
}
