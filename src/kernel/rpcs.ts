import type { AppConfig } from './settings.ts'
import { createRpc, type Rpc, type RpcOptions } from '../clients/rpc/createRpc.ts'
import type { ByteBudget } from '../clients/byteBudget.ts'
import type { CorrectedClock } from '../lib/correctedClock.ts'
import type { Secret } from '../lib/secret.ts'
import { type BlockListeners, showBlocks } from './mainBlocks.ts'
import type { SourceHealth } from '../clients/sourceHealth.ts'

/** The JSON-RPC endpoints, as far as they are configured. */
export interface Rpcs {
  readonly preconf: Rpc | null
  /** The second source of the main chain. */
  readonly canonical: Rpc | null
  /** The second source of the zone chain. */
  readonly zoneRpc: Rpc | null
}

/** Asked several times a second: an answer that takes longer is worth nothing any more. */
const preconfTimeoutMs = 5_000
/** Questions under way at a time: those that hang leave room for others. */
const preconfConcurrency = 12
/** A node is asked for its head so often, ms. */
const nodeMs = 10_000
/** Methods that are asked when there is a reason to, not at an interval, ms. */
const occasionalMs = 60_000

export function createRpcs(
  { clock, budget }: { readonly clock: CorrectedClock; readonly budget: ByteBudget },
  config: Pick<AppConfig, 'preconf' | 'canonical' | 'zoneRpc'>,
  listeners: BlockListeners,
): Rpcs {
  const open = (options: Pick<RpcOptions, 'source' | 'timeoutMs' | 'concurrency'>, url: Secret) =>
    createRpc({ ...options, url: url.reveal(), clock, corrected: clock, budget })
  const { preconf, canonical, zoneRpc } = config
  return {
    preconf:
      preconf &&
      showBlocks(
        open(
          { source: 'preconf', timeoutMs: preconfTimeoutMs, concurrency: preconfConcurrency },
          preconf.url,
        ),
        'preconf',
        listeners,
      ),
    canonical: canonical && showBlocks(open({ source: 'canonical' }, canonical.url), 'canonical', listeners),
    zoneRpc: zoneRpc && open({ source: 'zoneRpc' }, zoneRpc.url),
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
    ...(rpcs.canonical ? [toHealth(rpcs.canonical, nodeMs)] : []),
    ...(rpcs.zoneRpc ? [toHealth(rpcs.zoneRpc, nodeMs)] : []),
  ]
}
