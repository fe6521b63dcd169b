import { wantsMainRead } from './needsDetail.ts'
import { valueFirst } from './valueFirst.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { formatKey, selectTransfers, type StoredTransfer, saveSought } from './transferRows.ts'

/** A transfer that wants to be read by hash. */
export interface DueCheck {
  readonly key: string
  readonly zoneHash: string | null
  readonly mainHash: string | null
  /** The main hash is what has to be asked for, whether the zone hash is known or not. */
  readonly byMain: boolean
  /** Who its records name, the recipient first. */
  readonly addresses: readonly string[]
  readonly misses: number
  readonly isUrgent: boolean
}

/** A transfer that is not found rests no longer than this between two readings. */
export const maxPostponeMs = 60_000

/** How many that are due are ordered by what is at stake. */
const maxDue = 2_000

/** The transfers that want to be read by hash, those of most value first, and each tenth the one due longest. */
export function listDueChecks(
  db: Database,
  now: UnixMs,
  limit: number,
  riskOf: (row: StoredTransfer) => number,
): DueCheck[] {
  const due = selectTransfers(db, 'WHERE check_at <= ? ORDER BY check_at LIMIT ?', now, maxDue)
  const toRisk = (row: StoredTransfer) => ({ share: riskOf(row), since: row.checkAt ?? now, counts: true })
  return valueFirst(due, toRisk, limit).map((row) => {
    const { members } = row.group
    return {
      key: formatKey(row.key),
      zoneHash: members.find((sighting) => sighting.zoneHash !== null)?.zoneHash ?? null,
      mainHash: members.find((sighting) => sighting.mainHash !== null)?.mainHash ?? null,
      byMain: wantsMainRead(row.group),
      addresses: [
        ...new Set(members.flatMap(({ targetAddress, sourceAddress }) => [targetAddress, sourceAddress])),
      ].filter((address) => address !== ''),
      misses: row.misses,
      isUrgent: row.misses === 0 && !members.some((sighting) => sighting.source === 'E12'),
    }
  })
}

/**
 * Asked for in vain: again later, ever more rarely.
 * @param soughtAt when an answer was asked for that would have held it; null where none could be had
 */
export function postponeCheck(
  db: Database,
  row: StoredTransfer,
  { now, soughtAt, openIntervalMs }: { now: UnixMs; soughtAt: UnixMs | null; openIntervalMs: number },
): void {
  const waitMs = Math.min(openIntervalMs * 2 ** Math.min(row.misses, 10), maxPostponeMs)
  saveSought(db, row, {
    checkAt: now + waitMs,
    misses: row.misses + 1,
    soughtAt: soughtAt ?? row.soughtAt,
  })
}
