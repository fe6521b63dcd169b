import type { Clock, UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import type { Observation } from '../../bridge/observation.ts'
import { beginGap, beginHistory, type CursorFile, type Cursors, type GapWalk } from '../../store/cursors.ts'
import { isBeyondEnd, isLastPage, newestTime, type PageMark, readFeedPage } from './feedPages.ts'
import type { Commit, ExplorerReads, FeedPage } from '../../kernel/reads.ts'
import { overlapMs } from './pollTail.ts'

export interface WalkDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly reads: ExplorerReads
  readonly commit: Commit
  readonly cursors: CursorFile
  readonly sweepMs: number
  requestDetails(): void
  /** A pass over the list ended that began at `startedAt`: it showed what left since `from`, by requests from `firstNumber` on. */
  onSwept?(pass: { readonly from: UnixMs; readonly startedAt: UnixMs; readonly firstNumber: UnixMs }): void
  /** A walk over what the tail left out came back while the tail left out more: the list was read by readings from then on. */
  noteComplete?(startedAt: UnixMs): void
  /** Asks to be run again without waiting for the next tick. */
  requestWalk(): void
}

export interface Walk {
  /** Reads on: all of an open history walk, then one page of the sweep, or all of it when it was requested. */
  readonly run: (signal: AbortSignal) => Promise<void>
  readonly requestSweep: () => void
  /** Walks again from the newest page back to `until`. */
  requestHistory(until: UnixMs): void
  /** Walks over what a reading of the tail left out that began at `leftAt`: once the walk that is open has come back. */
  readonly noteGap: (leftAt: UnixMs) => void
}

/** Pages read in one run, so that the run ends and is seen to be alive. */
const pagesPerRun = 20
const sweepsPerRun = 10
/** A pass of the sweep is meant to take no longer. */
const sweepGoalMs = 600_000
/** As many records as a page holds may arrive while it is read, but hardly at each of nine readings in a row. */
const maxRepeatedPages = 3

/**
 * The slow readings of the list, beside the tail. The history walk goes back from the newest page to `until`, once;
 * the sweep goes round over the recent past for ever, because records are filled in late and written again.
 *
 * Pages are read by rising number. What arrives meanwhile moves rows to later pages, so that they are read twice;
 * what a re-push deletes, or a list that falls behind does not show any more, moves rows to earlier ones, behind the
 * walk. Where `total` tells it the walk goes back as far; else the next pass of the sweep finds them.
 */
export function createWalk(deps: WalkDeps): Walk {
  let isSweepRequested = false
  let isSweeping = false
  const ofHistory = createPageReader(deps, 'bulk')
  const ofGap = createPageReader(deps, 'bulk')
  const ofSweep = createPageReader(deps, 'sweep')
  let firstNumber: UnixMs | null = null
  let rewinds = 0
  const save = (change: Partial<Cursors>) => deps.cursors.write({ ...deps.cursors.read(), ...change })

  async function walkHistory(signal: AbortSignal): Promise<void> {
    for (let pages = 0; !signal.aborted; pages += 1) {
      const { history } = deps.cursors.read()
      if (history.done) return
      if (pages === pagesPerRun) return deps.requestWalk()
      const begun = rewinds
      // A rewind may be asked for while a page is read: what that page tells belongs to the walk before it.
      const goBack = (to: number) => {
        if (rewinds === begun) save({ history: { ...history, page: to } })
      }
      const { page, isLast, isBack } = await ofHistory.read(history.page, goBack, signal)
      if (rewinds !== begun) ofHistory.begin()
      if (isBack || rewinds !== begun) continue
      const read = history.read + page.records.length
      const isOldEnough = isOlder(page.records, history.until) && read >= history.least
      const done = isLast || isOldEnough
      const reachedAt = newestTime(page.records) ?? history.reachedAt
      save({ history: { ...history, page: done ? 1 : history.page + 1, read, reachedAt, done } })
      if (!done) continue
      ofHistory.begin()
      deps.log.info({ records: read, pages: history.page }, 'history read')
    }
  }

  /** Over a list that grows faster than the tail reads there is always a gap: each walk ends, and the next begins where it began. */
  async function walkGap(signal: AbortSignal): Promise<void> {
    for (let pages = 0; !signal.aborted; pages += 1) {
      const { gap } = deps.cursors.read()
      if (gap === null) return
      if (pages === pagesPerRun) return deps.requestWalk()
      const goBack = (to: number) => saveGap({ page: to })
      const startedAt = gap.page === 1 ? deps.clock.now() : (gap.startedAt ?? gap.leftAt)
      const { page, isLast, isBack } = await ofGap.read(gap.page, goBack, signal)
      if (isBack) continue
      const newestAt = gap.page === 1 ? newestTime(page.records) : gap.newestAt
      if (isLast || isOlder(page.records, gap.until)) endGap(startedAt, newestAt)
      else saveGap({ page: gap.page + 1, startedAt, newestAt })
    }
  }

  /** The tail may have left out more while a page was read. */
  function saveGap(change: Partial<GapWalk>): void {
    const { gap } = deps.cursors.read()
    if (gap !== null) save({ gap: { ...gap, ...change } })
  }

  function endGap(startedAt: UnixMs, newestAt: UnixMs | null): void {
    ofGap.begin()
    const leftAt = deps.cursors.read().gap?.leftAt ?? startedAt
    if (leftAt <= startedAt) return save({ gap: null })
    const completeAt = Math.min(startedAt, newestAt ?? startedAt)
    save({ gap: beginGap(completeAt - overlapMs, leftAt), tail: { completeAt } })
    deps.noteComplete?.(startedAt)
  }

  async function sweepPage(signal: AbortSignal): Promise<boolean> {
    const { sweep } = deps.cursors.read()
    const startedAt = sweep.page === 1 ? deps.clock.now() : (sweep.startedAt ?? deps.clock.now())
    const goBack = (to: number) => save({ sweep: { ...sweep, page: to } })
    const { page, isLast, isBack } = await ofSweep.read(sweep.page, goBack, signal)
    if (isBack) return false
    if (sweep.page === 1) firstNumber = page.requestedAt
    const from = sweptFrom()
    const isDone = isLast || isOlder(page.records, from)
    if (!isDone) {
      save({ sweep: { ...sweep, page: sweep.page + 1, startedAt } })
      return false
    }
    const tookMs = deps.clock.now() - startedAt
    if (tookMs > sweepGoalMs)
      deps.log.warn({ tookMs, pages: sweep.page }, 'a pass of the sweep took over ten minutes')
    ofSweep.begin()
    save({ sweep: { page: 1, startedAt, finishedAt: deps.clock.now(), tookMs } })
    deps.onSwept?.({ from, startedAt, firstNumber: firstNumber ?? startedAt })
    return true
  }

  /** Our clock may be ahead of those that the records tell. */
  function sweptFrom(): UnixMs {
    const now = deps.clock.now()
    return Math.min(now, deps.cursors.read().tail.completeAt ?? now) - deps.sweepMs
  }

  function requestHistory(until: UnixMs): void {
    const { history } = deps.cursors.read()
    rewinds += 1
    ofHistory.begin()
    save({
      history: history.done
        ? beginHistory(until)
        : { ...beginHistory(Math.min(until, history.until)), least: history.least },
    })
    deps.requestWalk()
  }

  return {
    async run(signal) {
      await walkGap(signal)
      await walkHistory(signal)
      if (!deps.cursors.read().history.done) return
      if (isSweepRequested) {
        isSweepRequested = false
        isSweeping = true
        ofSweep.begin()
        // From the first page: what was asked for lies anywhere.
        save({ sweep: { ...deps.cursors.read().sweep, page: 1 } })
      }
      for (let pages = 0; pages < (isSweeping ? sweepsPerRun : 1) && !signal.aborted; pages += 1) {
        if (await sweepPage(signal)) isSweeping = false
      }
      if (isSweeping) deps.requestWalk()
    },
    requestSweep() {
      isSweepRequested = true
      deps.requestWalk()
    },
    requestHistory,
    noteGap(leftAt) {
      const { tail, history, gap } = deps.cursors.read()
      if (tail.completeAt === null) return requestHistory(history.until)
      save({ gap: gap ? { ...gap, leftAt } : beginGap(tail.completeAt - overlapMs, leftAt) })
      deps.requestWalk()
    },
  }
}

interface PageReader {
  readonly read: (
    number: number,
    goBack: (to: number) => void,
    signal: AbortSignal,
  ) => Promise<{ readonly page: FeedPage; readonly isLast: boolean; readonly isBack: boolean }>
  /** A pass begins. */
  readonly begin: () => void
}

/** Reads the pages of one walk: beside it another one may be open. */
function createPageReader(
  deps: Pick<WalkDeps, 'reads' | 'commit' | 'requestDetails'>,
  priority: 'bulk' | 'sweep',
): PageReader {
  let before: (PageMark & { number: number; repeats: number; total: number | null }) | null = null
  /** Back from here once: two replicas that count differently must not lead round and round. */
  let wentBackFrom = 0
  return {
    async read(number, goBack, signal) {
      const mark: typeof before = before?.number === number - 1 ? before : null
      const read = await readFeedPage(deps.reads, number, mark, { priority, signal })
      const repeats = mark !== null && read.isRepeat ? mark.repeats + 1 : 0
      const isLast = isLastPage(read.page, number) || (read.isRepeat && isBeyondEnd(read.page, number))
      if (mark !== null && repeats >= maxRepeatedPages && !isLast) {
        // What these pages should have held was not read: from the first of them again.
        before = { ...mark, number: number - repeats, repeats: 0 }
        goBack(number - repeats + 1)
        throw new MonitorError(
          'source.invalid',
          `the list serves one page again and again, up to page ${number}`,
        )
      }
      const { page } = read
      const { hasUrgent } = deps.commit({ answers: [page.records], bad: page.bad })
      if (hasUrgent) deps.requestDetails()
      const movedPages = number > wentBackFrom ? pagesMoved(mark?.total ?? null, page) : 0
      before = { ...read.mark, number, repeats, total: page.total }
      if (movedPages === 0) return { page, isLast, isBack: false }
      wentBackFrom = number
      goBack(Math.max(1, number - movedPages))
      return { page, isLast: false, isBack: true }
    },
    begin() {
      wentBackFrom = 0
    },
  }
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
