import type { FeedPage } from '../../kernel/reads/reads.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { beginGap, beginHistory, type GapWalk } from '../../store/cursors.ts'
import { newestTime, oldestTime } from './feedPages.ts'
import { type Pass, type Walk, type WalkKernel, advance, isOlder, moveTo, readNext, save } from './walk.ts'

/** Pages read in one run, so that the run ends and is seen to be alive. */
const pagesPerRun = 20

const sweepsPerRun = 10

/** A pass of the sweep is meant to take no longer. */
const sweepGoalMs = 600_000

/** Records may be listed so much later than their block: a walk after a gap goes back by that much more. */
export const overlapMs = 900_000

/**
 * The slow readings of the list, beside the tail. The history walk goes back from the newest page to `until`, once;
 * the sweep goes round over the recent past for ever, because records are filled in late and written again.
 *
 * Pages are read by rising number. What arrives meanwhile moves rows to later pages, so that they are read twice;
 * what a re-push deletes, or a list that falls behind does not show any more, moves rows to earlier ones, behind the
 * walk. Where `total` shows it the walk goes back as far; else the next pass of the sweep finds them.
 */
export function openWalk(kernel: WalkKernel): Walk {
  const begin = (): Pass => ({ before: null, ahead: null, wentBackFrom: 0 })
  return {
    kernel,
    passes: { history: begin(), gap: begin(), sweep: begin() },
    isSweepRequested: false,
    isSweeping: false,
    firstNumber: null,
    hasUrgent: false,
    rewinds: 0,
    unscanned: null,
  }
}

/** Reads on: all of an open history walk, then one page of the sweep, or all of it when it was requested. */
export async function readOn(walk: Walk, signal: AbortSignal): Promise<void> {
  const { cursors, trigger } = walk.kernel
  await walkGap(walk, signal)
  await walkHistory(walk, signal)
  if (!cursors.read().history.done) return
  if (walk.isSweepRequested) {
    walk.isSweepRequested = false
    walk.isSweeping = true
    walk.passes.sweep.wentBackFrom = 0
    // From the first page: what was asked for lies anywhere.
    moveTo(walk, 'sweep', 1)
  }
  for (let pages = 0; pages < (walk.isSweeping ? sweepsPerRun : 1) && !signal.aborted; pages += 1) {
    if (await sweepPage(walk, signal)) walk.isSweeping = false
  }
  if (walk.isSweeping) trigger('sweep')
}

export function requestSweep(walk: Walk): void {
  walk.isSweepRequested = true
  walk.kernel.trigger('sweep')
}

/** Walks again from the newest page back to `until`. */
export function requestHistory(walk: Walk, until: UnixMs): void {
  const { history } = walk.kernel.cursors.read()
  const { oldestAt } = history
  walk.rewinds += 1
  walk.passes.history.wentBackFrom = 0
  save(walk, {
    history: history.done
      ? beginHistory(until, oldestAt)
      : { ...beginHistory(Math.min(until, history.until), oldestAt), least: history.least },
  })
  walk.kernel.trigger('sweep')
}

/** Walks over what a reading of the tail left out that began at `leftAt`: once the walk that is open has come back. */
export function noteGap(walk: Walk, leftAt: UnixMs): void {
  const { tail, history, gap } = walk.kernel.cursors.read()
  if (tail.completeAt === null) return requestHistory(walk, history.until)
  save(walk, { gap: gap ? { ...gap, leftAt } : beginGap(tail.completeAt - overlapMs, leftAt) })
  walk.kernel.trigger('sweep')
}

async function walkHistory(walk: Walk, signal: AbortSignal): Promise<void> {
  const { clock, cursors, list, log, trigger } = walk.kernel
  for (let pages = 0; !signal.aborted; pages += 1) {
    const { history } = cursors.read()
    if (history.done || pages === pagesPerRun) askUrgent(walk)
    if (history.done) return
    if (pages === pagesPerRun) return trigger('sweep')
    const isOldEnough = ({ records }: FeedPage) =>
      isOlder(records, history.until) && history.read + records.length >= history.least
    const goesOn = (page: FeedPage) => pages + 1 < pagesPerRun && !isOldEnough(page)
    const found = await readNext(walk, 'history', signal, goesOn)
    if (found === null) continue
    list.walkedAt = clock.now()
    const { page, isLast } = found
    const read = history.read + page.records.length
    const done = isLast || isOldEnough(page)
    const reachedAt = newestTime(page.records) ?? history.reachedAt
    const oldestAt = oldestTime(page.records, history.oldestAt)
    const at = done ? 1 : history.page + 1
    const change = { history: { ...history, page: at, read, reachedAt, oldestAt, done } }
    if (!done) {
      advance(walk, change)
      continue
    }
    save(walk, change)
    walk.passes.history.wentBackFrom = 0
    log.info({ records: read, pages: history.page }, 'history read')
  }
}

/** What many pages of history leave to be asked shares its requests. */
function askUrgent(walk: Walk): void {
  if (walk.hasUrgent) walk.kernel.trigger('openTransfers')
  walk.hasUrgent = false
}

/** Over a list that grows faster than the tail reads there is always a gap: each walk ends, and the next begins where it began. */
async function walkGap(walk: Walk, signal: AbortSignal): Promise<void> {
  const { clock, cursors, trigger } = walk.kernel
  for (let pages = 0; !signal.aborted; pages += 1) {
    const { gap } = cursors.read()
    if (gap === null) return
    if (pages === pagesPerRun) return trigger('sweep')
    const startedAt = gap.page === 1 ? clock.now() : (gap.startedAt ?? gap.leftAt)
    const found = await readNext(walk, 'gap', signal)
    if (found === null) continue
    walk.kernel.list.walkedAt = clock.now()
    const newestAt = gap.page === 1 ? newestTime(found.page.records) : gap.newestAt
    if (found.isLast || isOlder(found.page.records, gap.until)) endGap(walk, startedAt, newestAt)
    else advanceGap(walk, { page: gap.page + 1, startedAt, newestAt })
  }
}

/** The tail may have left out more while a page was read. */
function advanceGap(walk: Walk, change: Partial<GapWalk>): void {
  const { gap } = walk.kernel.cursors.read()
  if (gap !== null) advance(walk, { gap: { ...gap, ...change } })
}

/** Where the tail left out more meanwhile, the list was read by readings from the begin of this walk on. */
function endGap(walk: Walk, startedAt: UnixMs, newestAt: UnixMs | null): void {
  walk.passes.gap.wentBackFrom = 0
  const leftAt = walk.kernel.cursors.read().gap?.leftAt ?? startedAt
  if (leftAt <= startedAt) return save(walk, { gap: null })
  const completeAt = Math.min(startedAt, newestAt ?? startedAt)
  save(walk, { gap: beginGap(completeAt - overlapMs, leftAt), tail: { completeAt } })
  walk.kernel.list.readAt = startedAt
}

/** @returns whether a pass ended */
async function sweepPage(walk: Walk, signal: AbortSignal): Promise<boolean> {
  const { clock, cursors, log } = walk.kernel
  const { sweep } = cursors.read()
  const startedAt = sweep.page === 1 ? clock.now() : (sweep.startedAt ?? clock.now())
  const found = await readNext(walk, 'sweep', signal)
  if (found === null) return false
  const { page, isLast } = found
  noteOldest(walk, page)
  if (sweep.page === 1) walk.firstNumber = page.requestedAt
  const from = sweptFrom(walk.kernel)
  if (!isLast && !isOlder(page.records, from)) {
    advance(walk, { sweep: { ...sweep, page: sweep.page + 1, startedAt } })
    return false
  }
  const tookMs = clock.now() - startedAt
  if (tookMs > sweepGoalMs)
    log.warn({ tookMs, pages: sweep.page }, 'a pass of the sweep took over ten minutes')
  walk.passes.sweep.wentBackFrom = 0
  // Of a bridge with few transfers a pass is a page.
  advance(walk, { sweep: { page: 1, startedAt, finishedAt: clock.now(), tookMs } })
  walk.kernel.list.sweptAt = startedAt
  // What the part of it before the start showed is not known any more.
  if (walk.firstNumber !== null) walk.unscanned ??= { from, until: startedAt, readBefore: walk.firstNumber }
  return true
}

/** A list that was cut short when its history was read shows the rest later. */
function noteOldest(walk: Walk, { records }: FeedPage): void {
  const { history } = walk.kernel.cursors.read()
  const oldestAt = oldestTime(records, history.oldestAt)
  if (oldestAt !== history.oldestAt) advance(walk, { history: { ...history, oldestAt } })
}

/** Our clock may be ahead of those that the records go by. */
function sweptFrom({ clock, config, cursors }: WalkKernel): UnixMs {
  const now = clock.now()
  return Math.min(now, cursors.read().tail.completeAt ?? now) - config.poll.sweepMs
}
