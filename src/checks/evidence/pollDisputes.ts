import type { Kernel } from '../../kernel/kernel.ts'
import { listDisputes } from '../../ledger/disputes.ts'
import type { UnixMs } from '../../lib/clock.ts'

/** What nobody took back by then is not waited for any more. */
const watchedMs = 48 * 3_600_000
const firstMs = 60_000
/** Disputes looked at, and asked about again, in one run. */
const maxListed = 200
const maxAsked = 20

/**
 * Asks again about what was reported because a second source said otherwise: the answer may change, and then one correction
 * follows. Each dispute is asked about after a minute and then ever more rarely, by its own age.
 */
export function createDisputesPoll({
  clock,
  db,
  ledger,
}: Pick<Kernel, 'clock' | 'db' | 'ledger'>): () => Promise<void> {
  const askedAt = new Map<string, UnixMs>()
  return async () => {
    const now = clock.now()
    const open = listDisputes(db, now - watchedMs, maxListed)
    const keys = new Set(open.map(({ key }) => key))
    for (const key of askedAt.keys()) if (!keys.has(key)) askedAt.delete(key)
    const due = open.filter(({ key, toldAt }) => {
      const last = askedAt.get(key) ?? toldAt
      return now >= last + Math.max(firstMs, last - toldAt)
    })
    for (const { key } of due.slice(0, maxAsked)) {
      askedAt.set(key, now)
      const transfer = ledger.getTransfer(key)
      if (transfer) ledger.askAgain(transfer, now)
    }
  }
}
