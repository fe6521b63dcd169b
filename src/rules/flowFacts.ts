import type { Direction } from '../domain/observation.ts'
import type { UnixMs } from '../lib/clock.ts'

export interface FlowTotalFact {
  readonly token: string
  readonly direction: Direction
  readonly side: 'started' | 'arrived'
  readonly count: number
  /** Base units. */
  readonly sum: bigint
}

/** What crosses the bridge, by block time in steps of ten seconds; the newest step is under way. */
export interface FlowFacts {
  /** Since when the list is read, history not counted; null before. */
  readonly observedSince: UnixMs | null
  /** Of the time since, from 0 to 1, what the list was really read. */
  coverage(since: UnixMs): number
  totals(sinceMs: number): readonly FlowTotalFact[]
  /** Totals of the windows of one length before the present one, newest first, at most a week; empty ones left out. */
  past(windowMs: number): readonly (readonly FlowTotalFact[])[]
  /** Amounts that arrived at least `copies` times, and how often in the week before. */
  copies(
    windowMs: number,
    copies: number,
  ): readonly {
    readonly token: string
    readonly direction: Direction
    readonly amountRaw: bigint
    readonly count: number
    readonly before: number
  }[]
  token(address: string): { readonly symbol: string | null; readonly decimals: number | null }
}

export interface LatencyFact {
  readonly ms: number
  readonly samples: number
}

/** Percentile of the past 30 days; `token` null is the whole direction. Null without any sample. */
export type LatencyOf = (token: string | null, direction: Direction, share: number) => LatencyFact | null
