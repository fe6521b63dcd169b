import type { Clock, UnixMs } from '../lib/clock.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { Database } from './database.ts'
import { instant } from './table.ts'
import { readMeta, saveMeta } from './meta.ts'

/** Numbers of requests, in the order in which they are sent: of two answers the one to the higher number is newer. */
export interface RequestNumbers {
  /** The time of the request, and later than every number before it, whatever the clock says, restarts included. */
  next(): UnixMs
  /** Call it inside the transaction that saves an answer. */
  save(): void
  /** When a request was sent, by the clock as it is now; null when it was before a start that found the clock set back. */
  timeOf(number: UnixMs): UnixMs | null
  /** By how much the clock was ahead of the present when an answer was last saved, before this start; 0 when it was not. */
  readonly wasAheadMs: number
}

const name = 'request_number'
const clockName = 'request_clock'
const aheadName = 'request_ahead'

export function createRequestNumbers(db: Database, clock: Pick<Clock, 'now'>): RequestNumbers {
  const lastBefore = Number(readMeta(db, name) ?? newestReading(db))
  let saved = lastBefore
  let last = saved
  const wasAheadMs = Math.max(Number(readMeta(db, clockName) ?? 0) - clock.now(), 0)
  // Numbers of this start are ahead of its clock by as much, and those of the one before were by what it noted.
  const aheadMs = Math.max(lastBefore - clock.now(), 0)
  const aheadBeforeMs = Number(readMeta(db, aheadName) ?? aheadMs)
  return {
    wasAheadMs,
    next: () => (last = Math.max(last + 1, clock.now() + aheadMs)),
    timeOf(number) {
      if (number > lastBefore) return number - aheadMs
      return wasAheadMs > 0 ? null : number - aheadBeforeMs
    },
    save() {
      if (last === saved) return
      saveMeta(db, aheadName, String(aheadMs))
      saveMeta(db, name, String(last))
      saveMeta(db, clockName, String(clock.now()))
      saved = last
    },
  }
}

/** The newest number of a saved answer; 0 when none was. */
export function lastNumber(db: Database): UnixMs {
  return Number(readMeta(db, name) ?? 0)
}

/** When an answer was last saved in a ledger; null when none was. */
export function lastSavedAt(db: Database): UnixMs | null {
  const saved = readMeta(db, clockName)
  return saved === null ? null : Number(saved)
}

/** With its readings when they were, to be set beside the present. @param unknownAt where that is not known */
export function withTimes(
  numbers: Pick<RequestNumbers, 'timeOf'>,
  transfer: Transfer,
  unknownAt: UnixMs,
): Transfer {
  const { readAt, soughtAt } = transfer
  const at = numbers.timeOf(readAt) ?? unknownAt
  if (at === readAt && soughtAt === undefined) return transfer
  return {
    ...transfer,
    readAt: at,
    ...(soughtAt !== undefined && { soughtAt: numbers.timeOf(soughtAt) ?? unknownAt }),
  }
}

/** Of a ledger that ordered answers by the time of their requests. */
function newestReading(db: Database): UnixMs {
  return instant.get(db, 'SELECT coalesce(max(read_at), 0) FROM transfers') ?? 0
}
