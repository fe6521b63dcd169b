import type { AppConfig } from './settings.ts'
import { createRpc, type Rpc } from '../clients/rpc/createRpc.ts'
import type { CorrectedClock } from '../lib/correctedClock.ts'
import type { SourceHealth } from '../clients/sourceHealth.ts'

/** The JSON-RPC endpoints, as far as they are configured. */
export interface Rpcs {
  readonly preconf: Rpc | null
  /** The second source. */
  readonly canonical: Rpc | null
}

/** Asked several times a second: an answer that takes longer is worth nothing any more. */
const preconfTimeoutMs = 5_000
/** Questions under way at a time: those that hang leave room for others. */
const preconfConcurrency = 12
/** Methods that are asked when there is a reason to, not at an interval, ms. */
const occasionalMs = 60_000

export function createRpcs(clock: CorrectedClock, config: Pick<AppConfig, 'preconf' | 'canonical'>): Rpcs {
  const { preconf, canonical } = config
  return {
    preconf:
      preconf &&
      createRpc({
        source: 'preconf',
        url: preconf.url.reveal(),
        clock,
        corrected: clock,
        timeoutMs: preconfTimeoutMs,
        concurrency: preconfConcurrency,
      }),
    canonical:
      canonical && createRpc({ source: 'canonical', url: canonical.url.reveal(), clock, corrected: clock }),
  }
}

/** How the RPCs have been answering, with how often each method is meant to be asked. */
export function readRpcHealth(rpcs: Rpcs, config: Pick<AppConfig, 'preconf' | 'poll'>): SourceHealth[] {
  const steady = new Set(['eth_getBlockReceipts', 'eth_getBlockByNumber'])
  const toHealth = (rpc: Rpc, intervalMs: number): SourceHealth => {
    const health = rpc.health()
    return {
      ...health,
      endpoints: health.endpoints.map((one) => ({
        ...one,
        intervalMs: steady.has(one.endpoint) ? intervalMs : occasionalMs,
      })),
    }
  }
  return [
    ...(rpcs.preconf ? [toHealth(rpcs.preconf, config.preconf?.intervalMs ?? 200)] : []),
    ...(rpcs.canonical ? [toHealth(rpcs.canonical, 10_000)] : []),
  ]
}
