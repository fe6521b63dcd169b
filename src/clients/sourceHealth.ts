import type { UnixMs } from '../lib/clock.ts'

/** How a source (`explorer`, `preconf`, `canonical`) has been answering. Times are ours; null means never. */
export interface SourceHealth {
  readonly source: string
  readonly host: string
  readonly startedAt: UnixMs
  /** One entry an endpoint or method that was asked. */
  readonly endpoints: readonly EndpointHealth[]
  /** When it answered well again after nothing of it had; null when that never happened. */
  readonly backAt: UnixMs | null
  /** Credentials refused by the newest answer: what it said; null when they were not. */
  readonly rejected: { readonly at: UnixMs; readonly reason: string } | null
  /** By how much its clock is ahead of ours, ms; null or left out when it does not say. */
  readonly clockAheadMs?: number | null
}

export interface EndpointHealth {
  readonly endpoint: string
  readonly firstAskedAt: UnixMs
  readonly lastGoodAt: UnixMs | null
  readonly lastFailureAt: UnixMs | null
  readonly lastFailure: string | null
  /** When the first question was sent that failed since its last good answer; null while the newest answer is good. */
  readonly failingSince: UnixMs | null
  /** How often it failed again since then although another endpoint had answered in between. */
  readonly ownFailures: number
  /** All that failed since then was throttling, declared or in disguise. */
  readonly isThrottling: boolean
  /** When it answered well again after it had failed; null while it fails, or never did. */
  readonly backAt: UnixMs | null
  /** The interval at which the monitor means to ask, ms: the bound of silence is derived from it. */
  readonly intervalMs: number
}
