import type { DailyReport } from './dailyReport.ts'
import type { Period } from './reportDay.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { readMeta } from '../store/meta.ts'
import { columns, instant, int, jsonOf, oneOf, type Read, table, text, texts } from '../store/table.ts'

const queued = table('reports', {
  report: jsonOf<DailyReport>('window').from('content'),
  attempt: int,
  expiresAt: instant,
  recipients: texts.orNull(),
})
export type QueuedReport = Read<typeof queued>

const rows = table('reports', {
  day: text,
  zone: text,
  builtAt: instant,
  state: oneOf('queued', 'sent', 'dead'),
  sentAt: instant.orNull(),
  lastError: text.orNull(),
})
/** A kept report without its content. */
export type ReportRow = Read<typeof rows>

const waiting = columns({ count: int, oldestAt: instant.orNull() })

/** The daily reports: which days are done, and what is still to be delivered. */
export interface ReportStore {
  /** The newest reported day; before the first one the day that was put there at the start. */
  readLastDay(): string | null
  /** The day before the first one to report. */
  startAfter(day: string): void
  /** Queues a day's report; together with it the day is done, whatever becomes of the process. */
  queue(report: DailyReport, expiresAt: UnixMs): void
  find(day: string): DailyReport | null
  /** The newest day, week or month before another of which a report is kept; null where none is. */
  readNewestBefore(day: string): string | null
  /** When the last report of an earlier day, week or month was built; null where none is kept. */
  readBuiltBefore(day: string): UnixMs | null
  /** The newest days first, without their content. */
  list(limit: number): ReportRow[]
  listDue(now: UnixMs): QueuedReport[]
  /** Before it is sent, so that a restart knows that it may have arrived. */
  beginAttempt(day: string, nextAt: UnixMs): void
  settle(day: string, result: ReportResult): void
  /** Reports that wait for their channel, and since when the oldest does. */
  countQueued(): { readonly count: number; readonly oldestAt: UnixMs | null }
  purge(before: UnixMs): void
}

export type ReportResult =
  | { readonly state: 'sent'; readonly at: UnixMs }
  | { readonly state: 'dead'; readonly error: string }
  | {
      readonly state: 'queued'
      readonly error: string
      readonly nextAt: UnixMs
      readonly recipients: readonly string[] | null
    }

/** How the reports of a period are named, and which of them was the newest. */
const named: Readonly<Record<Period, { readonly like: string; readonly last: string }>> = {
  day: { like: '????-??-??', last: 'last_report_day' },
  week: { like: '????-W??', last: 'last_report_week' },
  month: { like: '????-??', last: 'last_report_month' },
}

/** A retry that seems further away was written before the wall clock went back. */
const longestRetryMs = 75 * 60_000

/** Those of one period; what is asked for by its name, and the list, are of all. */
export function createReportStore(db: Database, period: Period = 'day'): ReportStore {
  const { like, last } = named[period]
  const setLast = (day: string, sql: 'excluded.value' | 'max(value, excluded.value)') =>
    db
      .prepare(`INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = ${sql}`)
      .run(last, day)
  return {
    readLastDay: () => readMeta(db, last),
    startAfter: (day) => void setLast(day, 'excluded.value'),
    queue(report, expiresAt) {
      const { day, zone } = report.window
      db.prepare(
        `INSERT OR REPLACE INTO reports (day, zone, built_at, content, state, attempt, next_at, expires_at)
         VALUES (?, ?, ?, ?, 'queued', 0, ?, ?)`,
      ).run(day, zone, report.builtAt, JSON.stringify(report), report.builtAt, expiresAt)
      // One of an older day may be made anew.
      setLast(day, 'max(value, excluded.value)')
    },
    find: (day) => queued.shape.report.get(db, 'SELECT content FROM reports WHERE day = ?', day),
    readNewestBefore: (day) =>
      text.get(
        db,
        'SELECT day FROM reports WHERE day < ? AND day GLOB ? ORDER BY day DESC LIMIT 1',
        day,
        like,
      ),
    readBuiltBefore: (day) =>
      instant.get(
        db,
        'SELECT built_at FROM reports WHERE day < ? AND day GLOB ? ORDER BY day DESC LIMIT 1',
        day,
        like,
      ),
    list: (limit) =>
      rows.all(db, `SELECT ${rows.list()} FROM reports ORDER BY built_at DESC, day LIMIT ?`, limit),
    listDue: (now) =>
      queued.all(
        db,
        "SELECT * FROM reports WHERE state = 'queued' AND (next_at <= ?1 OR next_at > ?1 + ?3) AND day GLOB ?2 ORDER BY day",
        now,
        like,
        longestRetryMs,
      ),
    beginAttempt(day, nextAt) {
      db.prepare('UPDATE reports SET attempt = attempt + 1, next_at = ? WHERE day = ?').run(nextAt, day)
    },
    settle: (day, result) => settle(db, day, result),
    countQueued() {
      const sql = "SELECT count(*) AS count, min(built_at) AS oldest_at FROM reports WHERE state = 'queued'"
      return waiting.get(db, sql) ?? { count: 0, oldestAt: null }
    },
    purge(before) {
      db.prepare("DELETE FROM reports WHERE built_at < ? AND state <> 'queued'").run(before)
    },
  }
}

function settle(db: Database, day: string, result: ReportResult): void {
  if (result.state === 'sent') {
    db.prepare("UPDATE reports SET state = 'sent', sent_at = ?, recipients = NULL WHERE day = ?").run(
      result.at,
      day,
    )
  } else if (result.state === 'dead') {
    db.prepare("UPDATE reports SET state = 'dead', last_error = ? WHERE day = ?").run(result.error, day)
  } else {
    const recipients = result.recipients === null ? null : JSON.stringify(result.recipients)
    db.prepare('UPDATE reports SET next_at = ?, last_error = ?, recipients = ? WHERE day = ?').run(
      result.nextAt,
      result.error,
      recipients,
      day,
    )
  }
}
