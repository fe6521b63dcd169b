import type { Kernel } from '../../kernel/kernel.ts'
import type { Rpc } from '../../clients/rpc/createRpc.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { CanonicalSource } from './canonicalSource.ts'
import { isAnswer } from '../../kernel/reads/askInParts.ts'
import { countFates, type Judged, toFindings } from './judged.ts'
import { settleEarly } from './settleEarly.ts'
import {
  firstSeen,
  forgetBlock,
  type Held,
  type HeldReceipts,
  isJudged,
  listHeights,
  listHeld,
  noteAbsent,
  release,
  type Watched,
} from './heldReceipts.ts'
import { judgeLate } from './late.ts'
import { addLate, createLateWindow, type LateWindow } from './lateShare.ts'
import { watchDropped } from './pollDropped.ts'
import type { CanonicalBlock } from './receipt.ts'
import type { Recent } from './recent.ts'
import { fateOfFound, findFate, isDropped, laterBlocks } from './settleReceipt.ts'
import { addPreconfCounts, type PreconfCounts } from './store.ts'

/** What was preconfirmed, and how far it is settled. */
export interface Settling extends SettleSources {
  readonly late: LateWindow
  /** When a block is read again, by the clock that nobody sets. */
  readonly nextAt: Map<number, number>
  /** Blocks of which is counted which transactions had been preconfirmed. */
  readonly counted: Set<number>
  /** What was counted of blocks since the last commit. */
  seen: SeenCounts
  /** What was taken up to the last commit. */
  takenBefore: number
}

interface SettleSources extends Pick<Kernel, 'clock' | 'commit' | 'db' | 'ledger' | 'rules'> {
  readonly rpc: Pick<Rpc, 'health'>
  readonly source: CanonicalSource
  readonly held: HeldReceipts
  /** When the node first showed a complete block, by our clock. */
  readonly complete: Recent<UnixMs>
  /** Hears of transactions that are in no block. */
  readonly onDropped?: (hashes: ReadonlySet<string>) => void
}

type SeenCounts = Pick<PreconfCounts, 'hits' | 'unseen' | 'unwatched' | 'late' | 'leadsMs'>

/** How long something may stay unsettled before it is unknown, ms. */
const maxHeldMs = 3_600_000
/** Blocks of one reading, at most. */
const maxBlocks = 30
/** Answers so close together miss no step worth speaking of. */
const closeMs = 700
/** How long after its block's time a preconfirmation is late, ms; block times are whole seconds. */
const lateAfterMs = 1_000

/** Leads that are kept between two commits. */
const mostLeads = 10_000

export function createSettling(sources: SettleSources): Settling {
  return {
    ...sources,
    late: createLateWindow(),
    nextAt: new Map(),
    counted: new Set(),
    seen: nothingSeen,
    takenBefore: 0,
  }
}

const nothingSeen: SeenCounts = { hits: 0, unseen: 0, unwatched: 0, late: 0, leadsMs: [] }

/**
 * Settles what was preconfirmed against the canonical chain, oldest first: nothing is let go of before it is known to
 * be in a block, is missed often enough, or is counted as unknown.
 */
export async function settlePreconf(of: Settling, signal: AbortSignal): Promise<void> {
  const { held, source, clock, nextAt } = of
  // What a node of another chain preconfirmed was never promised on this one.
  if (of.rpc.health().foreign) for (const height of listHeights(held, Infinity)) forgetBlock(held, height)
  const head = await source.head(signal)
  const passed = clock.monotonicMs()
  const settleable = head === null ? [] : listHeights(held, head - source.settleAfter)
  const due = chooseDue(
    of,
    settleable.filter((height) => (nextAt.get(height) ?? 0) <= passed),
  )
  const judged: Judged[] = []
  const failures: unknown[] = []
  if (due.length > 0) {
    try {
      judged.push(...(await settle(of, due, signal)))
    } catch (error) {
      signal.throwIfAborted()
      failures.push(error)
      // Others are read meanwhile: blocks that a source stumbles over must not hold up all that come after them.
      if (isAnswer(error)) rest(of, due)
    }
  }
  judged.push(...listExpired(held, new Set(judged.map((one) => one.held.hash)), clock.now()))
  finish(of, judged, settleable)
  if (failures.length > 0) throw failures[0]
}

function chooseDue({ held, source }: Settling, heights: readonly number[]): number[] {
  const chosen: number[] = []
  let size = 0
  for (const height of heights) {
    const { length } = listHeld(held, height)
    const isFarther = source.readsAhead && height - (chosen[0] ?? height) >= maxBlocks
    const isFull = chosen.length >= maxBlocks || size + length > source.readingSize
    if (chosen.length > 0 && (isFarther || isFull)) break
    chosen.push(height)
    size += length
  }
  return chosen
}

async function settle(of: Settling, due: readonly number[], signal: AbortSignal): Promise<Judged[]> {
  const { clock, held, source } = of
  const blocks = new Map(await source.blocks(source.readsAhead ? withLater(due) : due, signal))
  const blockAt = (height: number) => blocks.get(height) ?? null
  for (const height of due) countSeen(of, blockAt(height))
  const fates = () =>
    due
      .flatMap((height) => listHeld(held, height))
      .map((one) => ({ held: one, fate: findFate(one, blockAt) }))
  const open = fates().filter(({ fate }) => fate.kind === 'unread')
  const more = withLater(open.map((one) => one.held.height)).filter((height) => !blocks.has(height))
  if (more.length > 0 && !source.readsAhead)
    for (const [height, block] of await source.blocks(more, signal)) blocks.set(height, block)
  const judged: Judged[] = []
  const missed: Held[] = []
  for (const one of fates()) {
    if (one.fate.kind === 'held-by-block') judged.push({ held: one.held, fate: one.fate })
    else if (one.fate.kind === 'absent') {
      const readAt = blockAt(one.held.height)?.requestedAt ?? clock.now()
      missed.push(noteAbsent(held, one.held.hash, readAt) ?? one.held)
    }
  }
  rest(of, due)
  const gone = missed.filter((one) => isDropped(one, source.absence))
  return [...judged, ...(await confirm(source, gone, signal))]
}

/** These blocks are read again only after the time that has to lie between two readings that do not show something. */
function rest({ clock, nextAt, source: { absence } }: Settling, due: readonly number[]): void {
  const until = clock.monotonicMs() + absence.spanMs / (absence.reads - 1)
  for (const height of due) nextAt.set(height, until)
}

/** The last word before something is called dropped: asked for by its hash. */
async function confirm(
  source: CanonicalSource,
  missed: readonly Held[],
  signal: AbortSignal,
): Promise<Judged[]> {
  const some = missed.slice(0, 200)
  if (some.length === 0) return []
  const hashes = some.map(({ hash }) => hash)
  const found = await source.find(hashes, signal)
  return some.flatMap((one): Judged[] => {
    const fate = fateOfFound(one, found.get(one.hash) ?? { at: 'unknown' })
    if (fate === null || fate.kind === 'unread') return []
    return [{ held: one, fate: fate.kind === 'absent' ? { kind: 'dropped' } : fate }]
  })
}

function listExpired(receipts: HeldReceipts, settled: ReadonlySet<string>, now: UnixMs): Judged[] {
  const expired: Judged[] = []
  for (const height of listHeights(receipts, Infinity)) {
    const held = listHeld(receipts, height).filter(({ hash }) => !settled.has(hash))
    const old = held.filter(({ firstSeenAt }) => now - firstSeenAt > maxHeldMs)
    if (held.length > 0 && old.length === 0) break
    expired.push(...old.map((one): Judged => ({ held: one, fate: { kind: 'unknown' } })))
  }
  return expired
}

/** Once for each block: which of its transactions had been preconfirmed, and how early. */
function countSeen(of: Settling, block: CanonicalBlock | null): void {
  const { clock, complete, counted, held } = of
  if (block === null || counted.has(block.height) || isJudged(held, block.height)) return
  counted.add(block.height)
  const isWatched = isClose(held.blocks.get(block.height)?.watched ?? null)
  const endedAt = complete.get(String(block.height))
  const aheadMs = nodeAheadMs(of)
  const leadsMs: number[] = []
  let [hits, samples, late, unseen, unwatched] = [0, 0, 0, 0, 0]
  for (const { hash, isSystem } of block.transactions.values()) {
    if (isSystem === true || held.system.get(hash) !== null) continue
    const first = firstSeen(held, hash)
    if (first) {
      hits += 1
      if (isWatched && endedAt !== null) leadsMs.push(endedAt - first.at)
    } else if (isWatched && isSystem === false) unseen += 1
    else unwatched += 1
    if (!isWatched || (!first && isSystem === null)) continue
    samples += 1
    if (!first || isLate(first.at, block.time, aheadMs)) late += 1
  }
  const { seen } = of
  of.seen = {
    hits: seen.hits + hits,
    unseen: seen.unseen + unseen,
    unwatched: seen.unwatched + unwatched,
    late: seen.late + late,
    leadsMs: [...seen.leadsMs, ...leadsMs].slice(0, mostLeads),
  }
  addLate(of.late, { samples, late, unseen }, clock.now())
}

/** By how much the node's clock is ahead of ours, ms, where that is known. */
function nodeAheadMs({ clock, rpc }: Settling): number {
  return (rpc.health().clockAheadMs ?? 0) + clock.doubtMs()
}

function isLate(firstAt: UnixMs, blockTime: UnixMs | null, aheadMs: number): boolean {
  if (blockTime === null) return false
  // The Date header gives whole seconds: only what is clearly more than that is a difference of the clocks.
  return firstAt + (Math.abs(aheadMs) > 1_500 ? aheadMs : 0) - blockTime > lateAfterMs
}

/** Commits, and only then lets go of what was settled. */
function finish(of: Settling, judged: readonly Judged[], settleable: readonly number[]): void {
  const { commit, counted, db, held, nextAt } = of
  const gone = new Set(judged.map((one) => one.held.hash))
  const done = listDone(of, gone, new Set(settleable))
  const overflow = done.reduce((sum, height) => sum + (held.blocks.get(height)?.overflow ?? 0), 0)
  const taken = held.taken - of.takenBefore
  const sums = countFates(judged)
  const counts: PreconfCounts = {
    ...sums,
    ...of.seen,
    taken: taken + overflow,
    unknown: sums.unknown + overflow,
  }
  if (judged.length + counts.taken + counts.hits + counts.unseen + counts.unwatched > 0) {
    commit({
      mayWait: 'without-news',
      apply(now) {
        addPreconfCounts(db, counts, held.byHash.size - gone.size, now)
        const findings = judged.flatMap((one) => toFindings(of, one))
        watchDropped(db, findings, now)
        return [...findings, ...settleEarly(of, judged, now), ...judgeLate(of.late, of.rules(), now)]
      },
    })
  }
  of.takenBefore += taken
  of.seen = nothingSeen
  for (const hash of gone) release(held, hash)
  of.onDropped?.(new Set(judged.flatMap((one) => (one.fate.kind === 'dropped' ? [one.held.hash] : []))))
  for (const height of done) {
    forgetBlock(held, height)
    counted.delete(height)
    nextAt.delete(height)
  }
}

/** Blocks with nothing more to find out: nothing is held of them, and who saw what is counted or cannot be. */
function listDone(
  { clock, counted, held }: Settling,
  gone: ReadonlySet<string>,
  settleable: ReadonlySet<number>,
): number[] {
  const isOver = (height: number) => {
    if (settleable.has(height) && (counted.has(height) || isJudged(held, height))) return true
    const watched = held.blocks.get(height)?.watched ?? null
    if (settleable.has(height) && !isClose(watched)) return true
    return watched !== null && clock.now() - watched.lastAt > maxHeldMs
  }
  return listHeights(held, Infinity).filter(
    (height) => isOver(height) && listHeld(held, height).every(({ hash }) => gone.has(hash)),
  )
}

function withLater(heights: readonly number[]): number[] {
  const all = heights.flatMap((height) => Array.from({ length: laterBlocks + 1 }, (_, by) => height + by))
  return [...new Set(all)].sort((a, b) => a - b)
}

/** Whether answers stood close together at both ends of a block: what was not seen then was not there. */
function isClose(watched: Watched | null): boolean {
  return (
    watched !== null && watched.beforeMs <= closeMs && watched.afterMs !== null && watched.afterMs <= closeMs
  )
}
