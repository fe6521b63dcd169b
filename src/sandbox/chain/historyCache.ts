import type { Numbers } from './numbers.ts'

/**
 * Where the items of a question stand, for the stretch of the chain that was looked through so far. A question that
 * comes again costs the blocks that came since, and its page. An item is its block and its place among those of it.
 */
export interface Places {
  /** Above and below where the search began, each away from there. */
  readonly above: Numbers
  readonly below: Numbers
  low: number
  high: number
}

export type HistoryCache = Map<string, Places>
