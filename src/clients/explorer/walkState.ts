import type { Order } from './listOrder.ts'
import { nextWindow, type Window } from './nextWindow.ts'
import { limitOf } from './pageRows.ts'
import type { Answer } from './readAnswer.ts'

export interface WalkResult {
  /** The list was read whole, down to where `stop` ended it. */
  readonly complete: boolean
  /** Why it was not. */
  readonly reasons: readonly string[]
  readonly stopped: boolean
  /** A page joined up with none before it, however often it was asked for. */
  readonly isUnjoined: boolean
  readonly pages: number
  /** Distinct rows. */
  readonly rows: number
  readonly order: Order
  readonly total: number | null
}

/** From here on the service cuts a list off. */
const cutOffPages = 10_000

/** What a walk knows of its list. */
export interface WalkState {
  readonly seen: Set<number>
  readonly reasons: Set<string>
  /** What holds for the list whatever a later pass finds. */
  readonly lasting: Set<string>
  /** The largest page that the service gives. */
  cap: number
  /** The service gives pages of its own size, whatever is asked. */
  isFixed: boolean
  isUnjoined: boolean
  /** Two pages were read side by side. */
  hasOpenBorder: boolean
  pages: number
  total: number | null
  totalPage: number | null
  hasGrown: boolean
  hasShrunk: boolean
  /** A reading came to its end with fewer rows than the service counts. */
  hasHole: boolean
  order: Order
}

export function createState(limit: number): WalkState {
  return {
    seen: new Set(),
    reasons: new Set(),
    lasting: new Set(),
    cap: limit,
    isFixed: false,
    isUnjoined: false,
    hasOpenBorder: false,
    pages: 0,
    total: null,
    totalPage: null,
    hasGrown: false,
    hasShrunk: false,
    hasHole: false,
    order: 'unknown',
  }
}

/** Learns the real size of pages, and what the service says of the whole. */
export function noteAnswer(state: WalkState, window: Window, answer: Answer<unknown>, count: number): void {
  const limit = limitOf(window, answer, count)
  if (limit > window.limit) state.isFixed = true
  if (limit !== window.limit) state.cap = limit
  if (answer.total !== null) {
    if (state.total !== null && answer.total > state.total) state.hasGrown = true
    if (state.total !== null && answer.total < state.total) state.hasShrunk = true
    state.total = answer.total
  }
  state.totalPage = answer.totalPage ?? state.totalPage
  if ((answer.totalPage ?? 0) >= cutOffPages) state.lasting.add('the service cuts the list off')
  if (answer.order !== 'unknown') state.order = answer.order
}

interface PageRead {
  readonly start: number
  /** How many rows the page could have had. */
  readonly limit: number
  readonly keys: readonly string[]
  readonly answer: Answer<unknown>
}

/** The end is a page that is not full; what the service says of pages and totals can only speak against it. */
export function isEnd(state: WalkState, read: PageRead, gained: number): boolean {
  const { answer, limit } = read
  const count = read.keys.length
  const reached = read.start + count
  // Where no overlapping page can be asked for next, the page count is all there is to go by.
  const isLast = state.totalPage !== null && reached >= state.totalPage * limit
  if (isLast && (state.isFixed || nextWindow(reached, state.cap) === null)) return endProven(state)
  if (count >= limit) return false
  if (!saysMore(answer, limit, reached)) return endProven(state)
  if (gained > 0) {
    // A short page in the middle: a smaller maximum that the answer does not admit.
    state.cap = count
    return false
  }
  state.reasons.add('the list ends before the total or the pages that the service gives')
  return true
}

/** Whether a page has fewer rows than it could, although the service says that more follow. */
export function isShort(read: PageRead): boolean {
  const count = read.keys.length
  return count < read.limit && saysMore(read.answer, read.limit, read.start + count)
}

function saysMore(answer: Answer<unknown>, limit: number, reached: number): boolean {
  if (answer.total !== null) return answer.total > reached
  return answer.totalPage !== null && (answer.totalPage - 1) * limit >= reached
}

function endProven(state: WalkState): true {
  if (state.hasOpenBorder && (state.total === null || state.hasGrown || state.hasShrunk)) {
    state.reasons.add('pages could only be read side by side, without an overlap')
  }
  const isStill = !state.hasGrown && !state.hasShrunk
  if (state.total !== null && isStill && state.seen.size < state.total) {
    state.hasHole = true
    state.reasons.add('fewer rows came than the service counts')
  }
  return true
}

export function toResult(state: WalkState, stopped: boolean): WalkResult {
  const reasons = [...state.lasting, ...state.reasons]
  return {
    complete: reasons.length === 0,
    reasons,
    stopped,
    isUnjoined: state.isUnjoined,
    pages: state.pages,
    rows: state.seen.size,
    order: state.order,
    total: state.total,
  }
}
