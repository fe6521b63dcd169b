import type { UnixMs } from '../lib/clock.ts'
import type { Database } from './database.ts'
import { readMetaNumber } from './meta.ts'

export const firstStartName = 'first_start'

/** When this ledger was first watched by; null where that was not noted yet. */
export function readFirstStart(db: Database): UnixMs | null {
  return readMetaNumber(db, firstStartName)
}
