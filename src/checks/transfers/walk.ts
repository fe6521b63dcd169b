import { setImmediate } from 'node:timers/promises'
import type { Observation } from '../../bridge/observation.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { FeedPage } from '../../kernel/reads/reads.ts'
import type { ScanSpan } from '../../ledger/transfers/missingRecords.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { Cursors } from '../../store/cursors.ts'
import {
  beginReading,
  isBeyondEnd,
  isLastPage,
  type MarkedPage,
  newestTime,
  type PageMark,
  type Reading,
} from './feedPages.ts'

export type WalkKernel = Pick<
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

export interface Pass {
  before: (PageMark & { number: number; repeats: number; total: number | null }) | null
  /** The next page, asked for after the one before it was read and before that was saved: both go on at once. */
  ahead: Reading | null
  /** Back from here once: two replicas that count differently must not lead round and round. */
  wentBackFrom: number
}

/** As many records as a page holds may arrive while it is read, but hardly at each of nine readings in a row. */
const maxRepeatedPages = 3

export function save({ kernel: { cursors } }: Walk, change: Partial<Cursors>): void {
  cursors.write({ ...cursors.read(), ...change })
}

export function advance({ kernel: { cursors } }: Walk, change: Partial<Cursors>): void {
  cursors.advance({ ...cursors.read(), ...change })
}

export function moveTo(walk: Walk, name: WalkName, page: number): void {
  const cursor = walk.kernel.cursors.read()[name]
  if (cursor !== null) save(walk, { [name]: { ...cursor, page } })
}

/**
 * The page that a walk is at, and where the walk goes on behind it the question for the next one, so that what answers it and
 * what saves this one work at once; null where it has to go back first, was begun anew meanwhile, or lost pages: then
 * its cursor says so.
 */
export async function readNext(
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

export function isOlder(records: readonly Observation[], than: UnixMs): boolean {
  const newest = newestTime(records)
  return newest !== null && newest < than
}
