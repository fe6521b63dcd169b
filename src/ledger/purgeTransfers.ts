import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { int, columns, instant } from '../store/table.ts'
import { dropQueuedHash } from './evidence/evidenceQueue.ts'
import { deleteAnswers, unsettleAnswers } from './evidence/legAnswers.ts'
import { noteForgotten } from './lessons/historyMarks.ts'
import type { LedgerState } from './recordAnswer.ts'
import { forgetResting } from './transfers/restingRecords.ts'
import { byHash, forgetTransfer, formatKey, selectTransfers } from './transfers/transferRows.ts'

/** What is kept no longer, of ended transfers. */
export interface Past {
  /** Value left and arrived before this. */
  readonly before: UnixMs
  /** Nothing has shown it since: what the list goes on showing would come back as news, and be told once more. */
  readonly shownBefore: UnixMs
  /** How many are forgotten at once. */
  readonly limit: number
}

const ended = columns({ key: int, endedAt: instant })

/** Forgets ended transfers that are past their time, with their alerts. @returns how many */
export function purgeTransfers({ db, resting }: LedgerState, { before, shownBefore, limit }: Past): number {
  // A payout may name an origin of long ago.
  const sql = `SELECT key, max(origin_at, coalesce(destination_at, 0)) AS ended_at FROM transfers WHERE origin_at < ?1 AND coalesce(destination_at, 0) < ?1 AND read_at < ?2
    AND state IN ('completed', 'failed') ORDER BY origin_at LIMIT ?3`
  const past = ended.all(db, sql, before, shownBefore, limit)
  noteForgotten(
    db,
    past.reduce((most, { endedAt }) => Math.max(most, endedAt), 0),
  )
  for (const { key } of past) {
    forgetEvidence(db, key)
    forgetTransfer(db, key)
    forgetResting(resting, key)
    db.prepare('DELETE FROM aliases WHERE transfer_key = ?').run(key)
    db.prepare('DELETE FROM alerts WHERE transfer_key = ?').run(formatKey(key))
  }
  return past.length
}

/** A leg that transfers share keeps its evidence until the last of them goes. */
function forgetEvidence(db: Database, key: number): void {
  unsettleAnswers(db, key)
  for (const row of selectTransfers(db, 'WHERE key = ?', key)) {
    const hashes = new Set(
      row.group.members.flatMap((one) => [one.zoneHash ?? [], one.mainHash ?? []].flat()),
    )
    for (const hash of hashes) {
      if (selectTransfers(db, `${byHash} AND key <> ?2 LIMIT 1`, hash, key).length > 0) continue
      deleteAnswers(db, hash)
      dropQueuedHash(db, hash)
    }
  }
}
