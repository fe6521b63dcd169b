import type { Database } from './database.ts'
import { readMetaNumber, saveMeta } from './meta.ts'
import { staysTrue } from './staysTrue.ts'
import { formName } from './migrations/formName.ts'

/** Of what rows were changed by last. */
const newestForm = 58

/** Notes that no row is left in a form of before. */
export function noteWholeForm(db: Database): void {
  saveMeta(db, formName, String(newestForm))
}

/** Whether no transfer is kept in a form before version 51, in which hashes are texts. Asked at each look for a hash. */
export const isWholeForm = staysTrue((db) => isOfForm(db, 51))

/** Whether all are kept in the newest form. */
export const isNewestForm = staysTrue((db) => isOfForm(db, newestForm))

function isOfForm(db: Database, version: number): boolean {
  return (readMetaNumber(db, formName) ?? 0) >= version
}
