import type { Database } from '../store/database.ts'
import { readMetaNumber, saveMeta } from '../store/meta.ts'
import { int } from '../store/table.ts'
import { digestOldKeys } from '../cases/store/caseMembers.ts'
import { decodeFinding, toFound } from './findingJson.ts'
import { listTextFindings, saveFound, type StoredFinding } from './store/alertFindings.ts'

const name = 'repacked_alerts'

/**
 * Writes some of the alerts of before in the form of now: to be called until nothing is left. What was written so far is
 * remembered, so that a restart goes on.
 * @returns whether there is more
 */
export function repackAlerts(db: Database, count: number): boolean {
  const done = readMetaNumber(db, name) ?? 0
  // Those before it may be forgotten long since.
  const first = int.orNull().get(db, 'SELECT min(id) FROM alerts WHERE id > ?', done)
  if (first === null) return false
  const from = first - 1
  const until = int.get(db, 'SELECT max(id) FROM alerts') ?? 0
  const to = Math.min(from + count, until)
  db.transaction(() => {
    for (const { id, finding } of listTextFindings(db, { after: from, until: to })) {
      const found = readAgain(finding)
      if (found !== null) saveFound(db, id, found)
    }
    digestOldKeys(db, { after: from, until: to })
    saveMeta(db, name, String(to))
  })
  return to < until
}

/** Null for one that cannot be read: it stays as it is. */
function readAgain(finding: StoredFinding['finding']): StoredFinding | null {
  try {
    return toFound(decodeFinding(finding))
  } catch {
    return null
  }
}
