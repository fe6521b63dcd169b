import type { Direction } from '../../bridge/observation.ts'
import type { FailureCount } from '../../ledger/transfers/countFailures.ts'
import type { UnixMs } from '../../lib/clock.ts'

export interface FlowTotalFact {
  readonly token: string
  readonly direction: Direction
  readonly side: 'started' | 'arrived'
  readonly count: number
  /** Base units. */
  readonly sum: bigint
}

/** What windows of one length that lie before the present one held: since the list is read, at most a week. */
export interface FlowPast {
  /** How long of it the list was read all through. */
  readonly observedMs: number
  /** The most that a window held, and when the first one that held anything began; null where none did. */
  most(
    of: Pick<FlowTotalFact, 'token' | 'direction' | 'side'>,
  ): { readonly count: number; readonly sum: bigint; readonly firstAt: UnixMs } | null
  /**
   * How many transfers began in a window that was observed: at least, in all but a twentieth, and on average. Without a
   * token it is all of them; '' is the native currency.
   */
  usual(of: { readonly token: string | null; readonly direction: Direction }): {
    readonly least: number
    readonly low: number
    readonly mean: number
  }
  /** Tokens of which anything began. */
  readonly tokens: readonly string[]
}

export interface FlowCopiesFact {
  readonly token: string
  readonly direction: Direction
  readonly amountRaw: bigint
  readonly count: number
  /** How often in the week before the window. */
  readonly before: number
  /** How many other amounts of the token and direction came more than once in the window. */
  readonly others: number
}

/** What crosses the bridge, by block time in steps of ten seconds; the newest step is under way. */
export interface FlowFacts {
  /** Since when the list is read, history not counted; null before. */
  readonly observedSince: UnixMs | null
  /** How long after its block a transfer may first be listed, ms. */
  readonly settleMs: number
  /** Of the time since, but for what still settles, what the list was read, then or later without a gap: from 0 to 1. */
  coverage(since: UnixMs): number
  /** Whether sums of the window are still being made: they may be too small. */
  isBehind(windowMs: number): boolean
  totals(windowMs: number): readonly FlowTotalFact[]
  /** Null while it is being read. */
  past(windowMs: number): FlowPast | null
  /** Amounts that arrived at least `copies` times. */
  copies(windowMs: number, copies: number): readonly FlowCopiesFact[]
  /** Of the newest arrivals of a window, how many went to somebody who was never paid before it. */
  firstTimers(windowMs: number): readonly {
    readonly token: string
    readonly direction: Direction
    readonly count: number
    readonly first: number
  }[]
  /** By direction, and by token and direction; none where nothing failed. Null until they were counted once. */
  failures(windowMs: number): readonly FailureCount[] | null
  /** When anything of a direction, and of a token unless it is null, last happened; null within a week. */
  newestAt(of: { readonly token: string | null; readonly direction: Direction }): UnixMs | null
  token(address: string): { readonly symbol: string | null; readonly decimals: number | null }
  /** Since when something that is true now has been so without a break; now, when it was not before. */
  since(name: string): UnixMs
}

export interface FlowPart {
  readonly flow: FlowFacts
}
