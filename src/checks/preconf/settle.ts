import type { Finding } from '../../bridge/finding.ts'
import type { Held, HeldReceipts, Watched } from './heldReceipts.ts'
import type { LateWindow } from './lateShare.ts'
import type { CanonicalBlock } from './receipt.ts'
import { type Fate, fateOfFound, findFate, isDropped, laterBlocks } from './settleReceipt.ts'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import { noPreconfCounts, type PreconfCounts } from './store.ts'
import type { CanonicalSource } from './canonicalSource.ts'
import type { Commit } from '../../kernel/reads.ts'
import { toFindings } from './findings.ts'
import type { FindingContext } from './settled.ts'

export interface SettleDeps {
  readonly clock: Clock
  readonly held: HeldReceipts
  readonly late: LateWindow
  readonly source: CanonicalSource
  readonly commit: Commit
  /** By how much the node's clock is ahead of ours, ms, where that is known. */
  clockAheadMs(): number
  /** When the node first told of a complete block, by our clock; null when it was not seen to. */
  completeAt(height: number): UnixMs | null
  save(counts: PreconfCounts, open: number, now: UnixMs): void
  /** What is told now; inside the commit. */
  noteFindings(findings: readonly Finding[], now: UnixMs): void
  /** Judged inside the commit: rules on shares over a window. */
  judgeLate(now: UnixMs): readonly Finding[]
  readonly context: FindingContext
}

/** What cannot be settled for so long is unknown. */
const maxHeldMs = 3_600_000
/** Blocks of one reading, at most. */
const maxBlocks = 30
/** Answers so close together miss no step worth speaking of. */
const closeMs = 700
/** A preconfirmation that comes so long after its block's time is late; block times are whole seconds. */
const lateAfterMs = 1_000

interface Judged {
  readonly held: Held
  readonly fate:
    | Extract<Fate, { kind: 'held-by-block' }>
    | { readonly kind: 'dropped' }
    | { readonly kind: 'unknown' }
}

/**
 * Settles what was preconfirmed against the canonical chain, oldest first: nothing is let go of before it is known to
 * be in a block, is missed often enough, or is counted as unknown.
 */
export function createPreconfSettle(deps: SettleDeps): (signal: AbortSignal) => Promise<void> {
  /** By the clock that nobody sets. */
  const nextAt = new Map<number, number>()
  const counted = new Set<number>()
  const seen = { hits: 0, unseen: 0, unwatched: 0, late: 0, leadsMs: [] as number[] }
  let takenBefore = 0

  return async (signal) => {
    const { held, source, clock } = deps
    const head = await source.head(signal)
    const passed = clock.monotonicMs()
    const settleable = head === null ? [] : held.heights(head - source.settleAfter)
    const due = chooseDue(settleable.filter((height) => (nextAt.get(height) ?? 0) <= passed))
    const judged: Judged[] = []
    const failures: unknown[] = []
    if (due.length > 0) {
      try {
        judged.push(...(await settle(due, signal)))
      } catch (error) {
        signal.throwIfAborted()
        failures.push(error)
      }
    }
    judged.push(...listExpired(new Set(judged.map((one) => one.held.hash)), clock.now()))
    finish(judged, settleable)
    if (failures.length > 0) throw failures[0]
  }

  function chooseDue(heights: readonly number[]): number[] {
    const chosen: number[] = []
    let size = 0
    for (const height of heights) {
      const { length } = deps.held.listHeld(height)
      const isFarther = deps.source.readsAhead && height - (chosen[0] ?? height) >= maxBlocks
      if (
        chosen.length > 0 &&
        (isFarther || chosen.length >= maxBlocks || size + length > deps.source.readingSize)
      )
        break
      chosen.push(height)
      size += length
    }
    return chosen
  }

  async function settle(due: readonly number[], signal: AbortSignal): Promise<Judged[]> {
    const { held, source } = deps
    const wanted = source.readsAhead ? withLater(due) : due
    const blocks = new Map(await source.blocks(wanted, signal))
    const blockAt = (height: number) => blocks.get(height) ?? null
    for (const height of due) countSeen(blockAt(height))
    const fates = () =>
      due
        .flatMap((height) => held.listHeld(height))
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
        const readAt = blockAt(one.held.height)?.requestedAt ?? deps.clock.now()
        missed.push(held.noteAbsent(one.held.hash, readAt) ?? one.held)
      }
    }
    const { reads, spanMs } = source.absence
    const pauseMs = spanMs / (reads - 1)
    for (const height of due) nextAt.set(height, deps.clock.monotonicMs() + pauseMs)
    judged.push(
      ...(await confirm(
        missed.filter((one) => isDropped(one, source.absence)),
        signal,
      )),
    )
    return judged
  }

  /** The last word before something is called dropped: asked for by its hash. */
  async function confirm(missed: readonly Held[], signal: AbortSignal): Promise<Judged[]> {
    const some = missed.slice(0, 200)
    if (some.length === 0) return []
    const found = await deps.source.find(
      some.map(({ hash }) => hash),
      signal,
    )
    return some.flatMap((one): Judged[] => {
      const fate = fateOfFound(one, found.get(one.hash) ?? { at: 'unknown' })
      if (fate === null || fate.kind === 'unread') return []
      return [{ held: one, fate: fate.kind === 'absent' ? { kind: 'dropped' } : fate }]
    })
  }

  function listExpired(settled: ReadonlySet<string>, now: UnixMs): Judged[] {
    const expired: Judged[] = []
    for (const height of deps.held.heights(Infinity)) {
      const held = deps.held.listHeld(height).filter(({ hash }) => !settled.has(hash))
      const old = held.filter(({ firstSeenAt }) => now - firstSeenAt > maxHeldMs)
      if (held.length > 0 && old.length === 0) break
      expired.push(...old.map((one): Judged => ({ held: one, fate: { kind: 'unknown' } })))
    }
    return expired
  }

  /** Once for each block: which of its transactions had been preconfirmed, and how early. */
  function countSeen(block: CanonicalBlock | null): void {
    if (block === null || counted.has(block.height) || deps.held.isJudged(block.height)) return
    counted.add(block.height)
    const isWatched = isClose(deps.held.watched(block.height))
    let [samples, late, unseen] = [0, 0, 0]
    for (const { hash, isSystem } of block.transactions.values()) {
      if (isSystem === true || deps.held.isSystem(hash)) continue
      const first = deps.held.firstSeen(hash)
      if (first) {
        seen.hits += 1
        const endedAt = deps.completeAt(block.height)
        if (isWatched && endedAt !== null && seen.leadsMs.length < 10_000)
          seen.leadsMs.push(endedAt - first.at)
      } else if (isWatched && isSystem === false) unseen += 1
      else seen.unwatched += 1
      if (!isWatched || (!first && isSystem === null)) continue
      samples += 1
      if (!first || isLate(first.at, block.time)) late += 1
    }
    seen.unseen += unseen
    seen.late += late
    deps.late.add({ samples, late, unseen }, deps.clock.now())
  }

  function isLate(firstAt: UnixMs, blockTime: UnixMs | null): boolean {
    if (blockTime === null) return false
    // The Date header tells whole seconds: only what is clearly more than that is a difference of the clocks.
    const ahead = deps.clockAheadMs()
    return firstAt + (Math.abs(ahead) > 1_500 ? ahead : 0) - blockTime > lateAfterMs
  }

  /** Commits, and only then lets go of what was settled. */
  function finish(judged: readonly Judged[], settleable: readonly number[]): void {
    const { held } = deps
    const gone = new Set(judged.map((one) => one.held.hash))
    const done = listDone(gone, new Set(settleable))
    const overflow = done.reduce((sum, height) => sum + held.overflow(height), 0)
    const taken = held.taken() - takenBefore
    const sums = addUp(judged)
    const counts: PreconfCounts = {
      ...sums,
      ...seen,
      taken: taken + overflow,
      unknown: sums.unknown + overflow,
    }
    if (judged.length + counts.taken + counts.hits + counts.unseen + counts.unwatched > 0) {
      deps.commit({
        apply(now) {
          deps.save(counts, held.size() - gone.size, now)
          const findings = judged.flatMap((one) => toFindings(deps.context, one))
          deps.noteFindings(findings, now)
          return [...findings, ...deps.judgeLate(now)]
        },
      })
    }
    takenBefore += taken
    Object.assign(seen, { hits: 0, unseen: 0, unwatched: 0, late: 0, leadsMs: [] })
    for (const hash of gone) held.release(hash)
    for (const height of done) {
      held.forget(height)
      counted.delete(height)
      nextAt.delete(height)
    }
  }

  /** Blocks with nothing more to find out: nothing is held of them, and who saw what is counted or cannot be. */
  function listDone(gone: ReadonlySet<string>, settleable: ReadonlySet<number>): number[] {
    const { held, clock } = deps
    const isOver = (height: number) => {
      if (settleable.has(height) && (counted.has(height) || held.isJudged(height))) return true
      const watched = held.watched(height)
      if (settleable.has(height) && !isClose(watched)) return true
      return watched !== null && clock.now() - watched.lastAt > maxHeldMs
    }
    return held
      .heights(Infinity)
      .filter((height) => isOver(height) && held.listHeld(height).every(({ hash }) => gone.has(hash)))
  }
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

function addUp(judged: readonly Judged[]): PreconfCounts {
  const counts = { ...noPreconfCounts }
  const bump = (name: 'kept' | 'moved' | 'indexMoved' | 'flipped' | 'dropped' | 'unknown') => {
    Object.assign(counts, { [name]: counts[name] + 1 })
  }
  for (const { fate } of judged) {
    if (fate.kind === 'dropped') bump('dropped')
    else if (fate.kind === 'unknown') bump('unknown')
    else {
      bump(fate.by === 0 ? 'kept' : 'moved')
      if (fate.isIndexMoved) bump('indexMoved')
      if (fate.changed) bump('flipped')
    }
  }
  return counts
}
