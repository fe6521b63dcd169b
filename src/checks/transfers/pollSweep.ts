import { setImmediate } from 'node:timers/promises'
import type { Observation } from '../../bridge/observation.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { FeedPage } from '../../kernel/reads/reads.ts'
import type { ScanSpan } from '../../ledger/transfers/missingRecords.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import { beginGap, beginHistory, type Cursors, type GapWalk } from '../../store/cursors.ts'
import {
  beginReading,
  isBeyondEnd,
  isLastPage,
  type MarkedPage,
  newestTime,
  type PageMark,
  type Reading,
} from './feedPages.ts'

type WalkKernel = Pick<
  Kernel,
  'clock' | 'log' | 'reads' | 'commitInSlices' | 'cursors' | 'list' | 'trigger' | 'config'
>

/** The walks over the list by their cursors: back through history, over what the tail left out, and round for ever. */
type WalkName = 'history' | 'gap' | 'sweep'

/** The walks, and what they remember between pages. */
export interface Walk {
  readonly kernel: WalkKernel
  /** Beside one walk another one may be open. */
  readonly passes: Readonly<Record<WalkName, Pass>>
  isSweepRequested: boolean
  isSweeping: boolean
  /** Of the first page of the sweep's pass: what was read since is not missing. Null for one that began before the start. */
  firstNumber: UnixMs | null
  /** Whether pages of history showed what wants to be read by hash, and nobody was told so yet. */
  hasUrgent: boolean
  /** How often a walk through history was asked for. */
  rewinds: number
  /** The pass of the sweep that has ended, until it is looked through for what it did not show. */
  unscanned: ScanSpan | null
}

interface Pass {
  before: (PageMark & { number: number; repeats: number; total: number | null }) | null
  /** The next page, asked for after the one before it was read and before that was saved: both go on at once. */
  ahead: Reading | null
  /** Back from here once: two replicas that count differently must not lead round and round. */
  wentBackFrom: number
}

/** Pages read in one run, so that the run ends and is seen to be alive. */
const pagesPerRun = 20
const sweepsPerRun = 10
/** A pass of the sweep is meant to take no longer. */
const sweepGoalMs = 600_000
/** As many records as a page holds may arrive while it is read, but hardly at each of nine readings in a row. */
const maxRepeatedPages = 3
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
  walk.rewinds += 1
  walk.passes.history.wentBackFrom = 0
  save(walk, {
    history: history.done
      ? beginHistory(until)
      : { ...beginHistory(Math.min(until, history.until)), least: history.least },
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
  const { cursors, log, trigger } = walk.kernel
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
    const { page, isLast } = found
    const read = history.read + page.records.length
    const done = isLast || isOldEnough(page)
    const reachedAt = newestTime(page.records) ?? history.reachedAt
    const change = { history: { ...history, page: done ? 1 : history.page + 1, read, reachedAt, done } }
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

/** Our clock may be ahead of those that the records go by. */
function sweptFrom({ clock, config, cursors }: WalkKernel): UnixMs {
  const now = clock.now()
  return Math.min(now, cursors.read().tail.completeAt ?? now) - config.poll.sweepMs
}

function save({ kernel: { cursors } }: Walk, change: Partial<Cursors>): void {
  cursors.write({ ...cursors.read(), ...change })
}

function advance({ kernel: { cursors } }: Walk, change: Partial<Cursors>): void {
  cursors.advance({ ...cursors.read(), ...change })
}

function moveTo(walk: Walk, name: WalkName, page: number): void {
  const cursor = walk.kernel.cursors.read()[name]
  if (cursor !== null) save(walk, { [name]: { ...cursor, page } })
}

/**
 * The page that a walk is at, and where the walk goes on behind it the question for the next one, so that what answers it and
 * what saves this one work at once; null where it has to go back first, was begun anew meanwhile, or lost pages: then
 * its cursor says so.
 */
async function readNext(
  walk: Walk,
  name: WalkName,
  signal: AbortSignal,
  goesOn: (page: FeedPage) => boolean = () => false,
): Promise<{ readonly page: FeedPage; readonly isLast: boolean } | null> {
  const { commitInSlices, cursors, trigger } = walk.kernel
  const pass = walk.passes[name]
  const number = cursors.read()[name]?.page ?? 1
  const mark = pass.before?.number === number - 1 ? pass.before : null
  const priority = name === 'sweep' ? 'sweep' : 'bulk'
  const begin = (page: number, before: PageMark | null) =>
    beginReading(walk.kernel.reads, { number: page, before }, { priority, signal }, walk.rewinds)
  const { rewinds, answer } = takeAhead(walk, pass, number) ?? begin(number, mark)
  const read = await answer
  const { page } = read
  const isLast = isLastPage(page, number) || (read.isRepeat && isBeyondEnd(page, number))
  const backTo = isLast ? null : leaveLoop(pass, number, read)
  // A rewind may be asked for while a page is read: what that page shows belongs to the walk before it.
  const isRewound = () => name === 'history' && walk.rewinds !== rewinds
  if (backTo !== null) {
    if (!isRewound()) moveTo(walk, name, backTo)
    throw new MonitorError('source.invalid', `the list serves one page again and again, up to page ${number}`)
  }
  if (!isLast && !isRewound() && goesOn(page)) {
    pass.ahead = begin(number + 1, read.mark)
    // The question leaves before the commit holds the loop.
    await setImmediate()
  }
  const { hasUrgent } = await commitInSlices({ answers: [page.records], bad: page.bad, mayWait: true })
  // Somebody else's commit failed, and took along what waited of the pages before: the cursor is where it was before them.
  const isLost = (cursors.read()[name]?.page ?? number) !== number
  if (name === 'history') walk.hasUrgent ||= hasUrgent
  else if (hasUrgent) trigger('openTransfers')
  const movedPages = number > pass.wentBackFrom ? pagesMoved(mark?.total ?? null, page) : 0
  const repeats = mark !== null && read.isRepeat ? mark.repeats + 1 : 0
  pass.before = { ...read.mark, number, repeats, total: page.total }
  if (isRewound() || isLost) return null
  if (movedPages === 0) return { page, isLast }
  pass.wentBackFrom = number
  moveTo(walk, name, Math.max(1, number - movedPages))
  return null
}

/** The page that was asked for while the one before it was saved; null where the walk is at another by now. */
function takeAhead(walk: Walk, pass: Pass, number: number): Reading | null {
  const { ahead } = pass
  pass.ahead = null
  return ahead?.number === number && ahead.rewinds === walk.rewinds ? ahead : null
}

/** Where to go back to from pages that are one and the same: what they should have held was not read. Null for others. */
function leaveLoop(pass: Pass, number: number, { isRepeat }: MarkedPage): number | null {
  const { before } = pass
  if (before === null || before.number !== number - 1 || !isRepeat) return null
  const repeats = before.repeats + 1
  if (repeats < maxRepeatedPages) return null
  pass.before = { ...before, number: number - repeats, repeats: 0 }
  return number - repeats + 1
}

/** By how many pages rows moved up since a page that counted `total`. */
function pagesMoved(total: number | null, page: FeedPage): number {
  if (total === null || page.total === null || page.limit === null) return 0
  return Math.ceil(Math.max(0, total - page.total) / page.limit)
}

function isOlder(records: readonly Observation[], than: UnixMs): boolean {
  const newest = newestTime(records)
  return newest !== null && newest < than
}
