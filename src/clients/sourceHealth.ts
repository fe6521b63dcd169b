import type { EndpointRecord, ExplorerHealth } from './explorer/health.ts'

/** How a source (`explorer`, `preconf`, `canonical`) has been answering. Times are ours; null means never. */
export interface SourceHealth extends Omit<ExplorerHealth, 'endpoints' | 'clockAheadMs'> {
  /** One entry an endpoint or method that was asked. */
  readonly endpoints: readonly EndpointHealth[]
  /** By how much its clock is ahead of ours, ms; null or left out when it does not say. */
  readonly clockAheadMs?: number | null
}

export interface EndpointHealth extends EndpointRecord {
  /** The interval at which the monitor means to ask, ms: the bound of silence is derived from it. */
  readonly intervalMs: number
}
