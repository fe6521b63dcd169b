import type { Direction } from '../../bridge/observation.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Database } from '../../store/database.ts'
import type { Row } from '../../store/table.ts'
import { timesOf } from '../sightings/knownTexts.ts'
import {
  isOpenRow,
  isSameCell,
  stored,
  storedColumns,
  type StoredTransfer,
  toStored,
} from './transferRows.ts'

interface PendingList {
  list(filter: { direction: Direction | null; originAtOrBefore: UnixMs }): Iterable<Transfer>
  /** What transfers are derived from beside their rows has changed. */
  forget(): void
}

/** Read at once: a long outage can leave more pending transfers than fit in memory. */
const sliceSize = 500
/** Kept derived. Every condition looks at overdue transfers every second, and hardly any of them changes. */
const maxKept = 20_000

/** Transfers that are pending, oldest first. A row is derived anew only when its body, or what that refers to, has changed. */
export function createPendingList(db: Database, derive: (row: StoredTransfer) => Transfer): PendingList {
  const kept = new Map<number, { body: string | Uint8Array; times: string; transfer: Transfer }>()
  let rollbacks = db.rollbacks()

  /** A key that was given in a transaction that came to nothing is given again, to another transfer. */
  function dropUndone(): void {
    if (rollbacks !== db.rollbacks()) kept.clear()
    rollbacks = db.rollbacks()
  }

  function toTransfer(row: Row): { readonly key: number; readonly transfer: Transfer } {
    const { key, body } = stored.read(row)
    const known = kept.get(key)
    const times = timesOf(row).join()
    if (known?.times === times && isSameCell(known.body, body)) return { key, transfer: known.transfer }
    const transfer = derive(toStored(db, row))
    if (kept.size >= maxKept) kept.clear()
    kept.set(key, { body, times, transfer })
    return { key, transfer }
  }

  return {
    *list({ direction, originAtOrBefore }) {
      const select = db.prepare(
        `SELECT ${storedColumns} FROM transfers INDEXED BY transfers_open
         WHERE ${isOpenRow} AND state = 'pending' AND origin_at <= ? AND (? = '' OR direction = ?)
         AND (origin_at, key) > (?, ?) ORDER BY origin_at, key LIMIT ${sliceSize}`,
      )
      for (let after = { at: -1, key: -1 }; ; ) {
        dropUndone()
        const rows = select.all(originAtOrBefore, direction ?? '', direction ?? '', after.at, after.key)
        for (const row of rows) {
          const { key, transfer } = toTransfer(row)
          after = { at: transfer.originAt, key }
          yield transfer
        }
        if (rows.length < sliceSize) return
      }
    },
    forget: () => kept.clear(),
  }
}
