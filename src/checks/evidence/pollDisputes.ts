import type { Transfer } from '../../bridge/transfer.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import type { Dispute } from '../../ledger/disputes.ts'

export interface DisputesDeps {
  readonly clock: Clock
  /** Disputed transfers that were told of since, the newest first. */
  listDisputes(since: UnixMs, limit: number): readonly Dispute[]
  getTransfer(key: string): Transfer | null
  /** Has the record and the legs of a transfer asked for again. */
  askAgain(transfer: Transfer): void
}

/** What nobody took back by then is not waited for any more. */
const watchedMs = 48 * 3_600_000
const firstMs = 60_000
/** Disputes looked at, and asked about again, in one run. */
const maxListed = 200
const maxAsked = 20

/**
 * Asks again about what was told because a second source said otherwise: the answer may change, and then one correction
 * follows. Each dispute is asked about after a minute and then ever more rarely, by its own age.
 */
export function createDisputesPoll(deps: DisputesDeps): () => Promise<void> {
  const askedAt = new Map<string, UnixMs>()
  return async () => {
    const now = deps.clock.now()
    const open = deps.listDisputes(now - watchedMs, maxListed)
    const keys = new Set(open.map(({ key }) => key))
    for (const key of askedAt.keys()) if (!keys.has(key)) askedAt.delete(key)
    const due = open.filter(({ key, toldAt }) => {
      const last = askedAt.get(key) ?? toldAt
      return now >= last + Math.max(firstMs, last - toldAt)
    })
    for (const { key } of due.slice(0, maxAsked)) {
      askedAt.set(key, now)
      const transfer = deps.getTransfer(key)
      if (transfer) deps.askAgain(transfer)
    }
  }
}
