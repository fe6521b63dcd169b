import type { z } from 'zod'
import type { Clock } from '../../lib/clock.ts'
import { countBorder, endsWithin, holdsBorder, isContinued, type PlacedPage } from './border.ts'
import { misfitReason } from './fits.ts'
import {
  addRows,
  addTop,
  beginAnew,
  beginPass,
  createRowLabels,
  isAdjacent,
  isRecent,
  isRepeat,
  type Pass,
  type RowLabels,
} from './pass.ts'
import { nextWindow, type Window } from './nextWindow.ts'
import { limitOf, rowKeys, toRows } from './pageRows.ts'
import {
  createState,
  isEnd,
  isShort,
  noteAnswer,
  toResult,
  type WalkResult,
  type WalkState,
} from './walkState.ts'
import type { Endpoint } from './endpoint.ts'
import type { Answer } from './readAnswer.ts'

export interface WalkDeps<R> {
  readonly clock: Pick<Clock, 'sleep'>
  /** One page of the list, retried as far as a retry helps. */
  readonly ask: (window: Window) => Promise<Answer<R>>
  /** Says what a row is across reads. */
  readonly endpoint: Pick<Endpoint<z.ZodType, R>, 'rowKey' | 'position'>
}

export interface WalkOptions<R> {
  readonly limit: number
  /** The walk begins: where another source has to begin it anew, what was given so far comes again. */
  onBegin?(): void
  /** Takes each page as it comes, repeats included; a page may come again. */
  onPage?(answer: Answer<R>): void | Promise<void>
  /**
   * Takes the rows of a page that no page had given before, each once; equal rows of one page are several. True ends the
   * walk after this page.
   */
  onNew?(records: readonly R[], answer: Answer<R>): Ends | Promise<Ends>
  /** `always` reads the list again until a reading finds nothing new; `auto` does so when rows were seen to move. */
  readonly verify?: 'auto' | 'always'
  readonly signal?: AbortSignal | undefined
}

type Ends = boolean | void

const maxPasses = 4
const maxRereads = 5
const maxIdentical = 2
const maxStepsBack = 6
/** Steps back in a row that lead no further than before. */
const maxRestarts = 4
/** Pages in a row that get no further down: a list that grows faster than it is read. */
const maxIdlePages = 30
const rereadPauseMs = 250

/**
 * Reads a list page by page, in rising order and with an overlap, until its end is proven by a page that repeats
 * known rows and is not full. Says whether it was read whole: totals and page counts of the service are hints only.
 *
 * Rows inserted at the top meanwhile only cause repeats. Rows that move up (a re-push deletes a range) show as a page
 * without a known row, and the walk steps back. When anything moved otherwise than by insertion at the top, the list
 * is read again until a whole reading finds nothing new below its top.
 *
 * Rows of one block may come in another order each time. So each page begins before the block in which the last one ended:
 * a page that holds all of a block has all of its rows.
 */
export async function walkPages<R>(deps: WalkDeps<R>, options: WalkOptions<R>): Promise<WalkResult> {
  const state = createState(options.limit)
  const walk = { ...deps, options, state }
  for (let number = 1; ; number++) {
    const pass = beginPass(state.seen)
    state.reasons.clear()
    state.hasHole = false
    const end = await walkOnce(walk, pass)
    if (end !== 'end') return toResult(state, end === 'stopped')
    const isFirst = number === 1
    const needsTop = isFirst && (pass.drifted > 0 || state.hasGrown)
    if (needsTop) await readTop(walk, pass)
    const hasMoved = pass.hasMoved || state.hasShrunk || state.hasHole
    const isSettled = isFirst ? !hasMoved && options.verify !== 'always' : pass.newBelowTop === 0
    if (isSettled) return toResult(state, false)
    if (number === maxPasses) {
      state.reasons.add('the list kept changing while it was read')
      return toResult(state, false)
    }
    state.hasShrunk = false
  }
}

/** One walk: what it reads, how, and what it knows so far. */
interface Walk<R> extends WalkDeps<R> {
  readonly options: WalkOptions<R>
  readonly state: WalkState
}

type End = 'end' | 'stopped' | 'failed'

/** One reading from the top to the end. */
async function walkOnce<R>(walk: Walk<R>, pass: Pass): Promise<End> {
  const { options, state } = walk
  const labels = createRowLabels()
  let offset = 0
  let stepsBack = 0
  let restarts = 0
  let furthest = 0
  let idlePages = 0
  for (;;) {
    const read = await readWindow(walk, { pass, labels }, offset)
    if (read === null) return 'failed'
    const { start, limit, keys, answer } = read
    const isJoined = start === 0 || start >= offset || isJoinedTo(pass, read, stepsBack > 0)
    if (!isJoined && !state.isFixed && (answer.limit ?? 0) > limit) {
      // The last page of a service that gives pages of its own size looks like this.
      state.isFixed = true
      state.cap = answer.limit ?? limit
      continue
    }
    if (!isJoined) {
      if (stepsBack === maxStepsBack || restarts > maxRestarts) {
        state.isUnjoined = true
        return fail(state, 'rows moved between pages faster than they could be read')
      }
      offset = Math.max(0, start - state.cap * 2 ** stepsBack)
      stepsBack += 1
      continue
    }
    if (stepsBack > 0) beginAnew(pass)
    if (stepsBack > 0) labels.beginAnew()
    labels.accept(start, read.bare, keys)
    restarts = start + keys.length > furthest ? 0 : stepsBack > 0 ? restarts + 1 : restarts
    furthest = Math.max(furthest, start + keys.length)
    stepsBack = 0
    const { gained, fresh } = addRows(pass, read)
    const isOver = await giveNew(options, read, fresh)
    idlePages = gained === 0 ? idlePages + 1 : 0
    if (idlePages > maxIdlePages) return fail(state, 'the list grew faster than it could be read')
    if (isOver) return 'stopped'
    if (isEnd(state, read, gained)) return 'end'
    offset = nextOffset(state, read)
  }
}

/** Whether nothing is left out between the rows read just before and these; after a step back, see isAdjacent. */
function isJoinedTo(pass: Pass, read: PlacedPage, isSteppedBack: boolean): boolean {
  const last = pass.windows.at(-1)
  if (last !== undefined && isRecent(pass, read.keys[0]) && holdsBorder(last, read)) return true
  if (last === undefined || !endsWithin(last)) return isAdjacent(pass, read.keys, isSteppedBack)
  return !isSteppedBack && isContinued(pass.windows, read)
}

/** Where the block begins in which a page ends, or behind that page where none that overlaps would go on from there. */
function nextOffset(state: WalkState, page: PlacedPage): number {
  const end = page.start + page.keys.length
  const border = end - countBorder(page)
  const window = state.isFixed ? null : nextWindow(border, state.cap)
  return window !== null && window.page * window.limit > end ? border : end
}

/** Rows inserted at the top, and rows moved there, since the walk began. */
async function readTop<R>(walk: Walk<R>, pass: Pass): Promise<void> {
  const { options, state } = walk
  const labels = createRowLabels()
  let offset = 0
  for (let page = 0; page < maxIdlePages; page++) {
    const read = await readWindow(walk, { pass, labels }, offset)
    if (read === null) return
    labels.accept(read.start, read.bare, read.keys)
    const { fresh, hasReachedStart } = addTop(pass, read)
    await giveNew(options, read, fresh)
    if (hasReachedStart) return
    offset = read.start + read.keys.length
  }
  state.reasons.add('the list grew faster than it could be read')
}

interface ReadWindow<R> extends PlacedPage {
  /** How many rows the page could have had. */
  readonly limit: number
  /** The records in the same places, null for those that could not be read. */
  readonly rows: readonly (R | null)[]
  readonly answer: Answer<R>
}

/** The window at `offset`, read again while it is empty or repeats the one before. Null when that does not end. */
async function readWindow<R>(
  { clock, ask, endpoint, options, state }: Walk<R>,
  known: { readonly pass: Pass; readonly labels: RowLabels },
  offset: number,
): Promise<ReadWindow<R> | null> {
  let identical = 0
  let short: readonly string[] | null = null
  for (let reread = 0; reread <= maxRereads; reread++) {
    options.signal?.throwIfAborted()
    const window = windowAt(state, offset)
    const answer = await ask(window)
    state.pages += 1
    const rows = toRows(answer)
    const bare = rowKeys(answer, rows, endpoint)
    noteAnswer(state, window, answer, bare.length)
    await options.onPage?.(answer)
    if (answer.misfits.length > 0) {
      if (reread < maxRereads) {
        await clock.sleep(rereadPauseMs * 2 ** Math.min(reread, 3), options.signal)
        continue
      }
      state.lasting.add(misfitReason)
    }
    // A smaller maximum than was asked for: the page did not begin where it was meant to.
    if (window.page > 1 && state.cap < window.limit) continue
    const limit = limitOf(window, answer, bare.length)
    const start = (window.page - 1) * limit
    const keys = known.labels.label(start, bare)
    const isAgain = keys.length > 0 && start > 0 && isRepeat(known.pass, start, keys)
    if (!answer.empty && !isAgain) {
      const positions = rows.map((row) => (row === null ? null : (endpoint.position?.(row) ?? null)))
      const read = { start, limit, keys, positions, bare, rows, answer }
      // Rows may be missing from its middle: believed when it comes again alike, as a smaller maximum would.
      if (!isShort(read) || isSameList(short, bare) || reread === maxRereads) return read
      short = bare
    }
    if (answer.empty && offset === 0 && !answer.contradicted) return failWindow(state, 'the list is empty')
    identical += isAgain ? 1 : 0
    if (identical > maxIdentical) return failWindow(state, 'the same page came again and again')
    await clock.sleep(rereadPauseMs * 2 ** Math.min(reread, 3), options.signal)
  }
  return failWindow(state, 'a page where rows are known to be stayed empty')
}

function isSameList(a: readonly string[] | null, b: readonly string[]): boolean {
  return a !== null && a.length === b.length && a.every((key, index) => key === b[index])
}

function windowAt(state: WalkState, offset: number): Window {
  const overlapping = state.isFixed ? null : nextWindow(offset, state.cap)
  if (overlapping) return overlapping
  // Pages side by side cannot prove that no row slipped between them.
  state.hasOpenBorder = true
  return { page: Math.floor(offset / state.cap) + 1, limit: state.cap }
}

async function giveNew<R>(
  options: WalkOptions<R>,
  read: ReadWindow<R>,
  fresh: readonly number[],
): Promise<boolean> {
  const records = fresh.map((index) => read.rows[index] ?? null).filter((row) => row !== null)
  return (await options.onNew?.(records, read.answer)) === true
}

function fail(state: WalkState, reason: string): 'failed' {
  state.reasons.add(reason)
  return 'failed'
}

function failWindow(state: WalkState, reason: string): null {
  state.reasons.add(reason)
  return null
}
