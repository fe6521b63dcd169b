import type { Clock, UnixMs } from '../lib/clock.ts'
import type { Database } from './database.ts'
import { readMeta, saveMeta } from './meta.ts'

/** Numbers of requests, in the order in which they are sent: of two answers the one to the higher number is newer. */
export interface RequestNumbers {
  /** The time of the request, and later than every number before it, whatever the clock says, restarts included. */
  next(): UnixMs
  /** Call it inside the transaction that saves an answer. */
  save(): void
  /** By how much the clock was ahead of the present when an answer was last saved, before this start; 0 when it was not. */
  readonly wasAheadMs: number
}

const name = 'request_number'
const clockName = 'request_clock'

export function createRequestNumbers(db: Database, clock: Pick<Clock, 'now'>): RequestNumbers {
  let saved = Number(readMeta(db, name) ?? newestReading(db))
  let last = saved
  const wasAheadMs = Math.max(Number(readMeta(db, clockName) ?? 0) - clock.now(), 0)
  return {
    wasAheadMs,
    next: () => (last = Math.max(last + 1, clock.now())),
    save() {
      if (last === saved) return
      saveMeta(db, name, String(last))
      saveMeta(db, clockName, String(clock.now()))
      saved = last
    },
  }
}

/** Of a ledger that ordered answers by the time of their requests. */
function newestReading(db: Database): UnixMs {
  return Number(db.prepare('SELECT coalesce(max(read_at), 0) AS at FROM transfers').get()?.['at'] ?? 0)
}
