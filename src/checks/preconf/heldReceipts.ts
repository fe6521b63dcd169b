import type { UnixMs } from '../../lib/clock.ts'
import { type ClockJump, rebaseInstant } from '../../lib/rebaseInstant.ts'
import type { Outcome, PendingBlock, SeenReceipt } from './receipt.ts'
import { createRecent } from './recent.ts'

/** A preconfirmed transaction that has not been settled. */
export interface Held {
  readonly hash: string
  /** The block that it was first preconfirmed in. */
  readonly height: number
  /** Whether the receipt itself named that block. */
  readonly isHeightCertain: boolean
  readonly index: number | null
  /** What it was said to come to, in order, each once. */
  readonly outcomes: readonly Outcome[]
  readonly firstSeenAt: UnixMs
  readonly isBridge: boolean
  /** Readings of the canonical chain that did not hold it: the first, the newest, how many. */
  readonly absent: { readonly firstAt: UnixMs; readonly lastAt: UnixMs; readonly reads: number } | null
}

/** How closely a block was watched while it was made. */
export interface Watched {
  /** Since the answer before, which was of an earlier block; Infinity for the first ever. */
  readonly beforeMs: number
  /** Until the answer that was of a later block; null while there is none. */
  readonly afterMs: number | null
  readonly firstAt: UnixMs
  readonly lastAt: UnixMs
}

export interface HeldLimits {
  /** Receipts of one block. */
  readonly perBlock: number
  /** In all: what comes beyond is counted, not held, so that what is held can be settled. */
  readonly total: number
}

/** Preconfirmed transactions by block, in memory, from their first sight until they are settled. */
export interface HeldReceipts {
  /** Takes one good answer. Answers may come out of order: only newer ones move the block being made. */
  take(block: PendingBlock, at: UnixMs): void
  /** Heights at or below a bound that hold or saw something, rising. */
  heights(upTo: number): number[]
  listHeld(height: number): readonly Held[]
  watched(height: number): Watched | null
  /** Whether it was forgotten once: what is held of it now came afterwards. */
  isJudged(height: number): boolean
  isSystem(hash: string): boolean
  /** Where a transaction is held or was settled; null for one never preconfirmed. */
  firstSeen(hash: string): { readonly height: number; readonly at: UnixMs } | null
  /** Notes that a reading did not hold it; gives it back as it is now. */
  noteAbsent(hash: string, at: UnixMs): Held | null
  /** Done with a transaction, whatever became of it. */
  release(hash: string): void
  /** How many receipts of a block were never held for want of room. */
  overflow(height: number): number
  /** Done with a block. */
  forget(height: number): void
  size(): number
  /** Transactions held for the first time since the start. */
  taken(): number
  /** The machine slept: how long ago something was stays as it is. */
  rebaseClock(jump: ClockJump): void
}

interface Block {
  readonly hashes: Set<string>
  watched: Watched | null
  /** The most receipts that one answer had beyond what could be held. */
  overflow: number
}

/** Settled transactions are remembered for this many more, so that a lagging node does not bring them up again. */
const rememberedSettled = 50_000

export function createHeldReceipts(limits: HeldLimits): HeldReceipts {
  const held = new Map<string, Held>()
  const blocks = new Map<number, Block>()
  const settled = createRecent<{ height: number; at: UnixMs }>(rememberedSettled)
  const system = createRecent<true>(10_000)
  const forgotten = createRecent<true>(10_000)
  let newest: { height: number; at: UnixMs } | null = null
  let taken = 0

  function blockAt(height: number): Block {
    const known = blocks.get(height)
    if (known) return known
    const block: Block = { hashes: new Set(), watched: null, overflow: 0 }
    blocks.set(height, block)
    return block
  }

  /** @returns whether there was room for it */
  function takeOne(receipt: SeenReceipt, answered: number, at: UnixMs): boolean {
    const known = held.get(receipt.hash)
    if (known) {
      held.set(receipt.hash, addOutcome(known, receipt, at))
      return true
    }
    if (settled.touch(receipt.hash)) return true
    const height = receipt.height ?? answered
    const block = blockAt(height)
    if (block.hashes.size >= limits.perBlock || held.size >= limits.total) return false
    const { hash, index, isBridge, status, gasUsed, logs } = receipt
    block.hashes.add(hash)
    taken += 1
    held.set(hash, {
      hash,
      height,
      isHeightCertain: receipt.height !== null,
      index,
      outcomes: [{ status, gasUsed, logs }],
      firstSeenAt: at,
      isBridge,
      absent: null,
    })
    return true
  }

  function watch(height: number, at: UnixMs): void {
    // A node that stands still goes on to tell of a block that is long settled: it is not judged twice.
    if (forgotten.touch(height.toString()) && !blocks.has(height)) return
    const block = blockAt(height)
    if (newest === null || height > newest.height) {
      const before = newest === null ? null : (blocks.get(newest.height) ?? null)
      const gapMs = newest === null ? Infinity : at - newest.at
      if (before?.watched) before.watched = { ...before.watched, afterMs: at - before.watched.lastAt }
      block.watched ??= { beforeMs: gapMs, afterMs: null, firstAt: at, lastAt: at }
      newest = { height, at }
    } else if (height === newest.height) {
      newest = { height, at: Math.max(at, newest.at) }
      if (block.watched) block.watched = { ...block.watched, lastAt: newest.at }
    }
  }

  return {
    take({ height, receipts, system: own }, at) {
      watch(height, at)
      for (const hash of own) system.add(hash, true)
      let missed = 0
      for (const receipt of receipts) if (!takeOne(receipt, height, at)) missed += 1
      if (missed > 0) {
        const block = blockAt(height)
        block.overflow = Math.max(block.overflow, missed)
      }
    },
    heights: (upTo) => [...blocks.keys()].filter((height) => height <= upTo).sort((a, b) => a - b),
    listHeld: (height) => [...(blocks.get(height)?.hashes ?? [])].flatMap((hash) => held.get(hash) ?? []),
    watched: (height) => blocks.get(height)?.watched ?? null,
    isJudged: (height) => forgotten.get(height.toString()) !== null,
    isSystem: (hash) => system.get(hash) !== null,
    firstSeen(hash) {
      const known = held.get(hash)
      return known ? { height: known.height, at: known.firstSeenAt } : settled.get(hash)
    },
    noteAbsent(hash, at) {
      const known = held.get(hash)
      if (!known) return null
      const { absent } = known
      const after: Held = {
        ...known,
        absent: absent
          ? { firstAt: absent.firstAt, lastAt: at, reads: absent.reads + 1 }
          : { firstAt: at, lastAt: at, reads: 1 },
      }
      held.set(hash, after)
      return after
    },
    release(hash) {
      const known = held.get(hash)
      if (!known) return
      held.delete(hash)
      blocks.get(known.height)?.hashes.delete(hash)
      settled.add(hash, { height: known.height, at: known.firstSeenAt })
    },
    forget(height) {
      const block = blocks.get(height)
      blocks.delete(height)
      forgotten.add(height.toString(), true)
      for (const hash of block?.hashes ?? []) held.delete(hash)
    },
    overflow: (height) => blocks.get(height)?.overflow ?? 0,
    size: () => held.size,
    taken: () => taken,
    rebaseClock(jump) {
      const move = <T extends { readonly firstAt: UnixMs; readonly lastAt: UnixMs }>(span: T | null) =>
        span && {
          ...span,
          firstAt: rebaseInstant(span.firstAt, jump),
          lastAt: rebaseInstant(span.lastAt, jump),
        }
      for (const [hash, one] of held) {
        held.set(hash, {
          ...one,
          firstSeenAt: rebaseInstant(one.firstSeenAt, jump),
          absent: move(one.absent),
        })
      }
      for (const block of blocks.values()) block.watched = move(block.watched)
      newest = newest && { ...newest, at: rebaseInstant(newest.at, jump) }
    },
  }
}

function addOutcome(known: Held, { status, gasUsed, logs }: Outcome, at: UnixMs): Held {
  const isEarlier = at < known.firstSeenAt
  const isKnown = known.outcomes.some(
    (one) => one.status === status && one.gasUsed === gasUsed && one.logs === logs,
  )
  if (isKnown && !isEarlier) return known
  return {
    ...known,
    firstSeenAt: Math.min(at, known.firstSeenAt),
    // More versions than this tell nothing more.
    outcomes:
      isKnown || known.outcomes.length >= 4 ? known.outcomes : [...known.outcomes, { status, gasUsed, logs }],
  }
}
