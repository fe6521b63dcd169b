import type { Wrapping } from '../bridge/movedToken.ts'
import type { Database } from './database.ts'
import { readMeta, saveMeta } from './meta.ts'

const wrappedName = 'wrapped_native'

/** Which token the escrows hold the native currency as: as it was configured when movements were judged last. */
export function readWrapping(db: Database): Wrapping {
  const wrappedNative = readMeta(db, wrappedName) ?? ''
  return wrappedNative === '' ? {} : { wrappedNative }
}

export function saveWrapping(db: Database, { wrappedNative = '' }: Wrapping): void {
  saveMeta(db, wrappedName, wrappedNative)
}
