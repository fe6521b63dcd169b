import type { Direction } from '../bridge/observation.ts'
import type { Transfer } from '../bridge/transfer.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { Database } from '../store/database.ts'
import { int, type Row, table, text } from '../store/table.ts'
import { isOpenRow, type StoredTransfer, toStored } from './transferRows.ts'

export interface PendingList {
  list(filter: { direction: Direction | null; originAtOrBefore: UnixMs }): Iterable<Transfer>
  /** What transfers are derived from beside their rows has changed. */
  forget(): void
}

const texts = table('transfers', { key: int, body: text })

/** Read at once: a long outage can leave more pending transfers than fit in memory. */
const sliceSize = 500
/** Kept derived. Every condition looks at overdue transfers every second, and hardly any of them changes. */
const maxKept = 20_000

/** Transfers without a destination leg, oldest first. A row is derived anew only when its text has changed. */
export function createPendingList(db: Database, derive: (row: StoredTransfer) => Transfer): PendingList {
  const kept = new Map<number, { body: string; transfer: Transfer }>()

  function toTransfer(row: Row): { readonly key: number; readonly transfer: Transfer } {
    const { key, body } = texts.read(row)
    const known = kept.get(key)
    if (known?.body === body) return { key, transfer: known.transfer }
    const transfer = derive(toStored(row))
    if (kept.size >= maxKept) kept.clear()
    kept.set(key, { body, transfer })
    return { key, transfer }
  }

  return {
    *list({ direction, originAtOrBefore }) {
      const select = db.prepare(
        `SELECT key, check_at, body FROM transfers INDEXED BY transfers_open
         WHERE ${isOpenRow} AND state = 'pending' AND origin_at <= ? AND (? = '' OR direction = ?)
         AND (origin_at, key) > (?, ?) ORDER BY origin_at, key LIMIT ${sliceSize}`,
      )
      for (let after = { at: -1, key: -1 }; ; ) {
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
