import { findUnjudgedPayout } from './unjudgedPayout.ts'
import type { Transfer } from '../../bridge/transfer.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { forgetUnjudged, saveUnjudged } from './unjudgedStore.ts'

/** Notes which payouts are compared with nothing, for where no escrow's movements tell: inside the transaction. */
export function noteUnjudged(
  { db, learned, tellSince }: Pick<Kernel, 'db' | 'learned' | 'tellSince'>,
  { changed, ceased }: { readonly changed: readonly Transfer[]; readonly ceased: readonly string[] },
  now: UnixMs,
): void {
  for (const key of ceased) forgetUnjudged(db, key)
  for (const transfer of changed) {
    const { key, originAt, destinationAt } = transfer
    const at = Math.max(originAt, destinationAt ?? 0)
    const payout = at < tellSince ? null : findUnjudgedPayout(transfer, learned)
    saveUnjudged(db, key, payout, { at, seenAt: now })
  }
}
