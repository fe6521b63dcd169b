import type { UnixMs } from '../../../lib/clock.ts'
import type { Database } from '../../../store/database.ts'
import { readFirstStart } from '../../../store/firstStart.ts'
import { readOwedStart } from './owedStore.ts'

/**
 * From when on all that moved of a token is known. Before the first start the lists are read a little way back alone, and
 * before its counting began a token may have been watched by nobody.
 */
export function movementsSince(db: Database, token: string): UnixMs {
  return Math.max(readFirstStart(db) ?? 0, readOwedStart(db, token)?.time ?? 0)
}
