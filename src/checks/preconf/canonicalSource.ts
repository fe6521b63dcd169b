import type { AbsenceRule } from './settleReceipt.ts'
import type { CanonicalBlock, Found } from './receipt.ts'

/** Whose word on the canonical chain preconfirmations are settled by. */
export interface CanonicalSource {
  readonly name: 'canonical' | 'explorer'
  /** How many more blocks have to be there before a block is settled. */
  readonly settleAfter: number
  readonly absence: AbsenceRule
  /** Held transactions of one reading, about. */
  readonly readingSize: number
  /** Whether the two blocks behind are read along, because another reading costs more than they do. */
  readonly readsAhead: boolean
  /** The newest block; null when it is not known. */
  head(signal: AbortSignal): Promise<number | null>
  /**
   * The blocks that could be read whole; one that is left out says nothing.
   * @throws MonitorError `source.*` when none could be asked for
   */
  blocks(heights: readonly number[], signal: AbortSignal): Promise<ReadonlyMap<number, CanonicalBlock>>
  /** Looks for transactions by hash. */
  find(hashes: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Found>>
}
