import type { CanonicalBlock, CanonicalTransaction, Found, Outcome } from './receipt.ts'
import type { Held } from './heldReceipts.ts'

/** Within how many more blocks a transaction that is not in the block it was preconfirmed in may still come. */
export const laterBlocks = 2

/** What of a receipt is other than it was preconfirmed. */
interface Changes {
  readonly status: boolean
  readonly gasUsed: boolean
  readonly logs: boolean
}

/** What became of a preconfirmed transaction. */
export type Fate =
  | {
      readonly kind: 'held-by-block'
      /** How many blocks after the one it was preconfirmed in; below zero is before. */
      readonly by: number
      /** Its place in the block is another; only said within the same block. */
      readonly isIndexMoved: boolean
      readonly transaction: CanonicalTransaction
      readonly height: number
      /** The preconfirmed outcome that differs, and how; null when every one of them came true. */
      readonly changed: { readonly before: Outcome; readonly what: Changes } | null
    }
  /** In none of the blocks that could hold it. */
  | { readonly kind: 'absent' }
  /** A block that could hold it has not been read. */
  | { readonly kind: 'unread' }

/** Looks for a held transaction in the block that it was preconfirmed in and in the next two. */
export function findFate(held: Held, blockAt: (height: number) => CanonicalBlock | null): Fate {
  for (let by = 0; by <= laterBlocks; by += 1) {
    const block = blockAt(held.height + by)
    // What is behind an unread block says nothing: the transaction may be in it, and twice is impossible.
    const transaction = block?.transactions.get(held.hash)
    if (transaction) return toFate(held, held.height + by, transaction)
  }
  const areAllRead = Array.from({ length: laterBlocks + 1 }, (_, by) => blockAt(held.height + by)).every(
    (block) => block !== null,
  )
  return { kind: areAllRead ? 'absent' : 'unread' }
}

/** What a search by hash says of it; null when it could not be asked. */
export function fateOfFound(held: Held, found: Found): Fate | null {
  if (found.at === 'unknown') return null
  return found.at === 'nowhere' ? { kind: 'absent' } : toFate(held, found.height, found.transaction)
}

function toFate(held: Held, height: number, transaction: CanonicalTransaction): Fate {
  const isSame = height === held.height
  const { index } = transaction
  return {
    kind: 'held-by-block',
    // Where only the answer as a whole named a block, one more or less is how it was read, not what happened.
    by: !held.isHeightCertain && Math.abs(height - held.height) <= 1 ? 0 : height - held.height,
    isIndexMoved: isSame && held.index !== null && index !== null && held.index !== index,
    transaction,
    height,
    changed: findChange(held, transaction),
  }
}

/** The first preconfirmed outcome that is not what came: people may have acted on any of them. */
function findChange(
  { outcomes }: Held,
  after: CanonicalTransaction,
): { before: Outcome; what: Changes } | null {
  for (const before of outcomes) {
    const what = {
      status: isOther(before.status, after.status),
      gasUsed: isOther(before.gasUsed, after.gasUsed),
      logs: isOther(before.logs, after.logs),
    }
    if (what.status || what.gasUsed || what.logs) return { before, what }
  }
  return null
}

/** What one side does not say is no difference. */
function isOther<T>(before: T | null, after: T | null): boolean {
  return before !== null && after !== null && before !== after
}

/** How often, and over how long, a transaction must be missed before it is called dropped. */
export interface AbsenceRule {
  readonly reads: number
  readonly spanMs: number
}

/** Whether enough readings agree that it is nowhere. */
export function isDropped({ absent }: Held, rule: AbsenceRule): boolean {
  return absent !== null && absent.reads >= rule.reads && absent.lastAt - absent.firstAt >= rule.spanMs
}
