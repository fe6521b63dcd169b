import type { Database } from './database.ts'
import { readMetaNumber, saveMeta } from './meta.ts'
import { staysTrue } from './staysTrue.ts'
import { formName } from './migrations/formName.ts'

/** Notes that no row is left in a form of before. */
export function noteWholeForm(db: Database): void {
  saveMeta(db, formName, '51')
}

/** Whether no transfer is kept in a form before version 51, in which hashes are texts. Asked at each look for a hash. */
export const isWholeForm = staysTrue((db) => (readMetaNumber(db, formName) ?? 0) >= 51)
