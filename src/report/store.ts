import type { DailyReport } from './dailyReport.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'

export interface QueuedReport {
  readonly report: DailyReport
  readonly attempt: number
  readonly expiresAt: UnixMs
  readonly recipients: readonly string[] | null
}

/** A kept report without its content. */
export interface ReportRow {
  readonly day: string
  readonly zone: string
  readonly builtAt: UnixMs
  readonly state: 'queued' | 'sent' | 'dead'
  readonly sentAt: UnixMs | null
  readonly lastError: string | null
}

/** The daily reports: which days are done, and what is still to be delivered. */
export interface ReportStore {
  /** The newest reported day; before the first one the day that was put there at the start. */
  readLastDay(): string | null
  /** The day before the first one to report. */
  startAfter(day: string): void
  /** Queues a day's report; together with it the day is done, whatever becomes of the process. */
  queue(report: DailyReport, expiresAt: UnixMs): void
  find(day: string): DailyReport | null
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

export function createReportStore(db: Database): ReportStore {
  const setLast = (day: string) =>
    db
      .prepare(
        `INSERT INTO meta (name, value) VALUES ('last_report_day', ?)
         ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)`,
      )
      .run(day)
  return {
    readLastDay() {
      const row = db.prepare("SELECT value FROM meta WHERE name = 'last_report_day'").get()
      return row ? String(row['value']) : null
    },
    startAfter: (day) => void setLast(day),
    queue(report, expiresAt) {
      const { day, zone } = report.window
      db.prepare(
        `INSERT OR REPLACE INTO reports (day, zone, built_at, content, state, attempt, next_at, expires_at)
         VALUES (?, ?, ?, ?, 'queued', 0, ?, ?)`,
      ).run(day, zone, report.builtAt, JSON.stringify(report), report.builtAt, expiresAt)
      setLast(day)
    },
    find(day) {
      const row = db.prepare('SELECT content FROM reports WHERE day = ?').get(day)
      return row ? parseReport(row) : null
    },
    list: (limit) =>
      db
        .prepare(
          'SELECT day, zone, built_at, state, sent_at, last_error FROM reports ORDER BY day DESC LIMIT ?',
        )
        .all(limit)
        .map(toReportRow),
    listDue: (now) =>
      db
        .prepare("SELECT * FROM reports WHERE state = 'queued' AND next_at <= ? ORDER BY day")
        .all(now)
        .map((row) => ({
          report: parseReport(row),
          attempt: Number(row['attempt']),
          expiresAt: Number(row['expires_at']),
          // Written by settle below.
          recipients: row['recipients'] === null ? null : (JSON.parse(String(row['recipients'])) as string[]),
        })),
    beginAttempt(day, nextAt) {
      db.prepare('UPDATE reports SET attempt = attempt + 1, next_at = ? WHERE day = ?').run(nextAt, day)
    },
    settle: (day, result) => settle(db, day, result),
    countQueued() {
      const row = db
        .prepare("SELECT count(*) AS n, min(built_at) AS oldest FROM reports WHERE state = 'queued'")
        .get()
      return { count: Number(row?.['n']), oldestAt: row?.['oldest'] == null ? null : Number(row['oldest']) }
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

function toReportRow(row: Record<string, unknown>): ReportRow {
  return {
    day: String(row['day']),
    zone: String(row['zone']),
    builtAt: Number(row['built_at']),
    // Written above.
    state: String(row['state']) as ReportRow['state'],
    sentAt: row['sent_at'] === null ? null : Number(row['sent_at']),
    lastError: typeof row['last_error'] === 'string' ? row['last_error'] : null,
  }
}

function parseReport(row: Record<string, unknown>): DailyReport {
  // Written by queue above.
  return JSON.parse(String(row['content'])) as DailyReport
}
