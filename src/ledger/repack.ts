import type { Database } from '../store/database.ts'
import { readMetaNumber, saveMeta } from '../store/meta.ts'
import { int } from '../store/table.ts'
import { isWholeForm, noteWholeForm } from '../store/wholeForm.ts'
import { moveOldAnswers } from './legAnswers.ts'
import { repackTransfers } from './transferRows.ts'

/** Of the form of version 51. */
const name = 'repacked_51'

/**
 * Writes some of what stands in the form of before in that of now: to be called until nothing is left. What was written so
 * far is remembered, so that a restart goes on.
 * @returns whether there is more
 */
export function repackSome(db: Database, count: number): boolean {
  return db.transaction(() => {
    const from = readMetaNumber(db, name) ?? 0
    const until = int.orNull().get(db, 'SELECT max(key) FROM transfers') ?? 0
    const to = Math.min(from + count, until)
    repackTransfers(db, from, to)
    if (to > from) saveMeta(db, name, String(to))
    if (to === until && !isWholeForm(db)) noteWholeForm(db)
    const hasOld = moveOldAnswers(db, count)
    return to < until || hasOld
  })
}
