import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import { readMetaNumber, saveMeta } from '../../store/meta.ts'

/** The highest key of a transfer that was long over when it was first seen. */
const lastName = 'history_last'
/** Up to this key the legs of such transfers have been put into the queue. */
const queuedName = 'history_queued'
/** Until when transfers ended of which some are forgotten. */
const forgottenName = 'transfers_forgotten'

/** Of which transfers, by their keys, the legs are still to be put into the queue: behind one, up to the other. */
export interface WaitingHistory {
  readonly after: number
  readonly last: number
}

/** Inside the transaction that saved them: transfers that were long over. Keys rise, so that the highest stands for all. */
export function noteHistory(db: Database, keys: readonly number[]): void {
  if (keys.length === 0) return
  // What came between the history of before and this is not looked through.
  if (readWaitingHistory(db) === null) noteQueuedHistory(db, Math.min(...keys) - 1)
  saveMeta(db, lastName, String(Math.max(...keys)))
}

export function noteQueuedHistory(db: Database, key: number): void {
  saveMeta(db, queuedName, String(key))
}

/** Null where all of it was put into the queue. */
export function readWaitingHistory(db: Database): WaitingHistory | null {
  const after = readMetaNumber(db, queuedName) ?? 0
  const last = readMetaNumber(db, lastName) ?? 0
  return after < last ? { after, last } : null
}

/** Of transfers that were over by then some are forgotten; null where none is. */
export function readForgottenUntil(db: Database): UnixMs | null {
  return readMetaNumber(db, forgottenName)
}

export function noteForgotten(db: Database, until: UnixMs): void {
  if (until > (readForgottenUntil(db) ?? 0)) saveMeta(db, forgottenName, String(until))
}

/** No transfer is forgotten sooner after its end. */
const leastKeptMs = 86_400_000

/**
 * Whether the ledger may have forgotten what paid an origin. Not of one that was seen soon after it left: what paid it was
 * there beside it.
 */
export function mayBeForgotten(
  { leftAt, firstSeenAt }: { readonly leftAt: UnixMs; readonly firstSeenAt: UnixMs },
  forgottenUntil: UnixMs | null,
): boolean {
  return forgottenUntil !== null && leftAt <= forgottenUntil && firstSeenAt - leftAt >= leastKeptMs
}
