import type { UnixMs } from '../../lib/clock.ts'
import { type ClockJump, rebaseInstant } from '../../lib/rebaseInstant.ts'
import type { Outcome, PendingBlock, SeenReceipt } from './receipt.ts'
import { createRecent, type Recent } from './recent.ts'

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
  readonly limits: HeldLimits
  readonly byHash: Map<string, Held>
  readonly blocks: Map<number, Block>
  /** Where settled transactions were preconfirmed, so that a lagging node does not bring them up again. */
  readonly settled: Recent<FirstSight>
  /** Transactions of the chain itself. */
  readonly system: Recent<true>
  /** Blocks that nothing more is to be found out of. */
  readonly forgotten: Recent<true>
  /** The block being made, as it was last shown. */
  newest: FirstSight | null
  /** Transactions held for the first time since the start. */
  taken: number
}

interface FirstSight {
  readonly height: number
  readonly at: UnixMs
}

interface Block {
  readonly hashes: Set<string>
  watched: Watched | null
  /** The most receipts that one answer had beyond what could be held. */
  overflow: number
}

/** Settled transactions are remembered for this many more. */
const rememberedSettled = 50_000

export function createHeldReceipts(limits: HeldLimits): HeldReceipts {
  return {
    limits,
    byHash: new Map(),
    blocks: new Map(),
    settled: createRecent(rememberedSettled),
    system: createRecent(10_000),
    forgotten: createRecent(10_000),
    newest: null,
    taken: 0,
  }
}

/** Takes one good answer. Answers may come out of order: only newer ones move the block being made. */
export function takePending(
  of: HeldReceipts,
  { height, receipts, system }: Pick<PendingBlock, 'height' | 'receipts' | 'system'>,
  at: UnixMs,
): void {
  watch(of, height, at)
  for (const hash of system) of.system.add(hash, true)
  const answer = { height, at }
  let missed = 0
  for (const receipt of receipts) if (!takeOne(of, receipt, answer)) missed += 1
  if (missed > 0) {
    const block = blockAt(of, height)
    block.overflow = Math.max(block.overflow, missed)
  }
}

/** @returns whether there was room for it */
function takeOne(of: HeldReceipts, receipt: SeenReceipt, answer: FirstSight): boolean {
  const { byHash, limits } = of
  const { at } = answer
  const known = byHash.get(receipt.hash)
  if (known) {
    byHash.set(receipt.hash, addOutcome(known, receipt, at))
    return true
  }
  if (of.settled.touch(receipt.hash)) return true
  const height = receipt.height ?? answer.height
  const block = blockAt(of, height)
  if (block.hashes.size >= limits.perBlock || byHash.size >= limits.total) return false
  const { hash, index, isBridge, status, gasUsed, logs } = receipt
  block.hashes.add(hash)
  of.taken += 1
  byHash.set(hash, {
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

function blockAt({ blocks }: HeldReceipts, height: number): Block {
  const known = blocks.get(height)
  if (known) return known
  const block: Block = { hashes: new Set(), watched: null, overflow: 0 }
  blocks.set(height, block)
  return block
}

function watch(of: HeldReceipts, height: number, at: UnixMs): void {
  const { blocks, newest } = of
  // A node that stands still goes on showing a block that is long settled: it is not judged twice.
  if (of.forgotten.touch(height.toString()) && !blocks.has(height)) return
  const block = blockAt(of, height)
  if (newest === null || height > newest.height) {
    const before = newest === null ? null : (blocks.get(newest.height) ?? null)
    const gapMs = newest === null ? Infinity : at - newest.at
    if (before?.watched) before.watched = { ...before.watched, afterMs: at - before.watched.lastAt }
    block.watched ??= { beforeMs: gapMs, afterMs: null, firstAt: at, lastAt: at }
    of.newest = { height, at }
  } else if (height === newest.height) {
    const lastAt = Math.max(at, newest.at)
    of.newest = { height, at: lastAt }
    if (block.watched) block.watched = { ...block.watched, lastAt }
  }
}

/** Heights at or below a bound that hold or saw something, rising. */
export function listHeights({ blocks }: HeldReceipts, upTo: number): number[] {
  return [...blocks.keys()].filter((height) => height <= upTo).sort((a, b) => a - b)
}

export function listHeld({ blocks, byHash }: HeldReceipts, height: number): Held[] {
  return [...(blocks.get(height)?.hashes ?? [])].flatMap((hash) => byHash.get(hash) ?? [])
}

/** Whether a block was forgotten once: what is held of it now came afterwards. */
export function isJudged({ forgotten }: HeldReceipts, height: number): boolean {
  return forgotten.get(height.toString()) !== null
}

/** Where a transaction is held or was settled; null for one never preconfirmed. */
export function firstSeen({ byHash, settled }: HeldReceipts, hash: string): FirstSight | null {
  const known = byHash.get(hash)
  return known ? { height: known.height, at: known.firstSeenAt } : settled.get(hash)
}

/** Notes that a reading did not hold it; gives it back as it is now. */
export function noteAbsent({ byHash }: HeldReceipts, hash: string, at: UnixMs): Held | null {
  const known = byHash.get(hash)
  if (!known) return null
  const { absent } = known
  const after: Held = {
    ...known,
    absent: absent
      ? { firstAt: absent.firstAt, lastAt: at, reads: absent.reads + 1 }
      : { firstAt: at, lastAt: at, reads: 1 },
  }
  byHash.set(hash, after)
  return after
}

/** Done with a transaction, whatever became of it. */
export function release({ blocks, byHash, settled }: HeldReceipts, hash: string): void {
  const known = byHash.get(hash)
  if (!known) return
  byHash.delete(hash)
  blocks.get(known.height)?.hashes.delete(hash)
  settled.add(hash, { height: known.height, at: known.firstSeenAt })
}

/** Done with a block. */
export function forgetBlock({ blocks, byHash, forgotten }: HeldReceipts, height: number): void {
  const block = blocks.get(height)
  blocks.delete(height)
  forgotten.add(height.toString(), true)
  for (const hash of block?.hashes ?? []) byHash.delete(hash)
}

/** The machine slept: how long ago something was stays as it is. */
export function rebaseHeld(of: HeldReceipts, jump: ClockJump): void {
  const { blocks, byHash, newest } = of
  const move = <T extends { readonly firstAt: UnixMs; readonly lastAt: UnixMs }>(span: T | null) =>
    span && {
      ...span,
      firstAt: rebaseInstant(span.firstAt, jump),
      lastAt: rebaseInstant(span.lastAt, jump),
    }
  for (const [hash, one] of byHash) {
    const firstSeenAt = rebaseInstant(one.firstSeenAt, jump)
    byHash.set(hash, { ...one, firstSeenAt, absent: move(one.absent) })
  }
  for (const block of blocks.values()) block.watched = move(block.watched)
  of.newest = newest && { ...newest, at: rebaseInstant(newest.at, jump) }
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
    // More versions than this show nothing more.
    outcomes:
      isKnown || known.outcomes.length >= 4 ? known.outcomes : [...known.outcomes, { status, gasUsed, logs }],
  }
}
