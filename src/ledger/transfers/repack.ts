import type { Database } from '../../store/database.ts'
import { readMetaNumber, saveMeta } from '../../store/meta.ts'
import { int } from '../../store/table.ts'
import { isNewestForm, noteWholeForm } from '../../store/wholeForm.ts'
import { moveOldAnswers, repackAnswers } from '../evidence/legAnswers.ts'
import { settleAnswers } from '../evidence/settling.ts'
import { repackTransfers } from './transferRows.ts'

/** Of the forms of versions 58 and 54. */
const [transfers, answers] = ['repacked_58', 'repacked_answers_54']

/**
 * Writes some of what stands in the form of before in that of now: to be called until nothing is left. What was written so
 * far is remembered, so that a restart goes on.
 * @returns whether there is more
 */
export function repackSome(db: Database, count: number): boolean {
  return db.transaction(() => {
    const hasTransfers = step(db, transfers, { count, rows: ['transfers', 'key'], repack: repackTransfers })
    if (!hasTransfers && !isNewestForm(db)) noteWholeForm(db)
    const hasOld = moveOldAnswers(db, count)
    const hasAnswers = step(db, answers, { count, rows: ['leg_answers', 'id'], repack: repackAnswers })
    return hasTransfers || hasOld || hasAnswers
  })
}

/** What sources knew last is looked for among so many transactions at most, and then some. */
const newestKept = 250

/**
 * Puts answers about transfers that are over with these, a few at each call, and round and round: what waits may be over by then,
 * and what is asked again comes back.
 * @returns whether it was the last of a round in which nothing was left to do
 */
export function createSettling(db: Database, keep = newestKept): (count: number) => boolean {
  let after = Number.MIN_SAFE_INTEGER
  let waiting = Infinity
  let settledSoFar = 0
  return (count) => {
    const found = db.transaction(() => settleAnswers(db, { after, count, keep }))
    settledSoFar += found.settled
    waiting = Math.min(waiting, found.waiting ?? Infinity)
    after = found.next
    if (!found.isAtEnd) return false
    // What stays for good, as shared transactions do, is not looked at again before the next start.
    after = Math.min(waiting - 1, after)
    const isAtRest = settledSoFar === 0
    waiting = Infinity
    settledSoFar = 0
    return isAtRest
  }
}

interface Step {
  readonly count: number
  /** Table and column that say which there are. */
  readonly rows: readonly [table: string, column: string]
  /** Behind one row and up to another. */
  readonly repack: (db: Database, after: number, until: number) => void
}

/** @returns whether there are more rows */
function step(db: Database, name: string, { count, rows: [table, column], repack }: Step): boolean {
  const from = readMetaNumber(db, name) ?? 0
  // Those before it may be gone long since.
  const first = int.orNull().get(db, `SELECT min(${column}) FROM ${table} WHERE ${column} > ?`, from)
  if (first === null) return false
  const until = int.get(db, `SELECT max(${column}) FROM ${table}`) ?? 0
  const to = Math.min(first - 1 + count, until)
  repack(db, first - 1, to)
  saveMeta(db, name, String(to))
  return to < until
}
