import type { UnixMs } from '../../lib/clock.ts'
import type { SeenLog } from './payout.ts'

/** What a transaction came to, as far as a source says; null is not said. */
export interface Outcome {
  readonly status: 'success' | 'failed' | null
  readonly gasUsed: bigint | null
  /** Digest of the logs: addresses, topics and data, without their places in the block. */
  readonly logs: string | null
}

/** A receipt of the block being made, as one answer gave it. */
export interface SeenReceipt extends Outcome {
  readonly hash: string
  /** Null where the node does not say: then it is of the height that the answer was of, give or take one. */
  readonly height: number | null
  readonly index: number | null
  /** Addresses that it calls or that log in it, as far as they belong to the bridge. */
  readonly isBridge: boolean
}

/** One answer about the block being made. */
export interface PendingBlock {
  readonly height: number
  readonly receipts: readonly SeenReceipt[]
  /** Transactions of the chain itself (type 0x7e): they are not judged. */
  readonly system: readonly string[]
  /** As the block being made says, in whole seconds; null where it does not. */
  readonly time: UnixMs | null
  /** Of all of them, those that succeeded and concern the bridge. */
  readonly bridge: readonly BridgeReceipt[]
}

/** A transaction of the block being made, with its logs that concern the bridge. */
export interface BridgeReceipt {
  readonly hash: string
  readonly height: number
  readonly logs: readonly SeenLog[]
}

/** One transaction of a canonical block. */
export interface CanonicalTransaction extends Outcome {
  readonly hash: string
  readonly index: number | null
  /** Of the chain itself; null where the source does not say. */
  readonly isSystem: boolean | null
}

export interface CanonicalBlock {
  readonly height: number
  /** In whole seconds of the chain. */
  readonly time: UnixMs | null
  readonly requestedAt: UnixMs
  readonly transactions: ReadonlyMap<string, CanonicalTransaction>
}

/** Where a transaction was found when it was asked for by its hash. */
export type Found =
  | { readonly at: 'block'; readonly height: number; readonly transaction: CanonicalTransaction }
  /** The source answered that it knows no such transaction. */
  | { readonly at: 'nowhere' }
  /** It could not be asked. */
  | { readonly at: 'unknown' }
