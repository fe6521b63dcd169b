import { alertTable } from '../../alerts/store/alertRows.ts'
import type { CaseRow } from '../../cases/store/caseRows.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Severity } from '../../rules/types.ts'
import type { Database } from '../../store/database.ts'
import { columns, instant, type Read } from '../../store/table.ts'
import type { StatusFacts } from '../statusFacts.ts'
import { type CaseViewSource, listCaseViews, toCaseView } from './toCaseView.ts'

/** Of so many it is judged what they say to the verdict; the worst of them are listed. */
const mostJudged = 500
const mostListed = 100
const mostHandled = 20

/** The cases of the status, what counts the most first. */
export function readStatusCases(
  source: CaseViewSource & { readonly db: Database },
): Pick<StatusFacts, 'cases' | 'handledCases' | 'caseCounts'> {
  const { store, db } = source
  const judged = store
    .listLiveCases({ states: ['open', 'acknowledged'], limit: mostJudged })
    .map((row) => ({ row, counts: findCounting(db, row, source.now) }))
    .toSorted((a, b) => weightOf(b.counts) - weightOf(a.counts))
  return {
    cases: judged.slice(0, mostListed).map(({ row, counts }) => ({ ...toCaseView(source, row), counts })),
    handledCases: listCaseViews(source, { state: 'handled', limit: mostHandled }),
    caseCounts: store.countCases(),
  }
}

const weights: Readonly<Record<Severity, number>> = { critical: 3, warning: 2, info: 1 }

function weightOf(counts: Severity | null): number {
  return counts === null ? 0 : weights[counts]
}

const { severity, nature, state } = alertTable.shape
const standing = columns({
  severity,
  nature,
  state,
  untilAt: instant.orNull(),
})
type Standing = Read<typeof standing>

const standingColumns = 'a.severity, a.nature, a.state, m.until_at'

/** Of a case whose worst is over, so many of those that stand are looked at. */
const mostStanding = 500

/** The most severe of a case that counts. Mostly its worst alert does, so that nothing else is read. */
function findCounting(db: Database, row: CaseRow, now: UnixMs): Severity | null {
  const worst = standing.get(
    db,
    `SELECT ${standingColumns} FROM alerts a JOIN case_members m ON m.alert_id = a.id AND m.episode = a.episode
      WHERE a.id = ? AND m.case_id = ?`,
    row.worstAlert,
    row.id,
  )
  if (worst?.severity === row.severity && isCounting(worst, now)) return worst.severity
  const of = 'SELECT alert_id, episode, until_at FROM case_members WHERE case_id = ?1 AND'
  const sql = `SELECT ${standingColumns} FROM (SELECT * FROM (${of} until_at IS NULL LIMIT ?3)
      UNION ALL SELECT * FROM (${of} until_at > ?2 LIMIT ?3)) m JOIN alerts a ON a.id = m.alert_id AND a.episode = m.episode`
  const rows = standing.all(db, sql, row.id, now, mostStanding)
  // Too many to look through: it is said to be as bad as it ever was.
  if (rows.length >= mostStanding) return row.severity
  const counting = rows.filter((one) => isCounting(one, now)).map((one) => one.severity)
  return counting.toSorted((a, b) => weights[b] - weights[a])[0] ?? null
}

/** A condition that holds; an event as long as it keeps its case open, whenever it happened: a page is never green above an open case. */
function isCounting({ nature, state, untilAt }: Standing, now: UnixMs): boolean {
  if (nature === 'condition') return state === 'firing' || state === 'recovering'
  return untilAt === null || untilAt > now
}
